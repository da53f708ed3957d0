"""Tokenizers: from a text to its words and their places."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import Field, replace
from re import Pattern
from typing import Any, ClassVar, TypeAlias

from sdtext.model import OffsetMap, Tokens
from sdtext.text.line_joins import HAN_AND_KANA, joined_lines, outside_of_runs


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

    def joined(
        self,
        text: str,
        *,
        lines: bool = True,  # noqa: ARG002 (for tokenizers that join)
    ) -> tuple[str, OffsetMap | None]:
        """The text without what divides words, and its offset map, None if all of it is kept.

        Without `lines`, each line is a paragraph, and no line end divides a word.
        """
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


Span: TypeAlias = tuple[int, int]
"""The start and the end of a word in a text, in code points."""


class SpanTokenizer(Tokenizer):
    """A tokenizer given by the spans of the words of a text.

    Texts of some scripts have no blanks, and no text should take memory without bounds, so a run
    of 65,536 characters without a blank is cut there.

    Where a tokenizer has the option `join_lines`, runs of scripts without blanks between words
    continue over a single line end; with `join_blanks`, runs of Han and Kana over blanks.
    """

    join_lines: bool = False
    join_blanks: bool = False

    boundaries: ClassVar[str] = " \n"
    longest_run: ClassVar[int] = 1 << 16

    @property
    def cuts(self) -> str | Pattern[str]:
        return outside_of_runs() if self._joins else self.boundaries

    @property
    def _joins(self) -> bool:
        return self.join_lines or self.join_blanks

    def joined(self, text: str, *, lines: bool = True) -> tuple[str, OffsetMap | None]:
        blanks = HAN_AND_KANA * self.join_blanks
        return joined_lines(text, lines=lines and self.join_lines, blanks=blanks)

    @property
    def of_joined(self) -> SpanTokenizer:
        return replace(self, join_lines=False) if self.join_lines else self

    @abstractmethod
    def spans(self, text: str) -> Iterable[Span]:
        """The spans of the words of a text."""

    def __call__(self, text: str) -> Tokens:
        if self._joins:
            joined, offset_map = self.joined(text)
            tokens = self.of_joined(joined)
            return tokens.mapped_by(offset_map) if offset_map else tokens
        words: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        done = 0
        for piece in self.pieces(text):
            places = list(self.spans(piece))
            words += [piece[start:end] for start, end in places]
            starts += [done + start for start, _ in places]
            ends += [done + end for _, end in places]
            done += len(piece)
        return Tokens(words, starts, ends)

    def split(self, text: str) -> list[str]:
        if self._joins:
            return self.of_joined.split(self.joined(text)[0])
        return [piece[start:end] for piece in self.pieces(text) for start, end in self.spans(piece)]
