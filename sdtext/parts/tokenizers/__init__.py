"""Tokenizers: from a text to its words and their places."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import Field
from re import Pattern
from typing import Any, ClassVar

from sdtext.model import OffsetMap, Tokens


class Tokenizer(ABC):
    """The members of a tokenizer, a frozen dataclass whose fields are its options."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    boundaries: ClassVar[str] = "\n"
    """The ASCII characters at which a text may be cut in two without changing its words.

    The lines of the text are `joined`; `cuts` says where other texts may be cut. A chain works on
    the pieces between them and remembers the frequent ones.
    """
    filters_may_precede: ClassVar[bool] = False
    """Whether a filter of single characters may run before the tokenizer with the same result."""

    longest_run: ClassVar[int] = 0
    """The number of characters after which a run without a boundary is cut; 0: it never is.

    It bounds the memory that a text without boundaries takes.
    """

    @property
    def cuts(self) -> str | Pattern[str]:
        """Where a text may be cut in two before its lines are joined.

        Behind one of some characters, or behind the match of a pattern that searches backwards.
        """
        return self.boundaries

    def joined(self, text: str) -> tuple[str, OffsetMap | None]:
        """The text without the line ends within words, and its offset map, None if all are kept."""
        return text, None

    @property
    def of_joined(self) -> Tokenizer:
        """The tokenizer for texts whose lines are joined: each line by itself."""
        return self

    def pieces(self, text: str) -> Iterator[str]:
        """A text in pieces: cut at boundaries, and in a run of `longest_run` characters there.

        The lines of the text are `joined`.
        Each piece has its words by itself, and those of all pieces are the words of the text.
        """
        start, longest = 0, self.longest_run or len(text)
        while len(text) - start > longest:
            ends = (text.rfind(char, start, start + longest) for char in self.boundaries)
            end = max(ends) + 1 or start + longest
            yield text[start:end]
            start = end
        yield text[start:] if start else text

    @property
    def libraries(self) -> Sequence[str]:
        """The packages on whose versions the words depend."""
        return ()

    @abstractmethod
    def __call__(self, text: str) -> Tokens:
        """The words with their places, in code points."""

    @abstractmethod
    def split(self, text: str) -> list[str]:
        """The words alone."""
