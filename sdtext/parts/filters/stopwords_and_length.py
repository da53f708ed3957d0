"""Filters that drop words: by a list of stop words, by length."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from sdtext.errors import OptionError
from sdtext.parts.filters import Filter
from sdtext.parts.option_values import Within
from sdtext.text.language import AUTO, unsettled

_LISTS = Path(__file__).with_name("stopwords")


@dataclass(frozen=True)
class StopWords(Filter):
    """Drop the words of a list: of a `file` (one word a line), a `language`, or `words`.

    Give exactly one of the three. With `short`, only the 20 to 50 most frequent words of the
    language are dropped, which suits the search for passages. When a recipe is loaded, the file or
    list is read and its words become part of the recipe. `auto` is the language of each document.
    Words are compared as they are, so place the filter after `lowercase`.

    >>> keep = StopWords(language="english")
    >>> keep("the"), keep("constitution")
    ('', 'constitution')
    """

    file: str = ""
    language: str = ""
    words: tuple[str, ...] = ()
    short: bool = False

    def __post_init__(self) -> None:
        given = [bool(self.file), bool(self.language), bool(self.words)]
        if sum(given) != 1:
            raise OptionError("stop-words: give one of file, language and words")
        if self.short and not self.language:
            raise OptionError("stop-words: short is for the list of a language; name one")
        if self.language not in ("", AUTO):
            shipped_list(self.language, short=self.short)

    @staticmethod
    def languages() -> Sequence[str]:
        return languages()

    def __call__(self, word: str) -> str:
        return "" if word in self._listed else word

    @cached_property
    def _listed(self) -> Set[str]:
        if self.file:
            raise OptionError("stop-words: a file is read by the recipe that names it")
        if self.language == AUTO:
            raise unsettled("stop-words")
        return frozenset(self.words or shipped_list(self.language, short=self.short))


@cache
def languages() -> tuple[str, ...]:
    """The languages with a bundled list, in alphabetical order."""
    return tuple(sorted(path.stem for path in _LISTS.glob("*.txt")))


def shipped_list(language: str, *, short: bool = False) -> tuple[str, ...]:
    """The words of the list for `language`, or of the `short` one, in code-point order.

    >>> len(shipped_list("english")), len(shipped_list("english", short=True))
    (174, 33)
    """
    OptionError.unless_in((*languages(), AUTO), "stop-words", "language", language)
    text = (_LISTS / ("short" if short else "") / f"{language}.txt").read_text("utf-8")
    return tuple(sorted(text.split()))


@dataclass(frozen=True)
class MinLength(Filter):
    """Drop words of fewer than `length` characters.

    >>> keep = MinLength(length=3)
    >>> keep("of"), keep("the")
    ('', 'the')
    """

    length: Annotated[int, Within(1)]

    def __call__(self, word: str) -> str:
        return word if len(word) >= self.length else ""


@dataclass(frozen=True)
class MaxLength(Filter):
    """Drop words of more than `length` characters.

    >>> keep = MaxLength(length=3)
    >>> keep("the"), keep("them")
    ('the', '')
    """

    length: Annotated[int, Within(1)]

    def __call__(self, word: str) -> str:
        return word if len(word) <= self.length else ""
