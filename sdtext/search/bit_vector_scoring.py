"""Scores of bit vectors: exactly of two, and of many with many by arrays.

Sums of the weights of common bits are exact and then rounded once to floats of 64 bits; where these
leave a score uncertain, the matcher's whole numbers decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.packed_bits import both, weight_sum, weight_sums
from sdtext.model import Match, PartSpec, Problem, Similarity, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.matchers.surprise import SurpriseOver
from sdtext.parts.registry import build
from sdtext.search.candidates.buckets import Rows
from sdtext.search.scoring import Scorer, Scores, exact_scores
from sdtext.wording import counted

NOT_COMPARABLE = -1
"""Stands for the score of two vectors, or documents, that are not comparable."""
ScoreMatrix = NDArray[np.int16]
"""Scores of 0 to 99, or `NOT_COMPARABLE`."""

_CELLS = 1 << 22  # of a matrix
_ONE = Similarity(1, 1)
_NEAR = 1e-6  # in points of the score
_TOTALS = 1 << 14  # vectors whose sums of weights are cached: about as many as a part has


@dataclass(frozen=True)
class Weighting:
    """A scorer of bit vectors with the weight of each bit: 1 where `numbers` is None.

    Vectors with fewer than `least` bits are similar only if they are equal, and segments with fewer
    than `min_terms` not even then.
    """

    scorer: Scorer
    numbers: tuple[int, ...] | None
    over: SurpriseOver | None = None
    """What compares vectors, where the matcher is not one of sets."""
    min_terms: int = MIN_TERMS
    least: int = MIN_TERMS

    @classmethod
    def of(
        cls, matcher: PartSpec, dictionary: Dictionary | None, min_terms: int = MIN_TERMS
    ) -> Weighting:
        """The weighting by a matcher. MismatchError if it needs a dictionary and there is none."""
        part = build("matchers", matcher)
        scorer = Scorer(matcher)
        numbers = scorer.part.weights(dictionary)
        over = part.over(dictionary) if part.compares == "vectors" else None
        least = max(min_terms, getattr(part, "least_terms", 0))
        return cls(scorer, None if numbers is None else tuple(numbers), over, min_terms, least)

    @property
    def symmetric(self) -> bool:
        """Whether left and right can change places."""
        return self.scorer.part.symmetric

    @cached_property
    def exact(self) -> NDArray[np.uint64] | None:
        """The weights as whole numbers."""
        return None if self.numbers is None else np.array(self.numbers, np.uint64)

    def total(self, packed: bytes) -> int:
        """The exact sum of the weights of a packed vector."""
        if self.exact is None:
            return int.from_bytes(packed, "little").bit_count()
        return weight_sum(packed, self.exact)

    @cached_property
    def total_of(self) -> Callable[[bytes], int]:
        """The `total` of vectors that are compared with many others, cached for some."""
        return lru_cache(_TOTALS)(self.total)

    @cached_property
    def floats(self) -> NDArray[np.float64] | None:
        """The weights as floats."""
        return None if self.numbers is None else np.array(self.numbers, np.float64)

    def sums(self, packed: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The sum of the weights of each row, rounded once: it depends on the row alone."""
        if self.exact is None:
            return bit_counts(packed).astype(np.float64)
        return weight_sums(packed, self.exact)

    def equal(self, common: Any, left: Any, right: Any) -> NDArray[Any]:
        """Which vectors score as equal ones, by the numbers of bits in common and of each."""
        equal = (common == left) & (common == right) & (common > 0) & self.symmetric
        return np.asarray(equal)

    def comparable(self, counts: Any, sums: Any) -> NDArray[np.bool_]:
        """Which vectors have a score with others than equal ones: they have enough bits and weight.

        Given are the numbers of their bits and the sums of their weights.
        """
        return np.asarray((counts >= self.least) & (sums > 0))

    def similarity(self, left: bytes, right: bytes) -> Similarity:
        """The similarity of two packed vectors by whole numbers."""
        common = self.total(both(left, right))
        if self.over:
            return self.over.similarity(common, left, right)
        return self.scorer.exact(common, self.total_of(left), self.total_of(right))

    def match(self, left: Vector, right: Vector, places: tuple[int, int] = (0, 0)) -> Match:
        """The exact similarity of two vectors, or the problem why they have none."""
        common = (left.number & right.number).bit_count()
        counts = (common, left.count, right.count)
        segments = left.place, right.place
        equal_from = max(1, self.min_terms) if any(segments) else 1
        if self.symmetric and left.packed == right.packed and left.count >= equal_from:
            return Match(_ONE, *counts, None, places, segments)
        if min(counts[1:]) < self.least:
            return Match(None, *counts, self.few_terms(min(counts[1:])), places, segments)
        if not (self.total_of(left.packed) and self.total_of(right.packed)):
            problem = Problem("warning", "no-weight", "all terms of one side have weight 0")
            return Match(None, *counts, problem, places, segments)
        similarity = self.similarity(left.packed, right.packed)
        return Match(similarity, *counts, None, places, segments)

    def few_terms(self, number: int | None = None) -> Problem:
        """Why a vector of so few set bits is not comparable."""
        why = " (min_terms)" if self.least == self.min_terms else f" for {self.scorer.matcher}"
        has = "few terms" if number is None else f"only {counted(number, 'term')}"
        message = f"{has} of the dictionary on one side; at least {self.least} are needed{why}"
        return Problem("warning", "too-few-terms", message)


