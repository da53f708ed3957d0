"""Scores of many pairs at once, by the array formulas of the matchers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import exp, lgamma, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.model import PartSpec, Similarity
from sdtext.parts.catalogue import build
from sdtext.parts.matchers import SetMatcher, with_defaults

Numbers = NDArray[Any]

_NEAR = 1e-6  # in points of the score; floats are far more exact, so integers decide in between
_MISS = 1e-6
_WHOLE = 2.0**30  # size of the sets that stand for an estimate: a power of two rounds nothing


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
    def part(self) -> SetMatcher:
        """The matcher itself."""
        return with_defaults(build("matchers", self.matcher))

    def __call__(self, common: Numbers, left: Numbers, right: Numbers) -> Scores:
        """The scores of pairs by whole numbers; no side is zero.

        Floats answer where they leave no doubt, else the matcher's integers.
        """

        def exact(place: int) -> Similarity:
            return self.exact(common[place], left[place], right[place])

        return settled(self.similarity(common, left, right), exact)

    def similarity(self, common: Numbers, left: Numbers, right: Numbers) -> NDArray[np.float64]:
        """The similarities, exact to some 12 digits."""
        columns = (np.asarray(side, np.float64) for side in (common, left, right))
        return self.part.similarities(*columns)

    def exact(self, common: Any, left: Any, right: Any) -> Similarity:
        """The similarity of one pair by whole numbers alone."""
        return self.part(int(common), int(left), int(right))

    def of_estimates(self, jaccard: Numbers) -> Scores:
        """The scores of pairs whose Jaccard similarities are estimated.

        The matcher has to be one `is_of_jaccard`.
        """
        # As sets of which one is the common part; an estimate without bias may be below zero.
        share = np.maximum(jaccard, 0.0) * _WHOLE
        similarity = self.similarity(share, share, np.full_like(share, _WHOLE))
        score = np.minimum(99, np.floor(100 * similarity + _NEAR))
        return Scores(score.astype(np.int64), similarity)

    def can_reach(self, minimum: int, left: Numbers, right: Numbers) -> NDArray[np.bool_]:
        """Which pairs of such sizes may score `minimum`: no more than the smaller is common."""
        most = self.similarity(np.minimum(left, right), left, right)
        return np.asarray(100 * most >= minimum - _NEAR)


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
