"""Filter that removes elided articles (l', d', dell')."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property

from sdtext.errors import OptionError
from sdtext.parts.filters import Filter
from sdtext.text.language import AUTO, unsettled

# The elided words before the apostrophe, as in Lucene's analyzers of these languages.
_ARTICLES = {
    "catalan": "d l m n s t",
    "french": "c d j jusqu l lorsqu m n puisqu qu quoiqu s t",
    "irish": "b d m",
    "italian": "agl all c coll d dagl dall degl dell gl l m negl nell pell s sugl sull t un v",
}
_APOSTROPHE = re.compile("['’ʼ＇]")


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
        if self.language not in ("", AUTO, *_ARTICLES):
            wanted = f"one of {', '.join(_ARTICLES)}, or {AUTO}"
            raise OptionError.of("elision", "language", self.language, wanted)

    @staticmethod
    def languages() -> list[str]:
        """The languages whose articles are known."""
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
