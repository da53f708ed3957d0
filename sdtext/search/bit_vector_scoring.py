"""Scores of bit vectors, as `Comparer` scores fingerprints, and the comparison of all with all.

Common bits are counted by products of matrices of 0 and 1. In floats of 32 bits these counts are
exact below 2**24; sums of weights are floats of 64 bits, and where these leave a score uncertain,
the matcher's whole numbers decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.packed_bits import Weights, both
from sdtext.model import Similarity
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.matchers import VectorComparison, VectorMatcher
from sdtext.search.candidates.buckets import Rows
from sdtext.search.scoring import Scorer, Scores, exact_scores
from sdtext.search.search_plan import SearchPlan

_CELLS = 1 << 22  # of a matrix
_ONE = Similarity(1, 1)
_NEAR = 1e-6  # in points of the score


@dataclass(frozen=True)
class Weighting:
    """A scorer of bit vectors with the weight of each bit: 1 where `numbers` is None."""

    scorer: Scorer
    numbers: tuple[int, ...] | None
    over: VectorComparison | None = None
    """What compares vectors, where the matcher is not one of sets."""

    @classmethod
    def of(cls, plan: SearchPlan) -> Weighting:
        """The weighting by the plan's matcher and dictionary."""
        numbers = plan.scorer.part.weights(plan.dictionary)
        over = plan.part.over(plan.dictionary) if isinstance(plan.part, VectorMatcher) else None
        return cls(plan.scorer, None if numbers is None else tuple(numbers), over)

    @property
    def symmetric(self) -> bool:
        """Whether left and right can change places."""
        return self.scorer.part.symmetric

    @cached_property
    def exact(self) -> Weights | None:
        """The weights as whole numbers."""
        return None if self.numbers is None else Weights.of(self.numbers)

    @cached_property
    def floats(self) -> NDArray[np.float64] | None:
        """The weights as floats."""
        return None if self.numbers is None else np.array(self.numbers, np.float64)

    def sums(self, packed: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The sum of the weights of each row, rounded once: it depends on the row alone."""
        if self.exact is None:
            return bit_counts(packed).astype(np.float64)
        parts = [self.exact.totals(block) for block in _blocks(packed)]
        return np.concatenate(parts or [np.empty(0)])

    def similarities(
        self, common: NDArray[Any], sides: tuple[Vectors, Vectors], pairs: tuple[Rows, Rows]
    ) -> NDArray[np.float64]:
        """The similarities of the pairs at some rows and columns of `common`, by floats."""
        left, right = sides
        if self.over:
            return self.over.similarities(common, left.packed, right.packed)[pairs]
        rows, columns = pairs
        return self.scorer.similarity(common[pairs], left.sums[rows], right.sums[columns])

    def similarity(self, first: NDArray[np.uint8], second: NDArray[np.uint8]) -> Similarity:
        """The similarity of two packed vectors by whole numbers."""
        left, right = first.tobytes(), second.tobytes()
        if self.exact is None:
            counts = (int.from_bytes(side, "little").bit_count() for side in (left, right))
            common = int.from_bytes(both(left, right), "little").bit_count()
            return self.scorer.exact(common, *counts)
        total = self.exact.total
        if self.over:
            return self.over.similarity(total(both(left, right)), left, right)
        return self.scorer.exact(total(both(left, right)), total(left), total(right))


@dataclass(frozen=True, eq=False)
class Vectors:
    """Packed bit vectors, a row each, with the number of their bits and the sum of weights."""

    packed: NDArray[np.uint8]
    counts: NDArray[np.int64]
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, packed: NDArray[np.uint8], weighting: Weighting) -> Vectors:
        """The vectors with their sums of weights."""
        counts = bit_counts(packed)
        is_weighted = weighting.exact is not None
        return cls(packed, counts, weighting.sums(packed) if is_weighted else counts.astype(float))

    def __len__(self) -> int:
        return len(self.packed)

    def cut(self, start: int, stop: int) -> Vectors:
        """The rows of the half-open range from `start` to `stop`."""
        return self.taken(slice(start, stop))

    def taken(self, places: Any) -> Vectors:
        """The rows at `places`: a range, numbers or marks."""
        return Vectors(self.packed[places], self.counts[places], self.sums[places])


def similar_vectors(
    left: Vectors, right: Vectors, weighting: Weighting, minimum: int
) -> tuple[Rows, Rows, Scores]:
    """The pairs of a left and a right vector that score `minimum`, by their places.

    The rules are those of `Comparer`: equal vectors with a bit set have the similarity 1 under a
    symmetric matcher; other vectors need 8 bits, and a weight above 0.
    """
    common, equal, enough = _compared(left, right, weighting)
    rows, columns = np.nonzero(equal | (enough & (common > 0)))
    same = equal[rows, columns]
    similarity = np.ones(len(rows))
    pairs = rows[~same], columns[~same]
    similarity[~same] = weighting.similarities(common, (left, right), pairs)
    near = np.flatnonzero(100 * similarity >= minimum - _NEAR)
    pairs = rows[near], columns[near]
    return _scored((left, right), pairs, same[near], similarity[near], (weighting, minimum))


def similar_pairs(
    left: Vectors, right: Vectors, weighting: Weighting, minimum: int
) -> tuple[Rows, Rows, Scores]:
    """As `similar_vectors`, with the similarities of `scored_pairs` where the matcher has these."""
    rows, columns, scores = similar_vectors(left, right, weighting, minimum)
    if weighting.over or weighting.exact is None:  # whole numbers: there is nothing to round
        return rows, columns, scores
    return scored_pairs((left, right), (rows, columns), weighting, minimum)


def scored_pairs(
    sides: tuple[Vectors, Vectors], pairs: tuple[Rows, Rows], weighting: Weighting, minimum: int
) -> tuple[Rows, Rows, Scores]:
    """Those of some pairs, by their places, that score `minimum`, as in `similar_vectors`.

    The similarity depends on the two vectors alone, to the last digit: sums of weights are rounded
    once. The matcher has to be one of sets.
    """
    step = rows_at_once(sides[0].packed)
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
    (left, right), (rows, columns) = sides, pairs
    together = left.packed[rows] & right.packed[columns]
    counts, lefts, rights = bit_counts(together), left.counts[rows], right.counts[columns]
    same = (counts == lefts) & (counts == rights) & (counts > 0) & weighting.symmetric
    common = counts if weighting.exact is None else weighting.sums(together)
    kept = same | ((np.minimum(lefts, rights) >= MIN_TERMS) & (common > 0))
    rows, columns, same, common = (each[kept] for each in (rows, columns, same, common))
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
        pair = left.packed[rows[place]], right.packed[columns[place]]
        return _ONE if same[place] else weighting.similarity(*pair)

    scores = exact_scores(similarity, exact)
    kept = scores.score >= minimum
    return rows[kept], columns[kept], scores.taken(kept)


def _compared(left: Vectors, right: Vectors, weighting: Weighting) -> tuple[NDArray[Any], ...]:
    """The common weight of each pair, which pairs are equal, and which have enough bits."""
    common = _products(left.packed, right.packed, None)
    equal = (common == left.counts[:, None]) & (common == right.counts) & (common > 0)
    equal &= weighting.symmetric
    enough = (left.counts >= MIN_TERMS)[:, None] & (right.counts >= MIN_TERMS)
    if weighting.floats is not None:
        common = _products(left.packed, right.packed, weighting.floats)
    return common, equal, enough


def unpacked(packed: NDArray[np.uint8], terms: int) -> NDArray[np.uint8]:
    """A byte of 0 or 1 for each bit."""
    return np.unpackbits(packed, axis=1, count=terms, bitorder="little")


def _products(
    left: NDArray[np.uint8], right: NDArray[np.uint8], weights: NDArray[np.float64] | None
) -> NDArray[Any]:
    """The number of common bits, or their weights, of each left vector with each right one."""
    kind: Any = np.float32 if weights is None else np.float64
    used = np.unpackbits(np.bitwise_or.reduce(left, axis=0, initial=0), bitorder="little")
    places = np.flatnonzero(used[: len(weights)] if weights is not None else used)
    ones: Any = _bits_at(left, places).astype(kind)
    if weights is not None:
        ones = ones * weights[places]
    products = np.empty((len(left), len(right)), kind)
    step = rows_at_once(right[:, : len(places) // 8 + 1])
    for start in range(0, len(right), step):
        block = _bits_at(right[start : start + step], places)
        products[:, start : start + step] = ones @ block.astype(kind).T
    return products


def _bits_at(packed: NDArray[np.uint8], places: NDArray[Any]) -> NDArray[np.uint8]:
    """The bits at some places, as bytes of 0 or 1."""
    if 4 * len(places) > 8 * packed.shape[1]:
        return np.unpackbits(packed, axis=1, bitorder="little")[:, places]
    return np.asarray((packed[:, places >> 3] >> (places & 7).astype(np.uint8)) & 1, np.uint8)


def bit_counts(packed: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The number of bits of each row."""
    if packed.shape[1] % 8 == 0 and packed.flags.c_contiguous:
        packed = packed.view(np.uint64)
    return np.asarray(np.bitwise_count(packed).sum(axis=1, dtype=np.uint32), np.int64)


def _blocks(packed: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    step = rows_at_once(packed)
    return (packed[start : start + step] for start in range(0, len(packed), step))


def rows_at_once(packed: NDArray[np.uint8]) -> int:
    """The number of rows for a matrix of a good size."""
    return max(1, _CELLS // max(1, 8 * int(packed.shape[1])))
