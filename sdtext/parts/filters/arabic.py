"""Filters for Arabic words: normalization as in Lucene, and stemmers.

The stemmers are light-10 and those of pyarabic and nltk (the extra `arabic`). pyarabic is under the
GNU GPL: it is imported only where a recipe names its filter.
"""

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sdtext.parts.filters import Filter
from sdtext.parts.filters.stemmers import nltk_stemmer, optional_module

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
OPERATIONS = (
    *("strip_tashkeel", "strip_harakat", "strip_lastharaka", "strip_tatweel", "strip_shadda"),
    *("strip_small", "strip_diacritics", "normalize_hamza", "normalize_alef", "normalize_teh"),
    *("normalize_ligature", "reduce_tashkeel"),
)


@dataclass(frozen=True)
class ArabicNormalization(Filter):
    """Normalize the spelling of an Arabic word: no vowel signs, one alef, ه for ة, ي for ى.

    Tatweel, the elongation mark, is removed, too. A hamza on another letter stays.

    >>> ArabicNormalization()("الآجِلَة")
    'الاجله'
    """

    keeps_ascii: ClassVar[bool] = True
    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        return word.translate(_NORMAL) if _CHANGED.search(word) else word


@dataclass(frozen=True)
class ArabicLight10(Filter):
    """The light stemmer light-10 (Larkey, Ballesteros, Connell): removes the article and endings.

    Removes one prefix, then each suffix in turn, as long as two letters remain (three after و).
    Place it after `arabic-normalization`.

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


@dataclass(frozen=True)
class Pyarabic(Filter):
    """Apply an `operation` of the package pyarabic.

    The names are those of the package (`OPERATIONS`), which is in the extra `arabic`.

    >>> Pyarabic(operation="strip_tashkeel")("كِتَابٌ")
    'كتاب'
    """

    operation: Annotated[str, OPERATIONS]
    libraries: ClassVar[tuple[str, ...]] = ("PyArabic",)

    def __post_init__(self) -> None:
        optional_module("pyarabic", "arabic", "pyarabic.araby")

    def __call__(self, word: str) -> str:
        if not word:
            return ""
        araby = optional_module("pyarabic", "arabic", "pyarabic.araby")
        result: str = getattr(araby, self.operation)(word)
        return result


class _NltkStemmer(Filter):
    libraries: ClassVar[tuple[str, ...]] = ("nltk",)
    stemmer: ClassVar[tuple[str, str, str]]
    """The name of the part, the module and the class in it."""

    def __post_init__(self) -> None:
        part, module, _ = self.stemmer
        optional_module(part, "arabic", module)

    def __call__(self, word: str) -> str:
        part, module, name = self.stemmer
        return nltk_stemmer(part, "arabic", module, name)(word)


@dataclass(frozen=True)
class Isri(_NltkStemmer):
    """The ISRI stemmer for Arabic (Taghva, Elkhoury, Coombs 2005): a word's root, by nltk.

    It conflates more words than `arabic-light10`. The package is in the extra `arabic`.

    >>> Isri()("المدرسة")
    'درس'
    """

    stemmer: ClassVar = ("isri", "nltk.stem.isri", "ISRIStemmer")


@dataclass(frozen=True)
class Arlstem(_NltkStemmer):
    """The light stemmer ARLSTem for Arabic (Abainia, Ouamour, Sayoud 2017), by nltk.

    The package is in the extra `arabic`.

    >>> Arlstem()("المدرسة")
    'مدرس'
    """

    stemmer: ClassVar = ("arlstem", "nltk.stem.arlstem", "ARLSTem")


@dataclass(frozen=True)
class Arlstem2(_NltkStemmer):
    """The light stemmer ARLSTem 2 for Arabic (Abainia, Rebbani 2019), by nltk.

    The package is in the extra `arabic`.

    >>> Arlstem2()("المدرسة")
    'مدرس'
    """

    stemmer: ClassVar = ("arlstem2", "nltk.stem.arlstem2", "ARLSTem2")
