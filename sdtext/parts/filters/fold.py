"""One spelling for all spellings of a word in its script: case, marks, forms of letters, digits.

The foldings are some of Unicode Technical Report 30, on NFKC_Casefold (Unicode Standard Annex 31):
case, compatibility forms, native digits, and the diacritics of scripts that are mostly written
without them. The letters of Persian and Urdu are those of Lucene's PersianNormalizer. That Russian
prints е for ё, Turkish has two letters I, and Yiddish letters are pairs of others, is in the CLDR.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar
from unicodedata import category, decimal, normalize

from sdtext.parts.filters import Filter
from sdtext.parts.filters.characters import with_voiced_kana
from sdtext.text.line_joins import OPTIONAL_MARKS, letter_of_unspaced

_LETTERS = {"İ": "i", "ı": "i", "𝚤": "i", "Ё": "е", "ё": "е", "װ": "וו", "ױ": "וי", "ײ": "יי"}
_LETTERS |= {"Ș": "ş", "ș": "ş", "Ț": "ţ", "ț": "ţ"}
# Malayalam consonants without a vowel, each also a letter of its own (Unicode 16, 12.9).
_LETTERS |= {"ൺ": "ണ്", "ൻ": "ന്", "ർ": "ര്", "ൽ": "ല്", "ൾ": "ള്", "ൿ": "ക്"}
# Persian and Urdu letters to Arabic ones; alef maksura and teh marbuta as in ArabicNormalization.
_ARABIC = str.maketrans("یىےکةہەھ", "يييكهههه", "ـ")
_MARKS = re.compile(f"[{OPTIONAL_MARKS}]")
_SCRIPTS_WITH_MARKS = re.compile(" ?[\u0370-\u03ff\u0590-\u08ff]")
# Marks that Latin letters share, and a joiner, behind a letter from Greek to Sinhala; and a second
# dot on an i, which most programs write for a small İ.
_ACCENT = "[\u0300-\u036f\u200d]"
_ACCENTS = re.compile(f"{_ACCENT}(?<=[\u0370-\u0dff\u1f00-\u1fff].){_ACCENT}*+|\u0307(?<=i.)")
_AM = "\u0e33\u0eb3"  # one vowel of Thai and Lao, or a mark and a letter
_SUPERSCRIPTS = re.compile("[⁰¹²³⁴-⁹₀-₉]")
_SPACE, _JOINER = "\u200b", "\u200d"  # without width: between words, and within emoji


class _Foldings(dict[int, str]):
    """The folding of each character that occurred, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _folded(chr(code))
        return folded


def _folded(char: str) -> str:
    kind = category(char)
    if char.isspace() or char in (_SPACE, _JOINER) or _SUPERSCRIPTS.match(char):
        return char
    if char in _AM:
        return normalize("NFKC", char)
    if kind == "Cf" or (kind[0] in "ML" and _MARKS.match(char)):
        return ""
    if "\u0300" <= char <= "\u036f":
        return char
    if kind == "Nd":
        return str(decimal(char))
    plain = normalize("NFKD", _LETTERS.get(char, char))
    if _SCRIPTS_WITH_MARKS.match(plain):
        plain = _MARKS.sub("", _ACCENTS.sub("", plain))
    folded = normalize("NFKC", plain.casefold()).translate(_ARABIC)
    if " " in folded:  # Arabic ligatures of several words; else a mark that stands by itself
        folded = folded.replace(" ", "") if kind == "Lo" else char
    # What ends where before a tokenizer does so behind it: no sign becomes a letter, and no letter
    # several words of one letter.
    words = letter_of_unspaced().findall
    same = len(words(folded)) == len(words(char))
    letters = char.isalpha() or not any(map(str.isalpha, folded))
    return folded if same and letters else char.casefold()


_FOLDINGS = _Foldings()


@dataclass(frozen=True)
class Fold(Filter):
    """The word in one spelling: small letters, standard forms, digits 0 to 9.

    It removes the marks of Greek, Hebrew, Arabic and Syriac, the stress of Cyrillic, tatweel and
    characters without width. It writes е for ё, i for all forms of the Turkish letters i, cedillas
    for Romanian commas, Arabic letters for those of Persian and Urdu, and two for a Yiddish pair.
    Accents of Latin letters stay, and so do superscript and subscript digits.

    >>> fold = Fold()
    >>> [fold(word) for word in ["Straße", "ΛΌΓΟΣ", "IŞIK", "ﬁfth", "Ёлка", "１２", "Café"]]
    ['strasse', 'λογοσ', 'işik', 'fifth', 'елка', '12', 'café']
    >>> fold("שָׁלוֹם"), fold("کِتابی"), fold("ﻛﺘﺎب")
    ('שלום', 'كتابي', 'كتاب')
    """

    characterwise: ClassVar[bool] = True
    minds_letters: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        if word.isascii():
            return word.lower()
        return _ACCENTS.sub("", with_voiced_kana(word)).translate(_FOLDINGS)
