"""The text of a document in pieces: of one in memory as a single piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from re import Pattern
from typing import Protocol

from sdtext.reading.read_document import BEGINNING
from sdtext.text.document import Document
from sdtext.text.language import sample_of


class TextPieces(Protocol):
    """The text of a document in pieces: a Source, or a Document in memory."""

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]: ...

    @property
    def sample(self) -> str: ...

    @property
    def beginning(self) -> str: ...

    def clean_pieces(self, boundaries: str | Pattern[str], /) -> Iterator[str]: ...

    def documents(self, boundaries: str | Pattern[str], /) -> Iterator[tuple[int, Document]]: ...


@dataclass(frozen=True)
class DocumentPieces:
    r"""A Document as a single piece.

    >>> list(DocumentPieces(Document.of("Bees dance.")).clean_pieces("\\n"))
    ['Bees dance.']
    """

    document: Document

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The libraries that extracted its text, with their versions."""
        engines = self.document.metadata.get("engine", "")
        pairs = [engine.rpartition(" ") for engine in engines.split(", ") if engine]
        return tuple((name, version) for name, _, version in pairs)

    @cached_property
    def sample(self) -> str:
        """A sample of the text, from which its language is recognised."""
        return sample_of([self.document.clean])

    @property
    def beginning(self) -> str:
        """The beginning of the text."""
        return self.document.clean[:BEGINNING]

    def clean_pieces(self, _boundaries: str | Pattern[str], /) -> Iterator[str]:
        """The clean text."""
        yield self.document.clean

    def documents(self, _boundaries: str | Pattern[str], /) -> Iterator[tuple[int, Document]]:
        """The document, which begins at offset 0."""
        yield 0, self.document
