"""The scores of many pairs at once: by the formulas of the matchers, over arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from math import exp, lgamma, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.model import PartSpec, Similarity
from sdtext.parts.catalogue import build

Numbers = NDArray[Any]

_NEAR = 1e-6  # in points of the score; floats are far more exact, so integers decide in between
_MISS = 1e-6


def _cosine(common: Numbers, left: Numbers, right: Numbers) -> Numbers:
    return np.asarray(np.sqrt(common * common / (left * right)))


def _overlap(common: Numbers, left: Numbers, right: Numbers) -> Numbers:
    return np.asarray(common / np.minimum(left, right))


_FORMULAS: Mapping[str, Callable[[Numbers, Numbers, Numbers], Numbers]] = {
    "jaccard": lambda common, left, right: common / (left + right - common),
    "dice": lambda common, left, right: 2 * common / (left + right),
    "containment": lambda common, left, right: common / left + 0 * right,
    "overlap": _overlap,
    "cosine": _cosine,
    "idf-cosine": _cosine,
    "exact": lambda common, left, right: ((common == left) & (common == right)) * 1.0,
}

_JACCARD: Mapping[str, Callable[[float], float]] = {
    "jaccard": lambda least: least,
    "dice": lambda least: least / (2 - least),
    "cosine": lambda least: least * least,
    "exact": lambda least: 1.0 + 0 * least,
}
"""The least Jaccard coefficient of two sets whose similarity is at least so much.

For the cosine c / √(ab) it is reached where one set lies in the other: c = a = s² · b.
"""


@dataclass(frozen=True, eq=False)
class Scores:
    """The score, 0 to 99, and the similarity of each pair."""

    score: NDArray[np.int64]
    similarity: NDArray[np.float64]

    def taken(self, places: NDArray[Any]) -> Scores:
        """Those at `places`, which are numbers or marks."""
        return Scores(self.score[places], self.similarity[places])


@dataclass(frozen=True)
class Scorer:
    """Scores pairs by their common part and their sizes, by a matcher of sets.

    >>> from numpy import array
    >>> Scorer(PartSpec("jaccard"))(array([30]), array([60]), array([60])).score.tolist()
    [33]
    """

    matcher: PartSpec

    @cached_property
    def part(self) -> Any:
        """The matcher itself."""
        return build("matchers", self.matcher)

    def __call__(self, common: Numbers, left: Numbers, right: Numbers) -> Scores:
        """The scores of pairs by whole numbers; no side is zero.

        Floats answer where they leave no doubt, else the matcher's integers.
        """

        def exact(place: int) -> Similarity:
            return self.exact(common[place], left[place], right[place])

        return settled(self.similarity(common, left, right), exact)

    def similarity(self, common: Numbers, left: Numbers, right: Numbers) -> NDArray[np.float64]:
        """The similarities, exact to some 12 digits."""
        columns = (np.asarray(one, np.float64) for one in (common, left, right))
        if formula := _FORMULAS.get(self.matcher.name):
            return np.asarray(formula(*columns), np.float64)
        rows = zip(*(one.tolist() for one in (common, left, right)), strict=True)
        return np.fromiter((float(self.part(*row)) for row in rows), np.float64)

    def exact(self, common: Any, left: Any, right: Any) -> Similarity:
        """The similarity of one pair by whole numbers alone."""
        similarity: Similarity = self.part(int(common), int(left), int(right))
        return similarity

    def of_estimates(self, jaccard: Numbers) -> Scores:
        """The scores of pairs whose Jaccard coefficients are estimated, by jaccard or dice."""
        # As sets of which one is the common part; an estimate without bias may be below zero.
        share = np.maximum(jaccard, 0.0)
        similarity = self.similarity(share, share, np.ones_like(share))
        score = np.minimum(99, np.floor(100 * similarity + _NEAR))
        return Scores(score.astype(np.int64), similarity)

    def can_reach(self, minimum: int, left: Numbers, right: Numbers) -> NDArray[np.bool_]:
        """Which pairs of such sizes may score `minimum`: no more than the smaller is common."""
        most = self.similarity(np.minimum(left, right), left, right)
        return np.asarray(100 * most >= minimum - _NEAR)

    def jaccard(self, minimum: int) -> float | None:
        """The least Jaccard coefficient of two sets that score `minimum`; None if there is none."""
        convert = _JACCARD.get(self.matcher.name)
        return None if convert is None else convert(minimum / 100)


def settled(similarity: NDArray[np.float64], exact: Callable[[int], Similarity]) -> Scores:
    """The scores of similarities that are exact to 8 digits at the least.

    `exact` gives the similarity of the pair at a place; it decides where floats leave a doubt.
    """
    points = 100 * similarity
    score = np.minimum(99, np.floor(points)).astype(np.int64)
    for place in np.flatnonzero(np.abs(points - np.rint(points)) < _NEAR).tolist():
        certain = exact(place)
        score[place], similarity[place] = certain.score, float(certain)
    return Scores(score, similarity)


@cache
def least_agreeing(slots: int, jaccard: float) -> int:
    """How many slots of two sketches agree at least when their sets are that much alike.

    Fewer agree once in a million times: the number of slots that do is binomial (and that of
    Fast Similarity Sketching closer to its mean).

    >>> least_agreeing(128, 0.8)
    79
    """
    if not 0 < jaccard < 1:
        return 0 if jaccard <= 0 else slots
    whole, total, number = lgamma(slots + 1), 0.0, -1
    while total <= _MISS and number < slots:
        number += 1
        ways = whole - lgamma(number + 1) - lgamma(slots - number + 1)
        total += exp(ways + number * log(jaccard) + (slots - number) * log1p(-jaccard))
    return number
