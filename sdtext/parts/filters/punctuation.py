"""Filter that removes punctuation from words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from unicodedata import category

from sdtext.parts.filters import Filter


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
