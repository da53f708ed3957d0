"""Ragged arrays: rows of different lengths in one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.c_library import KERNELS


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of different lengths, one behind the other.

    Row i is `values[offsets[i] : offsets[i + 1]]`; `offsets` has one element more than there are
    rows and begins with 0.

    >>> rows = Ragged.of([[1, 2], [], [3]])
    >>> len(rows), rows[0].tolist(), rows.lengths.tolist()
    (3, [1, 2], [2, 0, 1])
    """

    values: NDArray[Any]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int] | NDArray[Any]], dtype: str = "uint64") -> Ragged:
        """Build the array from rows, as numbers of the type `dtype`."""
        parts = [np.asarray(row, dtype) for row in rows]
        values = np.concatenate(parts) if parts else np.empty(0, dtype)
        return cls(values, offsets_of([len(part) for part in parts]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, place: int) -> NDArray[Any]:
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self.values[self.offsets[place] : self.offsets[place + 1]]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[place] for place in range(len(self)))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of values in each row."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def nbytes(self) -> int:
        """The number of bytes of the values and the offsets."""
        return self.values.nbytes + self.offsets.nbytes

    @property
    def owners(self) -> NDArray[np.int64]:
        """The row that each value belongs to."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, places: Sequence[int] | NDArray[Any]) -> Ragged:
        """Copies of the rows at `places`, in that order.

        >>> Ragged.of([[1, 2], [], [3]]).take([2, 0]).values.tolist()
        [3, 1, 2]
        """
        chosen = np.asarray(places, np.int64)
        if len(chosen) and (chosen[1:] - chosen[:-1] == 1).all():
            offsets = self.offsets[chosen[0] : chosen[-1] + 2]
            values = self.values[offsets[0] : offsets[-1]].copy()
            return Ragged(values, offsets - offsets[0])
        starts = self.offsets[chosen]
        lengths = self.offsets[chosen + 1] - starts
        offsets = offsets_of(lengths)
        shifts = np.repeat(starts - offsets[:-1], lengths)
        return Ragged(self.values[np.arange(offsets[-1]) + shifts], offsets)

    def renumbered(self, numbers: NDArray[np.int64]) -> Ragged:
        """The rows with `numbers[i]` in place of each value i; without those that are below 0.

        >>> [row.tolist() for row in Ragged.of([[1, 2], [0]]).renumbered(np.array([-1, 3, 0]))]
        [[3, 0], []]
        """
        values = numbers[self.values]
        kept = values >= 0
        lengths = np.bincount(self.owners[kept], minlength=len(self))
        return Ragged(values[kept], offsets_of(lengths))

    def inverted(self, number: int) -> Ragged:
        """For each of the values 0 to `number` - 1 the rows that have it.

        >>> [rows.tolist() for rows in Ragged.of([[0, 1], [], [1]], "int64").inverted(3)]
        [[0], [0, 2], []]
        """
        order = np.argsort(self.values, kind="stable")
        return Ragged(self.owners[order], offsets_of(np.bincount(self.values, minlength=number)))


def offsets_of(lengths: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
    """Offsets of rows of the given lengths: each start, then the end of the last.

    >>> offsets_of([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def row_batches(offsets: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges of rows with up to `most` values together, or of one that has more.

    >>> list(row_batches(np.array([0, 2, 4, 9]), 4))
    [(0, 2), (2, 3)]
    """
    last = 0
    while last < len(offsets) - 1:
        first = last
        reach = int(np.searchsorted(offsets, offsets[first] + most, "right")) - 1
        last = max(reach, first + 1)
        yield first, last


def joined(pieces: Sequence[Ragged]) -> Ragged:
    """Concatenate the rows of all pieces; a single one is not copied.

    >>> joined([Ragged.of([[1], [2, 3]]), Ragged.of([[4]])]).lengths.tolist()
    [1, 2, 1]
    """
    if len(pieces) == 1:
        return pieces[0]
    lengths = [piece.lengths for piece in pieces]
    values = [piece.values[: piece.offsets[-1]] for piece in pieces]
    return Ragged(np.concatenate(values), offsets_of(np.concatenate(lengths)))


def sorted_distinct(rows: Ragged) -> Ragged:
    """Sort each row and remove repeats.

    >>> [row.tolist() for row in sorted_distinct(Ragged.of([[3, 1, 3], [], [3]]))]
    [[1, 3], [], [3]]
    """
    values, offsets = rows.values[: rows.offsets[-1]].copy(), rows.offsets.copy()
    if "sets" in KERNELS and values.dtype == np.uint64:
        return Ragged(values[: KERNELS["sets"](values, offsets)], offsets)
    for start, stop in pairwise(rows.offsets.tolist()):
        values[start:stop].sort()
    again = np.zeros(len(values), bool)
    np.equal(values[1:], values[:-1], out=again[1:])
    again[rows.offsets[:-1][rows.lengths > 0]] = False
    repeats = np.flatnonzero(again)
    return Ragged(values[~again], rows.offsets - np.searchsorted(repeats, rows.offsets))
