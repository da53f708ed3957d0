"""Filter that drops formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from unicodedata import category

from sdtext.parts.filters import Filter

_MATHEMATICAL = re.compile(
    "[\u00b5\u0370-\u03ff\u1d26-\u1d2a\u1d5d-\u1d61\u1d66-\u1d6a\u1dbf\u1f00-\u1fff\u2126\uab65"
    "\U0001d400-\U0001d7ff]"
)


@dataclass(frozen=True)
class NoMath(Filter):
    """Drop a word of Greek letters or mathematical symbols (Unicode's Sm).

    Such a word may contain digits and punctuation. Not for Greek texts.

    >>> keep = NoMath()
    >>> [keep(word) for word in ["α", "≥", "σ=0.5", "!=", "x=1", "well-known", "42"]]
    ['', '', '', '', 'x=1', 'well-known', '42']
    """

    def __call__(self, word: str) -> str:
        if word.isascii() and word.isalnum():
            return word
        kinds = {_kind(char) for char in word}
        return "" if "mathematical" in kinds and "other" not in kinds else word


def _kind(char: str) -> str:
    if _MATHEMATICAL.match(char) or category(char) == "Sm":
        return "mathematical"
    return "neutral" if char.isdecimal() or category(char)[0] == "P" else "other"
