"""Normalization of Arabic words, as Lucene does it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sdtext.parts.filters import Filter

# Alef with hamza or madda, alef maksura, teh marbuta; tatweel and the eight vowel signs go.
_NORMAL = str.maketrans(
    "\u0622\u0623\u0625\u0649\u0629",
    "\u0627\u0627\u0627\u064a\u0647",
    "\u0640\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652",
)
_CHANGED = re.compile("[\u0622\u0623\u0625\u0629\u0640\u0649\u064b-\u0652]")


@dataclass(frozen=True)
class ArabicNormalization(Filter):
    """Normalize the spelling of an Arabic word: no vowel signs, one alef, ه for ة, ي for ى.

    Tatweel, the elongation mark, is removed, too. A hamza on another letter stays.

    >>> ArabicNormalization()("الآجِلَة")
    'الاجله'
    """

    def __call__(self, word: str) -> str:
        return word.translate(_NORMAL) if _CHANGED.search(word) else word
