"""The filter that makes small letters one for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class SimpleLowercase:
    """Small letters for capital ones, one for one and whatever stands beside, as in Lucene.

    It differs from `lowercase` in İ, which gives i without a dot above it, and in the sigma at
    the end of a word.

    >>> SimpleLowercase()("İSTANBUL"), SimpleLowercase()("ΛΟΓΟΣ")
    ('istanbul', 'λογοσ')
    """

    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        if not word.isascii():
            # The only letters that Python treats in another way.
            word = word.replace("İ", "i").replace("Σ", "σ")
        return word.lower()
