"""Tokenizers that find words by rules for each character, within runs of bounded length."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from re import Pattern
from typing import ClassVar

from sdtext.model import OffsetMap, Tokens
from sdtext.parts.tokenizers import Tokenizer
from sdtext.parts.tokenizers.unicode_word_boundaries import Span
from sdtext.text.line_joins import joined_lines, outside_of_runs


class SpanTokenizer(Tokenizer):
    """A tokenizer given by the spans of the words of a text.

    Texts of some scripts have no blanks, and no text should take memory without bounds, so a run
    of 65,536 characters without a blank is cut there.

    Where a tokenizer has the option `join_lines`, runs of scripts without blanks between words
    continue over a single line end.
    """

    join_lines: bool = False

    boundaries: ClassVar[str] = " \n"
    longest_run: ClassVar[int] = 1 << 16

    @property
    def cuts(self) -> str | Pattern[str]:
        """Where a text may be cut in two before its lines are joined."""
        return outside_of_runs() if self.join_lines else self.boundaries

    def joined(self, text: str) -> tuple[str, OffsetMap | None]:
        """The text without the line ends within runs, if they are to be joined."""
        return joined_lines(text) if self.join_lines else (text, None)

    @property
    def of_joined(self) -> SpanTokenizer:
        """The tokenizer without `join_lines`."""
        return replace(self, join_lines=False) if self.join_lines else self

    @abstractmethod
    def spans(self, text: str) -> Iterable[Span]:
        """The spans of the words of a text."""

    def __call__(self, text: str) -> Tokens:
        """The words with their places, in code points."""
        if self.join_lines:
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
        """The words alone."""
        if self.join_lines:
            return self.of_joined.split(self.joined(text)[0])
        return [piece[start:end] for piece in self.pieces(text) for start, end in self.spans(piece)]
