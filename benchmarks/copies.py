"""Edited copies of documents: lines are replaced by lines of others, as in the first paper.

E. Celozzi, L. Ciabini: Finding similar document (section 7.2). A line of the copy stays with the
probability `share`; else a document is drawn, and of that a line, which takes its place.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sdtext.parts.manglers import KeepLines

Lines = Sequence[str]


@dataclass(frozen=True)
class Copies:
    """Makes copies of documents out of `documents`, each a list of lines that are not empty."""

    documents: Sequence[Lines]
    chance: random.Random

    @cached_property
    def _texts(self) -> list[str]:
        return ["\n".join(lines) for lines in self.documents]

    def of(self, document: Lines, share: float) -> list[str]:
        """A copy that keeps about that share of the lines."""
        return KeepLines(share)("\n".join(document), self.chance, self._texts).split("\n")


def share_for(jaccard: float) -> float:
    """The share of lines to keep so that the shingles within them have that Jaccard similarity.

    Of n lines s·n are common, and both together have (2 - s)·n: J = s / (2 - s).
    """
    return 2 * jaccard / (1 + jaccard)


def collision_probability(jaccard: float, bands: int, rows: int) -> float:
    """The probability that a pair of that similarity shares a band: the papers' formula."""
    return 1 - (1 - jaccard**rows) ** bands
