"""Stemmers. They expect words in lower case."""

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Annotated, Any, ClassVar

from sdtext.errors import OptionError
from sdtext.parts.filters import Filter
from sdtext.text.language import AUTO, unsettled

Stem = Callable[[str], str]

_NLTK_PORTER = "nltk.stem.porter"

# What the first step of the algorithm turns into "…bli" or "…logi".
_CHANGED = re.compile(r"(?P<stem>.*)(?P<end>bl|log)(?:[iy](?:s|eds?|ings?)?|ies)")
_CHANGED_TO = {"bl": "ble", "log": "log"}
# A doubled letter before "ed" or "ing", other than those that Snowball's program knows of.
_DOUBLED = re.compile(r"(?P<stem>.*(?P<twice>[^aeioulszbdfgmnprt])(?P=twice))(?:ed|ing)s?")
MODES: Mapping[str, str] = {
    "nltk": "NLTK_EXTENSIONS",
    "martin": "MARTIN_EXTENSIONS",
    "original": "ORIGINAL_ALGORITHM",
}
"""Names of the variants, and what NLTK calls them."""


@cache
def optional_module(part: str, extra: str, name: str) -> Any:
    """A module of a package that an extra of sdtext brings. OptionError where it is missing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        what = f"{part}: the package {package} is missing; pip install 'sdtext[{extra}]' brings it"
        raise OptionError(what) from error


@cache
def nltk_stemmer(part: str, extra: str, module: str, name: str, *options: str) -> Stem:
    """The stemmer of nltk of that name, for a part."""
    stem: Stem = getattr(optional_module(part, extra, module), name)(*options).stem
    return stem


@dataclass(frozen=True)
class Porter(Filter):
    """Martin Porter's stemmer for English, by his own definition.

    It is the algorithm of 1980 (Program 14, 130-137) with the three departures of its author's
    programs: words of one or two letters stay as they are, "bli" gives "ble" in place of "abli"
    "able", and "logi" gives "log". It runs the implementation of the Snowball project, which has
    none of these departures and reduces only some double letters ("occed"); where that matters,
    the word is first changed as step 1 of the algorithm should leave it.

    >>> stem = Porter()
    >>> [stem(word) for word in ["possibly", "analogies", "constitutional", "as"]]
    ['possibl', 'analog', 'constitut', 'as']
    """

    libraries: ClassVar[tuple[str, ...]] = ("PyStemmer",)

    def __call__(self, word: str) -> str:
        if len(word) <= 2:
            return word
        return _stemmer("porter")(_after_departures(word))


def _after_departures(word: str) -> str:
    """`word`, or what must be stemmed in its place."""
    if word.endswith(("ed", "ing", "eds", "ings")) and (match := _DOUBLED.fullmatch(word)):
        shape = _shape(match["stem"])
        if "v" in shape and shape.endswith("c"):
            word = match["stem"][:-1]
    if "bl" in word or "log" in word:
        match = _CHANGED.fullmatch(word)
        if match and "vc" in _shape(match["stem"]):  # a measure above 0
            return match["stem"] + _CHANGED_TO[match["end"]]
    return word


@dataclass(frozen=True)
class Snowball(Filter):
    """The Snowball project's stemmer for a `language`.

    The language `auto` is that of each document; words of one without a stemmer stay unchanged.

    >>> Snowball(language="german")("häuser")
    'haus'
    """

    language: str
    libraries: ClassVar[tuple[str, ...]] = ("PyStemmer",)

    def __post_init__(self) -> None:
        OptionError.unless_in((*self.languages(), AUTO), "snowball", "language", self.language)

    @staticmethod
    def languages() -> list[str]:
        """The languages that have a stemmer, and the variants porter and dutch_porter."""
        import Stemmer

        return list(Stemmer.algorithms())

    def __call__(self, word: str) -> str:
        if self.language == AUTO:
            raise unsettled("snowball")
        return _stemmer(self.language)(word)


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return stem


def _shape(stem: str) -> str:
    """A "v" for each vowel and a "c" for each consonant; y is a vowel behind a consonant."""
    shape = ""
    for char in stem:
        vowel = char in "aeiou" or (char == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


@dataclass(frozen=True)
class NltkPorter(Filter):
    """Porter's stemmer for English as in NLTK, in one of its three modes.

    The `mode` is "nltk" (NLTK's default, with irregular forms and further rules), "martin" (with
    the departures of Porter's own programs, as `porter`) or "original" (the algorithm of 1980).
    The package is in the extra `nltk`.

    >>> [NltkPorter(mode)("flies") for mode in ("nltk", "martin", "original")]
    ['fli', 'fli', 'fli']
    >>> [NltkPorter(mode)("dying") for mode in ("nltk", "martin", "original")]
    ['die', 'dy', 'dy']
    """

    mode: Annotated[str, MODES] = "nltk"
    libraries: ClassVar[tuple[str, ...]] = ("nltk",)

    def __post_init__(self) -> None:
        optional_module("nltk-porter", "nltk", _NLTK_PORTER)

    def __call__(self, word: str) -> str:
        mode = MODES[self.mode]
        return nltk_stemmer("nltk-porter", "nltk", _NLTK_PORTER, "PorterStemmer", mode)(word)
