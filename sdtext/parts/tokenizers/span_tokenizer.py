"""Tokenizers that find words by rules for each character, within runs of bounded length."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from sdtext.model import Tokens
from sdtext.parts.tokenizers import Tokenizer
from sdtext.parts.tokenizers.unicode_word_boundaries import Span


class SpanTokenizer(Tokenizer):
    """A tokenizer given by the spans of the words of a text.

    Texts of some scripts have no blanks, and no text should take memory without bounds, so a run
    of 65,536 characters without a blank is cut there.
    """

    boundaries: ClassVar[str] = " \n"
    longest_run: ClassVar[int] = 1 << 16

    @abstractmethod
    def spans(self, text: str) -> Iterable[Span]:
        """The spans of the words of a text."""

    def __call__(self, text: str) -> Tokens:
        """The words with their places, in code points."""
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
        return [piece[start:end] for piece in self.pieces(text) for start, end in self.spans(piece)]
