"""NLTK's variants of Martin Porter's stemmer (the extra `nltk`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from sdtext.errors import OptionError
from sdtext.parts.filters import Filter

MODES: Mapping[str, str] = {
    "nltk": "NLTK_EXTENSIONS",
    "martin": "MARTIN_EXTENSIONS",
    "original": "ORIGINAL_ALGORITHM",
}
"""Names of the variants, and what NLTK calls them."""


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

    mode: str = "nltk"
    libraries: ClassVar[tuple[str, ...]] = ("nltk",)

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise OptionError.of("nltk-porter", "mode", self.mode, f"one of {', '.join(MODES)}")
        _stemmer(self.mode)

    def __call__(self, word: str) -> str:
        return _stemmer(self.mode)(word)


@cache
def _stemmer(mode: str) -> Callable[[str], str]:
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError as error:
        raise OptionError(
            "nltk-porter: the package nltk is missing; pip install 'sdtext[nltk]' brings it"
        ) from error
    stem: Callable[[str], str] = PorterStemmer(MODES[mode]).stem
    return stem
