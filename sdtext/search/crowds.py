"""Crowds: so many sets with a band in common that products of matrices count what they share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.search.buckets import Rows

_CELLS = 1 << 21  # of a matrix of counts
_MEETINGS = 1 << 22  # counted one by one at once
_SELDOM = 16  # less than one set in so many has a value: then its sets are gone through instead


@dataclass(frozen=True, eq=False)
class Crowd:
    """Sets of whole numbers, each compared with each.

    A value that many sets have is a column of a matrix of 0 and 1. One that few have is counted
    for each pair of these; one that a single set has, not at all.
    """

    sets: Ragged

    def counts(self) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """What sets share, by blocks: the first one's place, and a row for each set of the block.

        The columns are the sets from that place on; what a set shares with itself is not told.
        Counts in floats are exact below 2**24.

        >>> crowd = Crowd(Ragged.of([[1, 2, 3], [2, 3], [3, 9]]))
        >>> for start, block in crowd.counts():
        ...     start, int(block[0, 1]), int(block[0, 2]), int(block[1, 2])
        (0, 2, 1, 1)
        """
        number = len(self.sets)
        step = max(1, _CELLS // max(1, number))
        for start in range(0, number, step):
            stop = min(start + step, number)
            block = self._often[start:stop] @ self._often[start:].T
            for meetings in self._meetings(start, stop):
                block += meetings
            yield start, block

    def _meetings(self, start: int, stop: int) -> Iterator[NDArray[Any]]:
        """The counts of what few sets have, some meetings at a time."""
        owners, columns, sets = self._seldom
        here = slice(*np.searchsorted(owners, (start, stop)).tolist())
        owners, columns = owners[here], columns[here]
        ends = np.cumsum(sets.lengths[columns])
        wide = len(self.sets) - start
        borders = np.arange(_MEETINGS, (ends[-1] if len(ends) else 0) + _MEETINGS, _MEETINGS)
        begin = 0
        for end in np.searchsorted(ends, borders, "right").tolist():
            others = sets.taken(columns[begin:end])
            ones = np.repeat(owners[begin:end] - start, others.lengths)
            later = others.values >= start
            cells = ones[later] * wide + others.values[later] - start
            yield np.bincount(cells, minlength=(stop - start) * wide).reshape(-1, wide)
            begin = end

    @cached_property
    def _columns(self) -> tuple[Rows, Rows]:
        """The column of each value, and how many sets have it."""
        _, columns, counts = np.unique(self.sets.values, return_inverse=True, return_counts=True)
        return columns, counts

    @cached_property
    def _is_often(self) -> NDArray[np.bool_]:
        counts = self._columns[1]
        often: NDArray[np.bool_] = (counts > 1) & (counts * _SELDOM >= len(self.sets))
        return often

    @cached_property
    def _often(self) -> NDArray[np.float32]:
        columns, _ = self._columns
        here = self._is_often[columns]
        places = np.cumsum(self._is_often) - 1
        made = np.zeros((len(self.sets), int(self._is_often.sum())), np.float32)
        made[self.sets.owners[here], places[columns[here]]] = 1
        return made

    @cached_property
    def _seldom(self) -> tuple[Rows, Rows, Ragged]:
        """Whose value and which it is, for all that few sets have; and the sets of each value."""
        columns, counts = self._columns
        seldom = (counts > 1) & ~self._is_often
        here = seldom[columns]
        owners, places = self.sets.owners[here], (np.cumsum(seldom) - 1)[columns[here]]
        order = np.argsort(places, kind="stable")
        return owners, places, Ragged(owners[order], offsets_of(counts[seldom]))
