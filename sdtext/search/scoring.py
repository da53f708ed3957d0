"""Scores of many pairs at once: exact by the formulas of the matchers, or from sketches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import exp, lgamma, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.model import PartSpec, Similarity
from sdtext.parts.matchers import SetMatcher
from sdtext.parts.registry import build
from sdtext.search.candidates.buckets import Rows

Numbers = NDArray[Any]
Floats = NDArray[np.float64]

_NEAR = 1e-6  # in points of the score; floats are far more exact, so integers decide in between
_MISS = 1e-6
_WHOLE = 2.0**30  # size of the sets that stand for an estimate: a power of two rounds nothing


@dataclass(frozen=True, eq=False)
class Scores:
    """The score, 0 to 99, and the similarity of each pair.

    `refused` has the places of pairs that could not be compared, and the reasons; their score is 0.
    """

    score: NDArray[np.int64]
    similarity: Floats
    refused: Mapping[int, str] = field(default_factory=dict)

    def take(self, places: NDArray[Any]) -> Scores:
        """Those at `places`, which are numbers or marks."""
        return Scores(self.score[places], self.similarity[places])


@dataclass(frozen=True)
class Scorer:
    """Scores pairs by the sizes of their intersection and of both sets, by a matcher of sets.

    >>> from numpy import array
    >>> Scorer(PartSpec("jaccard"))(array([30]), array([60]), array([60])).score.tolist()
    [33]
    """

    matcher: PartSpec

    @cached_property
    def part(self) -> SetMatcher:
        """The matcher itself."""
        part: SetMatcher = build("matchers", self.matcher)
        return part

    def __call__(self, common: Numbers, left: Numbers, right: Numbers) -> Scores:
        """The exact scores of pairs, given by whole numbers; no side is zero.

        Floats are used where they are certain, else the matcher's integers.
        """

        def exact(place: int) -> Similarity:
            return self.exact(common[place], left[place], right[place])

        return exact_scores(self.similarity(common, left, right), exact)

    def similarity(self, common: Numbers, left: Numbers, right: Numbers) -> Floats:
        """The similarities, correct to some 12 digits."""
        columns = (np.asarray(side, np.float64) for side in (common, left, right))
        return self.part.similarities(*columns)

    def exact(self, common: Any, left: Any, right: Any) -> Similarity:
        """The similarity of one pair by whole numbers alone."""
        return self.part(int(common), int(left), int(right))

    def of_estimates(self, jaccard: Numbers) -> Scores:
        """The scores of pairs whose Jaccard similarities are estimated.

        The matcher has to be one `is_of_jaccard`.
        """
        # Sets of which one is the intersection; an unbiased estimate may be below zero.
        share = np.maximum(jaccard, 0.0) * _WHOLE
        similarity = self.similarity(share, share, np.full_like(share, _WHOLE))
        score = np.minimum(99, np.floor(100 * similarity + _NEAR))
        return Scores(score.astype(np.int64), similarity)

    def at_least(
        self, minimum: int, sizes: tuple[Numbers, Numbers, Numbers], top: int | None = None
    ) -> tuple[Rows, Scores]:
        """The places of the pairs that score `minimum`, and their scores.

        `sizes` are those of the intersections and of both sets. With `top` they are the best of
        these pairs: so many, and any that are equal to the best one beyond them.
        """
        common, left, right = sizes
        similarity = self.similarity(common, left, right)
        near = np.flatnonzero(similarity >= (minimum - _NEAR) / 100)
        if top is not None and len(near) > top + 1:
            next_best = np.partition(similarity[near], -top - 1)[-top - 1]
            near = near[similarity[near] >= next_best - _NEAR]

        def exact(place: int) -> Similarity:
            pair = near[place]
            return self.exact(common[pair], left[pair], right[pair])

        scores = exact_scores(similarity[near], exact)
        kept = scores.score >= minimum
        return near[kept], scores.take(kept)

    def can_reach(self, minimum: int, left: Numbers, right: Numbers) -> NDArray[np.bool_]:
        """Which pairs of these sizes can score `minimum`: at most the smaller set is common."""
        most = self.similarity(np.minimum(left, right), left, right)
        return np.asarray(100 * most >= minimum - _NEAR)


def exact_scores(similarity: Floats, exact: Callable[[int], Similarity]) -> Scores:
    """The scores of similarities that are correct to 8 digits or more.

    Where a float is too near a whole score, `exact` gives the similarity of the pair at a place.
    """
    points = 100 * similarity
    score = np.minimum(99, np.floor(points)).astype(np.int64)
    whole = np.rint(points)
    # None is below 0, so that what is near 0 scores 0 for certain.
    for place in np.flatnonzero((np.abs(points - whole) < _NEAR) & (whole > 0)).tolist():
        certain = exact(place)
        score[place], similarity[place] = certain.score, float(certain)
    return Scores(score, similarity)


@cache
def least_equal_slots(slots: int, jaccard: float) -> int:
    """The least number of equal slots in the sketches of two sets of that Jaccard similarity.

    Fewer are equal once in a million times: their number is binomial (and with Fast Similarity
    Sketching closer to its mean).

    >>> least_equal_slots(128, 0.8)
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