@dataclass(frozen=True, eq=False)
class Vectors:
    """Packed bit vectors, a row each, with the number of their bits and the sum of weights.

    `placed` marks those of segments; None where none is.
    """

    packed: NDArray[np.uint8]
    counts: NDArray[np.int64]
    sums: NDArray[np.float64]
    placed: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        packed: NDArray[np.uint8],
        weighting: Weighting,
        placed: NDArray[np.bool_] | None = None,
    ) -> Vectors:
        """The vectors with their sums of weights."""
        counts = bit_counts(packed)
        sums = counts.astype(float) if weighting.exact is None else weighting.sums(packed)
        return cls(packed, counts, sums, placed if placed is not None and placed.any() else None)

    @classmethod
    def of_fingerprint(cls, vectors: list[Vector], weighting: Weighting) -> Vectors:
        """Those of a fingerprint."""
        joined = b"".join(vector.packed for vector in vectors)
        packed = np.frombuffer(joined, np.uint8).reshape(len(vectors), -1)
        placed = np.array([vector.place is not None for vector in vectors], bool)
        return cls.of(packed, weighting, placed)

    def __len__(self) -> int:
        return len(self.packed)

    def take(self, places: Any) -> Vectors:
        """The rows at `places`: a range, numbers or marks."""
        placed = None if self.placed is None else self.placed[places]
        return Vectors(self.packed[places], self.counts[places], self.sums[places], placed)


def similar_vectors(
    left: Vectors, right: Vectors, weighting: Weighting, minimum: int
) -> tuple[Rows, Rows, Scores]:
    """The pairs of a left and a right vector that score `minimum`, by their places.

    The rules are those of `Weighting.match`; pairs that have nothing in common are left out.
    """
    ones = np.ones(8 * left.packed.shape[1], np.uint64)
    common = _products(left, right, ones if weighting.exact is None else weighting.exact)
    near = common > 0
    if len(left) == 1:  # equal ones are rare: the bits of those of one size are compared
        equal = np.zeros(common.shape, bool)
        here = np.flatnonzero((right.counts == left.counts[0]) & (right.counts > 0))
        equal[0, here] = (right.packed[here] == left.packed[0]).all(1)
    else:
        counts = common if weighting.exact is None else _products(left, right, ones)
        equal = weighting.equal(counts, left.counts[:, None], right.counts)
    equal &= weighting.symmetric
    for side, axis in ((left, 1), (right, 0)):
        if side.placed is not None:
            is_whole = (side.counts >= weighting.min_terms) | ~side.placed
            equal &= np.expand_dims(is_whole, axis)
    near &= weighting.comparable(left.counts, left.sums)[:, None]
    near &= weighting.comparable(right.counts, right.sums)
    rows, columns = np.nonzero(equal | near)
    same = equal[rows, columns]
    similarity = np.ones(len(rows))
    pairs = rows[~same], columns[~same]
    if weighting.over:
        compared = weighting.over.similarities(common, left.packed, right.packed)
        similarity[~same] = compared[pairs]
    else:
        sums = left.sums[pairs[0]], right.sums[pairs[1]]
        similarity[~same] = weighting.scorer.similarity(common[pairs], *sums)
    above = np.flatnonzero(100 * similarity >= minimum - _NEAR)
    pairs = rows[above], columns[above]
    return _scored((left, right), pairs, same[above], similarity[above], (weighting, minimum))


