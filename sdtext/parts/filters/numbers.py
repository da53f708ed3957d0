"""Filters for numbers and for the digits inside words, of any script (Unicode category Nd)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

_SIGN = r"[+\-±\u2212\ufe63\uff0b\uff0d]?"
_PERCENT = r"[%\u066a\ufe6a\uff05‰‱]?"
_MARK = r"[.,'’_\u066b\u066c\u00a0\u202f]"
_NUMBER = re.compile(rf"{_PERCENT}{_SIGN}{_MARK}?\d+(?:{_MARK}\d+)*{_MARK}?{_PERCENT}")


@dataclass(frozen=True)
class NoNumericTokens:
    """Drop a word that is a number: digits with sign, decimal and thousands marks, per cent.

    >>> keep = NoNumericTokens()
    >>> [keep(word) for word in ["1,234.5", "-3%", "٣٫١٤", "3rd", "1984-5"]]
    ['', '', '', '3rd', '1984-5']
    """

    def __call__(self, word: str) -> str:
        return word if word.isalpha() or not _NUMBER.fullmatch(word) else ""


@dataclass(frozen=True)
class StripNumbers:
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
class NoTokensWithNumbers:
    """Drop a word with a digit in it.

    >>> NoTokensWithNumbers()("b2b"), NoTokensWithNumbers()("bee")
    ('', 'bee')
    """

    def __call__(self, word: str) -> str:
        if word.isalpha():
            return word
        return "" if any(map(str.isdecimal, word)) else word
