"""Shuffling: the same words, lines or sentences in another order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from sdtext.errors import OptionError
from sdtext.parts.manglers import Mangler, check_choice, check_share
from sdtext.parts.manglers.pieces import SPANS, SplitText


@dataclass(frozen=True)
class Shuffle(Mangler):
    """Shuffle the words of a text, or its lines or sentences (`of`), all or a share, or in groups.

    C. Bergillos, A. Rambla, A. Cabeza (section 9.2) shuffle all words. White space stays in its
    place. With `share`, so many are drawn at random and shuffled among themselves; the rest stays.
    With `group`, each run of so many is shuffled for itself; 0 stands for one run of all.

    >>> Shuffle()("Bees dance. Ants dig.", random.Random(1), [])
    'Ants Bees dance. dig.'
    """

    of: str = "words"
    group: int = 0
    share: float = 1.0

    def __post_init__(self) -> None:
        check_choice("shuffle", "of", self.of, SPANS)
        if self.group < 0 or self.group == 1:
            raise OptionError.of("shuffle", "group", self.group, "2 or more, or 0 for all")
        check_share("shuffle", self.share)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        pieces = SplitText.of(self.of, text)
        count = len(pieces.texts)
        size = self.group or max(1, count)
        shuffled = list(pieces.texts)
        for start in range(0, count, size):
            group = range(start, min(start + size, count))
            places = draw.sample(group, round(self.share * len(group)))
            for place, origin in zip(places, sorted(places), strict=True):
                shuffled[place] = pieces.texts[origin]
        return pieces.with_texts(shuffled).text
