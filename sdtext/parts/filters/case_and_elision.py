"""Case folding filters, and the filter that removes elided articles."""

import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar
from unicodedata import normalize

from sdtext.errors import OptionError
from sdtext.parts.filters import Filter
from sdtext.text.language import AUTO, names, unsettled

_ACCENTS = re.compile("(?<=[\u0370-\u03ff])[\u0300-\u036f]+")  # behind a Greek letter
# The elided words before the apostrophe, as in Lucene's analyzers of these languages.
_ARTICLES = {
    "catalan": "d l m n s t",
    "french": "c d j jusqu l lorsqu m n puisqu qu quoiqu s t",
    "irish": "b d m",
    "italian": "agl all c coll d dagl dall degl dell gl l m negl nell pell s sugl sull t un v",
}
_APOSTROPHE = re.compile("['’ʼ＇]")


@dataclass(frozen=True)
class Lowercase(Filter):
    """Lowercase, by the rules of the `language`.

    Without a language, and for most languages, Unicode's rules apply. In Turkish and Azerbaijani I
    becomes ı and İ becomes i; in Greek accents are removed, too, and every sigma becomes σ; in
    Irish an n or t before a capital vowel is removed. `auto` is the language of each document.

    >>> Lowercase()("Straße"), Lowercase(language="turkish")("IŞIK")
    ('straße', 'ışık')
    >>> Lowercase(language="greek")("Λόγος"), Lowercase(language="irish")("nÉireannach")
    ('λογοσ', 'éireannach')
    """

    language: str = ""

    def __post_init__(self) -> None:
        OptionError.unless_in((*self.languages(), AUTO), "lowercase", "language", self.language)

    @staticmethod
    def languages() -> list[str]:
        """The languages that can be detected; "" for any other."""
        return ["", *names()]

    @property
    def characterwise(self) -> bool:
        """Whether each ASCII character is treated on its own."""
        return not self.language

    def __call__(self, word: str) -> str:
        if self.language == AUTO:
            raise unsettled("lowercase")
        return _RULES.get(self.language, str.lower)(word)


@dataclass(frozen=True)
class Casefold(Filter):
    """Unicode's full case folding, which conflates more words than lowercase.

    >>> Casefold()("Straße")
    'strasse'
    """

    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        return word.casefold()


def _turkish(word: str) -> str:
    return word.replace("İ", "i").replace("I", "ı").lower()


def _greek(word: str) -> str:
    plain = _ACCENTS.sub("", normalize("NFD", word.lower()))
    return normalize("NFC", plain).replace("ς", "σ")


def _irish(word: str) -> str:
    # In small letters the hyphen of "n-athair" stands for what the capital says in "nAthair".
    mutated = word[:1] in ("n", "t") and word[1:2] in tuple("AEIOUÁÉÍÓÚ")
    return (word[1:] if mutated else word).lower()


_RULES: Mapping[str, Callable[[str], str]] = {
    "azerbaijani": _turkish,
    "greek": _greek,
    "irish": _irish,
    "turkish": _turkish,
}


@dataclass(frozen=True)
class SimpleLowercase(Filter):
    """Lowercase character by character, without regard to context, as in Lucene.

    It differs from `lowercase` in İ, which becomes i without a combining dot, and in a final sigma.

    >>> SimpleLowercase()("İSTANBUL"), SimpleLowercase()("ΛΟΓΟΣ")
    ('istanbul', 'λογοσ')
    """

    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        if not word.isascii():
            # The only letters that Python treats in another way.
            word = word.replace("İ", "i").replace("Σ", "σ")
        return word.lower()


@dataclass(frozen=True)
class Elision(Filter):
    """The word without an elided article or pronoun: "l'arbre" becomes "arbre".

    The articles are those of a `language` (catalan, french, irish, italian, or `auto` for that of
    each document) or `articles`; give exactly one of the two. Words must be in lowercase.

    >>> part = Elision(language="french")
    >>> part("l'homme"), part("qu’il"), part("aujourd'hui")
    ('homme', 'il', "aujourd'hui")
    """

    language: str = ""
    articles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.language) == bool(self.articles):
            raise OptionError("elision: give one of language and articles")
        OptionError.unless_in(("", *_ARTICLES, AUTO), "elision", "language", self.language)

    @staticmethod
    def languages() -> list[str]:
        return list(_ARTICLES)

    def __call__(self, word: str) -> str:
        articles = self._articles
        article, *rest = _APOSTROPHE.split(word, maxsplit=1)
        return rest[0] if rest and article in articles else word

    @cached_property
    def _articles(self) -> Set[str]:
        if self.language == AUTO:
            raise unsettled("elision")
        return frozenset(self.articles or _ARTICLES[self.language].split())
