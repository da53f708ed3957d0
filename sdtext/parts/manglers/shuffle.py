"""Shuffling: the same words, lines or sentences in another order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from sdtext.errors import OptionError
from sdtext.parts.manglers import Mangler, check_choice
from sdtext.parts.manglers.pieces import SPANS, Pieces


@dataclass(frozen=True)
class Shuffle(Mangler):
    """Shuffle the words of a text, or its lines or sentences (`of`), all or in groups.

    C. Bergillos, A. Rambla, A. Cabeza (section 9.2) shuffle words. White space stays in its place.
    With `group`, each run of so many is shuffled for itself; 0 stands for all.

    >>> Shuffle()("Bees dance. Ants dig.", random.Random(1), [])
    'dig. Bees Ants dance.'
    """

    of: str = "words"
    group: int = 0

    def __post_init__(self) -> None:
        check_choice("shuffle", "of", self.of, SPANS)
        if self.group < 0:
            raise OptionError.of("shuffle", "group", self.group, "2 or more, or 0 for all")

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        pieces = Pieces.of(self.of, text)
        size = self.group or max(1, len(pieces.texts))
        shuffled: list[str] = []
        for start in range(0, len(pieces.texts), size):
            group = list(pieces.texts[start : start + size])
            draw.shuffle(group)
            shuffled += group
        return pieces.with_texts(shuffled).text
