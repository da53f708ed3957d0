"""Similarity of the words that two readers extract from a file: F1 of the bags of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class WordOverlap:
    """The words that both readers extract from the file at `path`."""

    path: Path
    ours: Counter[str]
    theirs: Counter[str]

    @property
    def sums(self) -> tuple[int, int]:
        """Twice the words in common; the words of both."""
        return 2 * (self.ours & self.theirs).total(), self.ours.total() + self.theirs.total()

    @property
    def score(self) -> float:
        """F1."""
        return pooled([self])


def pooled(overlaps: Iterable[WordOverlap]) -> float:
    """F1 of all words of all files."""
    common, total = map(sum, zip(*(overlap.sums for overlap in overlaps), strict=True))
    return common / total if total else 1.0


def words(text: str) -> Counter[str]:
    """The bag of words, each of two letters or more."""
    return Counter(_WORD.findall(text))
