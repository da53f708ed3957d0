"""b-bit MinHash: sketches with few bits a slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash.bbits import equal_slots, packed
from sdtext.parts.fingerprints.minhash import MOST_SLOTS, MinHash, refuse

_BITS = (1, 2, 4, 8)


@dataclass(frozen=True)
class BBit:
    """The `bits` lowest bits (1, 2, 4 or 8) of each slot of a `minhash` sketch, packed.

    The estimate is that of Li and König (2010): of slots that differ, a share of 2**-bits has equal
    lowest bits by chance, and this share is subtracted. With the scheme "affine-paper" that holds
    for short documents only: in long ones the minima are small, their lowest bits agree more
    often, and the estimate is too high.

    A document without shingles has all bits set and is similar to no other.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> bbit = BBit(slots=64)
    >>> rows = bbit(Ragged.of([[1, 2, 3], [3, 2, 1], [1, 2, 4]]))
    >>> rows.shape, bbit.estimate(rows[0], rows).tolist()
    ((3, 8), [1.0, 1.0, 0.53125])
    """

    slots: int = 512
    bits: int = 1
    seed: int = 1
    scheme: str = "fast-similarity"
    kind: ClassVar[str] = "bbit"

    def __post_init__(self) -> None:
        if self.bits not in _BITS:
            raise OptionError.of("bbit", "bits", self.bits, "1, 2, 4 or 8")
        # From 64 bits on, a document with shingles has all bits set once in 2**64 at most.
        if not 64 // self.bits <= self.slots <= MOST_SLOTS:
            wanted = f"{64 // self.bits} to {MOST_SLOTS}"
            raise OptionError.of("bbit", "slots", self.slots, wanted)
        refuse("bbit", self.seed, self.scheme)

    def __call__(self, shingles: Ragged) -> NDArray[np.uint8]:
        """A row of `width` bytes for each document; bits left over are 0."""
        return packed(self.unpacked(shingles), self.bits)

    @property
    def width(self) -> int:
        """The bytes of a row: slots · bits / 8, rounded up."""
        return (self.slots * self.bits + 7) // 8

    @property
    def nothing(self) -> NDArray[np.uint8]:
        """The row of a document without shingles: all bits set, but for those left over."""
        row: NDArray[np.uint8] = packed(np.full((1, self.slots), -1, np.int64), self.bits)[0]
        return row

    @property
    def unpacked(self) -> MinHash:
        """The fingerprinter of the unpacked sketches."""
        return MinHash(self.slots, self.seed, self.scheme)

    @property
    def coefficients(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """The numbers a and b of each slot; None for "fast-similarity", which has none."""
        return self.unpacked.coefficients

    def estimate(self, row: NDArray[np.uint8], rows: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The estimated Jaccard similarity of one row with each of many, or of as many rows.

        Of as many rows the first is compared with the first, and so on. The mean of an estimate
        is the similarity, so that it may be below zero where that is small.
        """
        chance = 2.0**-self.bits
        left_over = self.width * 8 // self.bits - self.slots  # all equal
        equal = equal_slots(row, rows, self.bits) - left_over
        estimates = (equal / self.slots - chance) / (1 - chance)
        nothing = self.nothing
        if row.ndim == 1 and (row == nothing).all():
            estimates[:] = 0
        for some in (row, rows) if row.ndim > 1 else (rows,):
            estimates[_equal_to(nothing, some)] = 0
        return estimates

    def variance(self, jaccard: float) -> float:
        """The variance of the estimate of `jaccard`, were the slots drawn independently.

        So Li and König, for sets that are small beside all shingles there are. Slots of
        "fast-similarity" vary less.

        >>> round(BBit(slots=128, bits=1).variance(0.5) ** 0.5, 3)
        0.077
        """
        chance = 2.0**-self.bits
        equal = chance + (1 - chance) * jaccard
        return equal * (1 - equal) / self.slots / (1 - chance) ** 2


def _equal_to(row: NDArray[np.uint8], rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The places of the rows that are equal to `row`."""
    some = np.flatnonzero(rows[:, 0] == row[0])
    equal_rows: NDArray[np.int64] = some[(rows[some] == row).all(axis=1)]
    return equal_rows
