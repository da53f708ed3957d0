"""Filters of the characters of a word: numbers, symbols, widths."""

import re
from dataclasses import dataclass
from typing import ClassVar
from unicodedata import category, normalize

from sdtext.parts.filters import Filter

_SIGN = r"[+\-±\u2212\ufe63\uff0b\uff0d]?"
_PERCENT = r"[%\u066a\ufe6a\uff05‰‱]?"
_MARK = r"[.,'’_\u066b\u066c\u00a0\u202f]"
_NUMBER = re.compile(rf"{_PERCENT}{_SIGN}{_MARK}?\d+(?:{_MARK}\d+)*{_MARK}?{_PERCENT}")
_MATHEMATICAL = re.compile(
    "[\u00b5\u0370-\u03ff\u1d26-\u1d2a\u1d5d-\u1d61\u1d66-\u1d6a\u1dbf\u1f00-\u1fff\u2126\uab65"
    "\U0001d400-\U0001d7ff]"
)
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_KANA = {code: ord(normalize("NFKC", chr(code))) for code in range(0xFF65, 0xFFA0)}
_WIDTHS = _FULL_WIDTH | _KANA
_CHANGED = re.compile("[！-～･-ﾟ]")
_VOICED = re.compile("[ｦ-ﾝ\u30a6-\u30fd][ﾞﾟ]")


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
        is_mathematical = False
        for char in word:
            if _MATHEMATICAL.match(char) or category(char) == "Sm":
                is_mathematical = True
            elif not (char.isdecimal() or category(char)[0] == "P"):
                return word
        return "" if is_mathematical else word


@dataclass(frozen=True)
class CjkWidth(Filter):
    """Full-width Latin letters, digits and signs, and half-width Katakana, in standard width.

    >>> CjkWidth()("ＡＢＣ１２３"), CjkWidth()("ｶﾞｲﾄﾞ")
    ('ABC123', 'ガイド')
    """

    keeps_ascii: ClassVar[bool] = True
    characterwise: ClassVar[bool] = True
    minds_letters: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        if word.isascii() or not _CHANGED.search(word):
            return word
        return with_voiced_kana(word).translate(_WIDTHS)


def with_voiced_kana(text: str) -> str:
    """`text` with one letter for each Kana and the half-width sound mark behind it."""
    if "ﾞ" not in text and "ﾟ" not in text:
        return text
    return _VOICED.sub(lambda it: new if len(new := normalize("NFKC", it[0])) == 1 else it[0], text)


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
