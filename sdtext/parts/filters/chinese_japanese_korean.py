"""Filters for Chinese, Japanese and Korean: Lucene's CJKWidthFilter and ChineseFilter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar
from unicodedata import category, normalize

from sdtext.parts.filters import Filter

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_KANA = {code: ord(normalize("NFKC", chr(code))) for code in range(0xFF65, 0xFFA0)}
_WIDTHS = _FULL_WIDTH | _KANA
_CHANGED = re.compile("[！-～･-ﾟ]")
_VOICED = re.compile("[ｦ-ﾝ\u30a6-\u30fd][ﾞﾟ]")


@dataclass(frozen=True)
class CjkWidth(Filter):
    """Full-width Latin letters, digits and signs, and half-width Katakana, in standard width.

    >>> CjkWidth()("ＡＢＣ１２３"), CjkWidth()("ｶﾞｲﾄﾞ")
    ('ABC123', 'ガイド')
    """

    keeps_ascii: ClassVar[bool] = True
    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        if word.isascii() or not _CHANGED.search(word):
            return word
        return _VOICED.sub(_composed, word).translate(_WIDTHS)


def _composed(pair: re.Match[str]) -> str:
    composed = normalize("NFKC", pair.group())
    return composed if len(composed) == 1 else pair.group()


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
