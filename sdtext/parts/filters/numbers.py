"""Filters for numbers and digits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sdtext.parts.filters import Filter

_SIGN = r"[+\-±\u2212\ufe63\uff0b\uff0d]?"
_PERCENT = r"[%\u066a\ufe6a\uff05‰‱]?"
_MARK = r"[.,'’_\u066b\u066c\u00a0\u202f]"
_NUMBER = re.compile(rf"{_PERCENT}{_SIGN}{_MARK}?\d+(?:{_MARK}\d+)*{_MARK}?{_PERCENT}")


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
