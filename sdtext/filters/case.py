"""Filters that take away the difference between capital and small letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Lowercase:
    """Small letters for capital ones.

    >>> Lowercase()("Straße")
    'straße'
    """

    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        return word.lower()


@dataclass(frozen=True)
class Casefold:
    """Unicode's full case folding, which makes more words equal than small letters do.

    >>> Casefold()("Straße")
    'strasse'
    """

    characterwise: ClassVar[bool] = True

    def __call__(self, word: str) -> str:
        return word.casefold()
