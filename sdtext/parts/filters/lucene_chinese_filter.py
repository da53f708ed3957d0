"""Filter for Chinese letters, equal to Lucene's ChineseFilter except for its stop words."""

from __future__ import annotations

from dataclasses import dataclass
from unicodedata import category

from sdtext.parts.filters import Filter


@dataclass(frozen=True)
class ChineseLetters(Filter):
    """Drop words that do not begin with a letter, and single letters with case (Latin, Greek, …).

    Han characters stay, since they have no case. Drops what Lucene 4.10's ChineseFilter drops
    except for its stop words: also numbers, and characters beyond U+FFFF.

    >>> keep = ChineseLetters()
    >>> [keep(word) for word in ["京", "linux", "x", "2024", "x86", "4k"]]
    ['京', 'linux', '', '', 'x86', '']
    """

    def __call__(self, word: str) -> str:
        kind = category(word[0]) if word and word[0] <= "\uffff" else ""
        return word if kind == "Lo" or (kind in ("Ll", "Lu") and len(word) > 1) else ""
