"""Bit vectors compared each with each, or one with all: a plain scan, scored as `Comparer` does.

Common bits are counted by products of matrices of 0 and 1. In floats of 32 bits these counts are
exact below 2**24; sums of weights are floats of 64 bits, and where they leave a score in doubt,
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
from sdtext.search.buckets import Rows
from sdtext.search.plan import Plan
from sdtext.search.scoring import Scorer, Scores, settled

_CELLS = 1 << 22  # of a matrix
_ONE = Similarity(1, 1)


@dataclass(frozen=True)
class Weighing:
    """A matcher of bit vectors, and what each bit counts for: 1 where `numbers` is None."""

    scorer: Scorer
    numbers: tuple[int, ...] | None

    @classmethod
    def of(cls, plan: Plan) -> Weighing:
        """That of the plan's matcher and dictionary."""
        numbers = plan.scorer.part.weights(plan.dictionary)
        return cls(plan.scorer, None if numbers is None else tuple(numbers))

    @cached_property
    def exact(self) -> Weights | None:
        """The weights as whole numbers."""
        return None if self.numbers is None else Weights.of(self.numbers)

    @cached_property
    def floats(self) -> NDArray[np.float64] | None:
        """The weights as floats."""
        return None if self.numbers is None else np.array(self.numbers, np.float64)

    def sums(self, packed: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The sum of the weights of each row."""
        if self.floats is None:
            return _counts(packed).astype(np.float64)
        parts = [unpacked(block, len(self.floats)) @ self.floats for block in _blocks(packed)]
        return np.concatenate(parts or [np.empty(0)])

    def similarity(self, one: NDArray[np.uint8], other: NDArray[np.uint8]) -> Similarity:
        """The similarity of two packed vectors by whole numbers."""
        left, right = one.tobytes(), other.tobytes()
        if self.exact is None:
            counts = (int.from_bytes(side, "little").bit_count() for side in (left, right))
            common = int.from_bytes(both(left, right), "little").bit_count()
            return self.scorer.exact(common, *counts)
        total = self.exact.total
        return self.scorer.exact(total(both(left, right)), total(left), total(right))


@dataclass(frozen=True, eq=False)
class Vectors:
    """Packed bit vectors, a row each, with the number of their bits and their weights summed."""

    packed: NDArray[np.uint8]
    counts: NDArray[np.int64]
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, packed: NDArray[np.uint8], weighing: Weighing) -> Vectors:
        """The vectors as `weighing` sees them."""
        return cls(packed, _counts(packed), weighing.sums(packed))

    def __len__(self) -> int:
        return len(self.packed)

    def cut(self, start: int, stop: int) -> Vectors:
        """The rows from `start` on, without that at `stop`."""
        here = slice(start, stop)
        return Vectors(self.packed[here], self.counts[here], self.sums[here])


def alike(
    left: Vectors, right: Vectors, weighing: Weighing, minimum: int
) -> tuple[Rows, Rows, Scores]:
    """The pairs of a left and a right vector that score `minimum`, by their places.

    As in `Comparer`: equal vectors with a bit are as alike as can be under a symmetric matcher;
    else none with less than 8 bits, or with weights of 0 alone, is like another.
    """
    common, equal, enough = _compared(left, right, weighing)
    rows, columns = np.nonzero(equal | (enough & (common > 0)))
    same = equal[rows, columns]
    similarity = np.ones(len(rows))
    other = ~same
    similarity[other] = weighing.scorer.similarity(
        common[rows[other], columns[other]], left.sums[rows[other]], right.sums[columns[other]]
    )
    near = np.flatnonzero(100 * similarity >= minimum - 1e-6)
    rows, columns, same = rows[near], columns[near], same[near]

    def exact(place: int) -> Similarity:
        pair = left.packed[rows[place]], right.packed[columns[place]]
        return _ONE if same[place] else weighing.similarity(*pair)

    scores = settled(similarity[near], exact)
    kept = scores.score >= minimum
    return rows[kept], columns[kept], scores.taken(kept)


def _compared(left: Vectors, right: Vectors, weighing: Weighing) -> tuple[NDArray[Any], ...]:
    """What each pair has in common, which pairs count as equal, and which have bits enough."""
    common = _products(left.packed, right.packed, None)
    equal = (common == left.counts[:, None]) & (common == right.counts) & (common > 0)
    equal &= bool(weighing.scorer.part.symmetric)
    enough = (left.counts >= MIN_TERMS)[:, None] & (right.counts >= MIN_TERMS)
    if weighing.floats is not None:
        common = _products(left.packed, right.packed, weighing.floats)
    return common, equal, enough


def unpacked(packed: NDArray[np.uint8], terms: int) -> NDArray[np.uint8]:
    """A byte of 0 or 1 for each bit."""
    return np.unpackbits(packed, axis=1, count=terms, bitorder="little")


def _products(
    left: NDArray[np.uint8], right: NDArray[np.uint8], weights: NDArray[np.float64] | None
) -> NDArray[Any]:
    """What each left vector has in common with each right one: the number of bits, or weights."""
    kind: Any = np.float32 if weights is None else np.float64
    used = np.unpackbits(np.bitwise_or.reduce(left, axis=0, initial=0), bitorder="little")
    places = np.flatnonzero(used[: len(weights)] if weights is not None else used)
    ones: Any = _bits_at(left, places).astype(kind)
    if weights is not None:
        ones = ones * weights[places]
    made = np.empty((len(left), len(right)), kind)
    step = rows_at_once(right[:, : len(places) // 8 + 1])
    for start in range(0, len(right), step):
        piece = _bits_at(right[start : start + step], places)
        made[:, start : start + step] = ones @ piece.astype(kind).T
    return made


def _bits_at(packed: NDArray[np.uint8], places: NDArray[Any]) -> NDArray[np.uint8]:
    """The bits at some places, as bytes of 0 or 1."""
    if 4 * len(places) > 8 * packed.shape[1]:
        return np.unpackbits(packed, axis=1, bitorder="little")[:, places]
    return np.asarray((packed[:, places >> 3] >> (places & 7).astype(np.uint8)) & 1, np.uint8)


def _counts(packed: NDArray[np.uint8]) -> NDArray[np.int64]:
    return np.asarray(np.bitwise_count(packed).sum(axis=1, dtype=np.int64))


def _blocks(packed: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    step = rows_at_once(packed)
    return (packed[start : start + step] for start in range(0, len(packed), step))


def rows_at_once(packed: NDArray[np.uint8]) -> int:
    """How many rows give a matrix of a good size."""
    return max(1, _CELLS // max(1, 8 * int(packed.shape[1])))
