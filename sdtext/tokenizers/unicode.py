"""Words by the Unicode standard."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from sdtext.model import Tokens

_STRETCH = re.compile(r"[^ \t\n\v\f\r]+")

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class UnicodeWords:
    """Words by Unicode's default rules (UAX #29), those with a letter, a digit or an emoji.

    >>> UnicodeWords()("The quick (“brown”) fox can’t jump 32.3 feet, right?").words
    ['The', 'quick', 'brown', 'fox', 'can’t', 'jump', '32.3', 'feet', 'right']
    """

    boundaries: ClassVar[str] = " \n"
    libraries: ClassVar[tuple[str, ...]] = ("regex",)

    def __call__(self, text: str) -> Tokens:
        words, starts, ends = [], [], []
        for start, end in self._spans(text):
            words.append(text[start:end])
            starts.append(start)
            ends.append(end)
        return Tokens(words, starts, ends)

    def split(self, text: str) -> list[str]:
        """The words alone."""
        return [text[start:end] for start, end in self._spans(text)]

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        for match in _STRETCH.finditer(text):
            for start, end in _words_in(match.group()):
                yield match.start() + start, match.start() + end


def _words_in(stretch: str) -> Iterator[tuple[int, int]]:
    """The words of a stretch without ASCII white space; no word goes beyond one."""
    boundary, wordlike = _patterns()
    # The rules look at what stands before a word, and here that is a blank.
    ends = [match.start() - 1 for match in boundary.finditer(f" {stretch} ")]
    start = 0
    for end in ends:
        if end > start:
            if wordlike.search(stretch, start, end):
                yield _without_white_space(stretch, start, end)
            start = end


def _without_white_space(text: str, start: int, end: int) -> tuple[int, int]:
    """The word alone: by the rules other white space can stand in it, before a joiner."""
    word = text[start:end]
    return start + len(word) - len(word.lstrip()), start + len(word.rstrip())


@cache
def _patterns() -> tuple[Any, Any]:
    import regex

    # V1 and w ask for the default word boundaries of Unicode in place of \w's.
    # A mark belongs to the letter before it and is no word alone.
    letters = r"[[\p{Alphabetic}--\p{M}]\p{Nd}\p{Extended_Pictographic}\p{Regional_Indicator}]"
    return regex.compile(r"(?V1w)\b"), regex.compile("(?V1)" + letters)