def scored_pairs(
    sides: tuple[Vectors, Vectors], pairs: tuple[Rows, Rows], weighting: Weighting, minimum: int
) -> tuple[Rows, Rows, Scores]:
    """Those of some pairs, by their places, that score `minimum`, as in `similar_vectors`.

    The similarity depends on the two vectors alone, to the last digit: sums of weights are rounded
    once. The matcher has to be one of sets.
    """
    left = sides[0].packed
    step = rows_at_once(left if len(left) > 1 else left[:, : np.count_nonzero(left)])
    starts = range(0, len(pairs[0]) or 1, step)
    parts = [
        _scored_some(sides, (pairs[0][here], pairs[1][here]), weighting, minimum)
        for here in (slice(start, start + step) for start in starts)
    ]
    joined = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
    rows, columns, score, similarity = joined
    return rows, columns, Scores(score, similarity)


def _scored_some(
    sides: tuple[Vectors, Vectors], pairs: tuple[Rows, Rows], weighting: Weighting, minimum: int
) -> tuple[NDArray[Any], ...]:
    (left, right), (rows, columns), exact = sides, pairs, weighting.exact
    together = left.packed[rows] & right.packed[columns]
    counts, lefts, rights = bit_counts(together), left.counts[rows], right.counts[columns]
    same = weighting.equal(counts, lefts, rights)
    for side, places in ((left, rows), (right, columns)):
        if side.placed is not None:
            same &= (counts >= weighting.min_terms) | ~side.placed[places]
    common = counts if exact is None else weight_sums(together, exact)
    kept = same | weighting.comparable(np.minimum(lefts, rights), common)
    pairs_and_sums: tuple[NDArray[Any], ...] = rows, columns, same, common
    rows, columns, same, common = (each[kept] for each in pairs_and_sums)
    similarity = np.ones(len(rows))
    sums = left.sums[rows[~same]], right.sums[columns[~same]]
    similarity[~same] = weighting.scorer.similarity(common[~same], *sums)
    result = _scored(sides, (rows, columns), same, similarity, (weighting, minimum))
    return result[0], result[1], result[2].score, result[2].similarity


def _scored(
    sides: tuple[Vectors, Vectors],
    pairs: tuple[Rows, Rows],
    same: NDArray[np.bool_],
    similarity: NDArray[np.float64],
    asked: tuple[Weighting, int],
) -> tuple[Rows, Rows, Scores]:
    """The pairs of such similarities that score the minimum; some of them are of `same` vectors."""
    (left, right), (rows, columns), (weighting, minimum) = sides, pairs, asked

    def exact(place: int) -> Similarity:
        first, second = left.packed[rows[place]], right.packed[columns[place]]
        return _ONE if same[place] else weighting.similarity(first.tobytes(), second.tobytes())

    scores = exact_scores(similarity, exact)
    kept = scores.score >= minimum
    return rows[kept], columns[kept], scores.take(kept)


def _products(left: Vectors, right: Vectors, weights: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The weights of the bits that each left vector has in common with each right one."""
    products = np.empty((len(left), len(right)))
    step = rows_at_once(right.packed)
    for start in range(0, len(right), step):
        block = right.packed[start : start + step]
        for place, row in enumerate(left.packed):
            products[place, start : start + step] = weight_sums(row & block, weights)
    return products


def bit_counts(packed: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The number of bits of each row."""
    if packed.shape[1] % 8 == 0 and packed.flags.c_contiguous:
        packed = packed.view(np.uint64)
    return np.asarray(np.bitwise_count(packed).sum(axis=1, dtype=np.uint32), np.int64)


def rows_at_once(packed: NDArray[np.uint8]) -> int:
    """The number of rows for a matrix of a good size."""
    return max(1, _CELLS // max(1, 8 * int(packed.shape[1])))
