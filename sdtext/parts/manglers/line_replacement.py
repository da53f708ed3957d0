"""Manglers that replace lines by lines of other documents."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdtext.parts.manglers import Mangler, check_share, checked_others
from sdtext.parts.manglers.pieces import Pieces, pieces_of

_TRIES = 20  # documents drawn for one that has a line


def random_piece(unit: str, draw: random.Random, others: Sequence[str]) -> str:
    """A random word, line or sentence of a random document; "" if those drawn have none."""
    for _ in range(_TRIES):
        if pieces := pieces_of(unit, draw.choice(others)):
            return draw.choice(pieces)
    return ""


@dataclass(frozen=True)
class KeepLines(Mangler):
    r"""Keep each line with probability `share`, else put a random line of a random other document.

    E. Celozzi, L. Ciabini: Finding similar document (section 7.2). Empty lines stay.

    >>> KeepLines(share=0.5)("Bees dance.\nAnts dig.\n", random.Random(1), ["Owls hunt."])
    'Bees dance.\nOwls hunt.\n'
    """

    share: float = 0.5
    needs_others: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_share("keep-lines", self.share)

    @property
    def related(self) -> bool:
        return self.share > 0

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        others = checked_others("keep-lines", others)
        lines = Pieces.of("lines", text)
        return lines.with_texts(
            line if draw.random() < self.share else random_piece("lines", draw, others)
            for line in lines.texts
        ).text
