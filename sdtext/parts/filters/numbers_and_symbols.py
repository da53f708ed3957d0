"""Filters for numbers, digits, punctuation and formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar
from unicodedata import category

from sdtext.parts.filters import Filter

_SIGN = r"[+\-±\u2212\ufe63\uff0b\uff0d]?"
_PERCENT = r"[%\u066a\ufe6a\uff05‰‱]?"
_MARK = r"[.,'’_\u066b\u066c\u00a0\u202f]"
_NUMBER = re.compile(rf"{_PERCENT}{_SIGN}{_MARK}?\d+(?:{_MARK}\d+)*{_MARK}?{_PERCENT}")
_MATHEMATICAL = re.compile(
    "[\u00b5\u0370-\u03ff\u1d26-\u1d2a\u1d5d-\u1d61\u1d66-\u1d6a\u1dbf\u1f00-\u1fff\u2126\uab65"
    "\U0001d400-\U0001d7ff]"
)


@dataclass(frozen=True)
class NoNumericTokens(Filter):
    """Drop a word that is a number: digits with sign, decimal and thousands marks, per cent.

    >>> keep = NoNumericTokens()
    >>> [keep(word) for word in ["1,234.5", "-3%", "٣٫١٤", "3rd", "1984-5"]]
    ['', '', '', '3rd', '1984-5']
    """

    def __call__(self, word: str) -> str:
        return word if word.isalpha() or not _NUMBER.fullmatch(word) else ""


@dataclass(frozen=True)
class StripNumbers(Filter):
    """The word without its digits.

    >>> StripNumbers()("b2b"), StripNumbers()("1984")
    ('bb', '')
    """

    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        if word.isalpha():
            return word
        return "".join(char for char in word if not char.isdecimal())


@dataclass(frozen=True)
class NoTokensWithNumbers(Filter):
    """Drop a word with a digit in it.

    >>> NoTokensWithNumbers()("b2b"), NoTokensWithNumbers()("bee")
    ('', 'bee')
    """

    def __call__(self, word: str) -> str:
        if word.isalpha():
            return word
        return "" if any(map(str.isdecimal, word)) else word


@dataclass(frozen=True)
class DecimalDigits(Filter):
    """The word with 0 to 9 for the decimal digits of any script (Unicode category Nd).

    >>> DecimalDigits()("٢٠٢٤"), DecimalDigits()("ｂ２ｂ")
    ('2024', 'ｂ2ｂ')
    """

    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        if word.isascii() or word.isalpha():
            return word
        return "".join(str(int(char)) if char.isdecimal() else char for char in word)


@dataclass(frozen=True)
class StripPunctuation(Filter):
    """The word without punctuation (Unicode categories P*), at any position.

    With `symbols`, symbols (S*) are removed, too: currency, mathematics, arrows, emoji.

    >>> StripPunctuation()("(don't)"), StripPunctuation()("$5.00"), StripPunctuation()("--")
    ('dont', '$500', '')
    >>> StripPunctuation(symbols=True)("$5.00")
    '500'
    """

    symbols: bool = False
    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        if word.isalnum():
            return word
        dropped = "PS" if self.symbols else "P"
        for char in set(word):
            if category(char)[0] in dropped:
                word = word.replace(char, "")
        return word


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
