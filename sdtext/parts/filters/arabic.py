"""Filters for Arabic words, equal to those of Lucene's ArabicAnalyzer."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Alef with hamza or madda, alef maksura, teh marbuta; tatweel and the eight vowel signs go.
_NORMAL = str.maketrans(
    "\u0622\u0623\u0625\u0649\u0629",
    "\u0627\u0627\u0627\u064a\u0647",
    "\u0640\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652",
)
_CHANGED = re.compile("[\u0622\u0623\u0625\u0629\u0640\u0649\u064b-\u0652]")

_PREFIXES = ("ال", "وال", "بال", "كال", "فال", "لل", "و")
_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي")
_BEYOND_BMP = re.compile("[^\x00-\uffff]")


@dataclass(frozen=True)
class ArabicNormalization:
    """One spelling of an Arabic word: no vowel signs, one alef, ه for ة and ي for ى.

    Tatweel, which makes a word wider, goes too. A hamza on another letter stays.

    >>> ArabicNormalization()("الآجِلَة")
    'الاجله'
    """

    def __call__(self, word: str) -> str:
        return word.translate(_NORMAL) if _CHANGED.search(word) else word


@dataclass(frozen=True)
class ArabicLight10:
    """The light stemmer of Larkey, Ballesteros and Connell (light-10): no article, no ending.

    One prefix is taken off, then each suffix in its turn, as long as two letters remain (three
    behind و). Stands behind `arabic-normalization`.

    >>> stem = ArabicLight10()
    >>> [stem(word) for word in ["والكتاب", "المدرسه", "كتابها", "في"]]
    ['كتاب', 'مدرس', 'كتاب', 'في']
    """

    def __call__(self, word: str) -> str:
        for prefix in _PREFIXES:
            left = 3 if len(prefix) == 1 else 2
            if word.startswith(prefix) and _length(word) >= len(prefix) + left:
                word = word[len(prefix) :]
                break
        for suffix in _SUFFIXES:
            if word.endswith(suffix) and _length(word) >= len(suffix) + 2:
                word = word[: -len(suffix)]
        return word


def _length(word: str) -> int:
    """In UTF-16 units, as Lucene counts."""
    return len(word) if len(word) > 5 else len(word) + len(_BEYOND_BMP.findall(word))
