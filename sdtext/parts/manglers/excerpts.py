"""Excerpts: the beginning of a text, or a fragment from anywhere in it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from sdtext.parts.manglers import Mangler, check_share
from sdtext.parts.manglers.pieces import SPANS


@dataclass(frozen=True)
class Truncate(Mangler):
    """Keep the first words of a text, a `share` of all, and one at least.

    >>> Truncate(share=0.5)("Bees dance in hives.", random.Random(1), [])
    'Bees dance'
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        check_share("truncate", self.share, zero=False)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        places = list(SPANS["words"](text))
        count = _count(self.share, len(places))
        return text[: places[count - 1][1]] if places else text


@dataclass(frozen=True)
class Fragment(Mangler):
    """Keep a run of words from anywhere in a text, a `share` of all, and one at least.

    >>> Fragment(share=0.5)("Bees dance in hives.", random.Random(1), [])
    'Bees dance'
    """

    share: float = 0.1

    def __post_init__(self) -> None:
        check_share("fragment", self.share, zero=False)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        return random_run(text, self.share, draw)


def random_run(text: str, share: float, draw: random.Random) -> str:
    """A run of words from a random place of a text; a text without words whole."""
    places = list(SPANS["words"](text))
    if not places:
        return text
    count = _count(share, len(places))
    first = draw.randrange(len(places) - count + 1)
    return text[places[first][0] : places[first + count - 1][1]]


def _count(share: float, words: int) -> int:
    return max(1, round(share * words))
