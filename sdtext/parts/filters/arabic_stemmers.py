"""Filters for Arabic words by pyarabic and nltk, packages of the extra `arabic`.

pyarabic is under the GNU GPL: nothing imports it but a recipe that names its filter.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from sdtext.errors import OptionError

OPERATIONS = (
    "strip_tashkeel",
    "strip_harakat",
    "strip_lastharaka",
    "strip_tatweel",
    "strip_shadda",
    "strip_small",
    "strip_diacritics",
    "normalize_hamza",
    "normalize_alef",
    "normalize_teh",
    "normalize_ligature",
    "reduce_tashkeel",
)


@dataclass(frozen=True)
class Pyarabic:
    """What an `operation` of the package pyarabic makes of a word.

    They are called as there: strip_tashkeel, strip_harakat, strip_lastharaka, strip_tatweel,
    strip_shadda, strip_small, strip_diacritics, normalize_hamza, normalize_alef, normalize_teh,
    normalize_ligature, reduce_tashkeel. The package is in the extra `arabic`.

    >>> Pyarabic(operation="strip_tashkeel")("كِتَابٌ")
    'كتاب'
    """

    operation: str
    libraries: ClassVar[tuple[str, ...]] = ("PyArabic",)

    def __post_init__(self) -> None:
        if self.operation not in OPERATIONS:
            wanted = f"one of {', '.join(OPERATIONS)}"
            raise OptionError.of("pyarabic", "operation", self.operation, wanted)
        _module("pyarabic", "pyarabic.araby")

    def __call__(self, word: str) -> str:
        if not word:
            return ""
        made: str = getattr(_module("pyarabic", "pyarabic.araby"), self.operation)(word)
        return made


@dataclass(frozen=True)
class Isri:
    """The ISRI stemmer for Arabic (Taghva, Elkhoury, Coombs 2005): a word's root, by nltk.

    It makes more words equal than `arabic-light10` does. The package is in the extra `arabic`.

    >>> Isri()("المدرسة")
    'درس'
    """

    libraries: ClassVar[tuple[str, ...]] = ("nltk",)

    def __post_init__(self) -> None:
        _module("isri", "nltk.stem.isri")

    def __call__(self, word: str) -> str:
        return _stemmer("isri", "nltk.stem.isri", "ISRIStemmer")(word)


@dataclass(frozen=True)
class Arlstem:
    """The light stemmer ARLSTem for Arabic (Abainia, Ouamour, Sayoud 2017), by nltk.

    The package is in the extra `arabic`.

    >>> Arlstem()("المدرسة")
    'مدرس'
    """

    libraries: ClassVar[tuple[str, ...]] = ("nltk",)

    def __post_init__(self) -> None:
        _module("arlstem", "nltk.stem.arlstem")

    def __call__(self, word: str) -> str:
        return _stemmer("arlstem", "nltk.stem.arlstem", "ARLSTem")(word)


@dataclass(frozen=True)
class Arlstem2:
    """The light stemmer ARLSTem 2 for Arabic (Abainia, Rebbani 2019), by nltk.

    The package is in the extra `arabic`.

    >>> Arlstem2()("المدرسة")
    'مدرس'
    """

    libraries: ClassVar[tuple[str, ...]] = ("nltk",)

    def __post_init__(self) -> None:
        _module("arlstem2", "nltk.stem.arlstem2")

    def __call__(self, word: str) -> str:
        return _stemmer("arlstem2", "nltk.stem.arlstem2", "ARLSTem2")(word)


@cache
def _stemmer(part: str, module: str, name: str) -> Callable[[str], str]:
    stem: Callable[[str], str] = getattr(_module(part, module), name)().stem
    return stem


@cache
def _module(part: str, name: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise OptionError(
            f"{part}: the package {package} is missing; pip install 'sdtext[arabic]' brings it"
        ) from error
