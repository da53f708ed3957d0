"""The filter that writes all digits alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class DecimalDigits:
    """The word with 0 to 9 for the decimal digits of any script (Unicode category Nd).

    >>> DecimalDigits()("٢٠٢٤"), DecimalDigits()("ｂ２ｂ")
    ('2024', 'ｂ2ｂ')
    """

    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        if word.isascii() or word.isalpha():
            return word
        return "".join(str(int(char)) if char.isdecimal() else char for char in word)
