"""The most similar vectors of two fingerprints of many segments, without scoring every pair.

Columns of bits give the pairs that may be more similar than the best one so far. Similarities in
floats leave a few pairs that may be the best; exact ones decide among these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.packed_bits import Weights
from sdtext.kernels.bit_columns import BitColumns, ColumnMatches, columns_of
from sdtext.model import Vector
from sdtext.parts.matchers import SetMatcher

_BATCH = 16  # vectors at once
_NEAR = 1e-8  # of a similarity; sums are exact to more digits
Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PackedVectors:
    """Vectors of one dictionary as rows, with the number of their bits and the sum of weights.

    `comparable` marks those that have enough bits for a score.
    """

    packed: NDArray[np.uint8]
    weights: Weights | None
    comparable: NDArray[np.bool_]

    @classmethod
    def of(
        cls, vectors: Sequence[Vector], weights: Weights | None, min_terms: int
    ) -> PackedVectors:
        """The vectors; those of fewer than `min_terms` bits are not comparable."""
        joined = b"".join(vector.packed for vector in vectors)
        packed = np.frombuffer(joined, np.uint8).reshape(len(vectors), -1)
        counts = np.bitwise_count(packed).sum(axis=1, dtype=np.uint32)
        return cls(packed, weights, counts >= min_terms)

    def __len__(self) -> int:
        return len(self.packed)

    @cached_property
    def sums(self) -> Floats:
        """The sum of the weights of each."""
        return self.sums_of(self.packed)

    def sums_of(self, packed: NDArray[np.uint8]) -> Floats:
        """The sums of the weights of some rows."""
        if self.weights is None:
            return np.asarray(np.bitwise_count(packed).sum(axis=1, dtype=np.float64))
        return self.weights.totals(packed)

    @cached_property
    def index(self) -> BitColumns:
        """Their columns, in the order of their sums."""
        columns = columns_of(self.packed, self.order)
        frequencies = np.bitwise_count(columns[:-1]).sum(axis=1, dtype=np.int64)
        return BitColumns(columns, frequencies, self.sums[self.order], self.weight_of_each)

    @cached_property
    def order(self) -> Places:
        """The row of each place in the columns."""
        return np.argsort(self.sums, kind="stable")

    @property
    def weight_of_each(self) -> Floats | None:
        """The weight of each bit; None where all are 1."""
        if self.weights is None:
            return None
        exact = self.weights.high * 2.0**32 + self.weights.low
        return np.pad(exact, (0, 8 * self.packed.shape[1] - len(exact)))


def most_similar(
    left: PackedVectors, right: PackedVectors, part: SetMatcher
) -> list[tuple[int, int]]:
    """The pairs of a left and a right row among which the most similar ones are, in order.

    None, if no comparable vectors have a similarity above 0. Equal vectors that are not comparable,
    or have no weight, are left out.
    """
    best, parts = 0.0, []
    for rows, others, similarity in _rising(left, right, part):
        best = max(best, float(similarity.max(initial=0.0)))
        parts.append((rows, others, similarity))
    pairs: list[tuple[int, int]] = []
    for rows, others, similarity in parts:
        near = (similarity >= best - _NEAR) & (similarity > 0)
        pairs += zip(rows[near].tolist(), others[near].tolist(), strict=True)
    return sorted(pairs)


def _rising(
    left: PackedVectors, right: PackedVectors, part: SetMatcher
) -> Iterator[tuple[Places, Places, Floats]]:
    """Pairs with their similarities, of which some reach the best one so far."""
    best = 0.0
    order = left.order[left.comparable[left.order] & (left.sums[left.order] > 0)]
    for start in range(0, len(order), _BATCH):
        here = order[start : start + _BATCH]
        floor = max(0.0, best - _NEAR)

        def least(lefts: Floats, rights: Floats, floor: float = floor) -> Floats:
            return part.least_common(floor, lefts, rights)

        matches = right.index.candidates(left.packed[here], left.sums[here], least)
        rows, others = _above(matches, here, (left, right), part, floor)
        together = left.packed[rows] & right.packed[others]
        common = left.sums_of(together)
        similarity = part.similarities(common, left.sums[rows], right.sums[others])
        near = similarity >= max(floor, float(similarity.max(initial=0.0)) - _NEAR)
        best = max(best, float(similarity.max(initial=0.0)))
        yield rows[near], others[near], similarity[near]


def _above(
    matches: ColumnMatches,
    here: Places,
    sides: tuple[PackedVectors, PackedVectors],
    part: SetMatcher,
    floor: float,
) -> tuple[Places, Places]:
    """The pairs of comparable rows whose similarity may be above a floor."""
    left, right = sides
    rows, others = here[matches.queries], right.order[matches.places]
    first, second = left.sums[rows], right.sums[others]
    common: NDArray[Any] = np.minimum(matches.sums * right.index.unit, np.minimum(first, second))
    kept = right.comparable[others] & (part.similarities(common, first, second) >= floor - _NEAR)
    return rows[kept], others[kept]
