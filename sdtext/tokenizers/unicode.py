"""Words by the Unicode standard."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from sdtext.model import Tokens

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
        boundary, wordlike = _patterns()
        # The rules look at what stands before a word: a blank stands for the start of the text.
        start = 0
        for match in boundary.finditer(" " + text):
            end = match.start() - 1
            if end > start:
                if wordlike.search(text, start, end):
                    yield start, end
                start = end
        if wordlike.search(text, start):
            yield start, len(text)


@cache
def _patterns() -> tuple[Any, Any]:
    import regex

    # V1 and w ask for the default word boundaries of Unicode in place of \w's.
    wordlike = r"[\p{Alphabetic}\p{Nd}\p{Extended_Pictographic}\p{Regional_Indicator}]"
    return regex.compile(r"(?V1w)\b"), regex.compile(wordlike)
