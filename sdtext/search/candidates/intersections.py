"""Intersection sizes of sets: of pairs, of one with all, and of all pairs at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import sorted_hashes
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.c_library import KERNELS

_Rows = NDArray[np.int64]

_CELLS = 1 << 21  # of a matrix of counts
_INCREMENTS = 1 << 22  # of counts at once, one for each pair of sets that have a rare value
_RARE = 16  # a value that less than one set in so many has is counted pair by pair


def common(
    left: Ragged, right: Ragged, pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """The number of values that row `left[i]` shares with row `right[j]`, for each pair (i, j).

    The values of a row are distinct and in rising order.

    >>> sets = Ragged.of([[1, 2, 3]]), Ragged.of([[9], [2, 3]])
    >>> common(*sets, (np.array([0, 0]), np.array([0, 1]))).tolist()
    [0, 2]
    """
    if "common" not in KERNELS:
        both = (np.intersect1d(left[i], right[j]) for i, j in zip(*pairs, strict=True))
        return np.array([len(values) for values in both], np.int64)
    counts = np.empty(len(pairs[0]), np.int64)
    KERNELS["common"](left.values, left.offsets, right.values, right.offsets, *pairs, counts)
    return counts


def common_counts(query: NDArray[np.uint64], rows: Ragged) -> NDArray[np.int64]:
    """The number of values that each of `rows` shares with `query`; the values are distinct.

    >>> from numpy import array
    >>> common_counts(array([2, 3], "uint64"), Ragged.of([[1, 2], [], [2, 3]])).tolist()
    [1, 0, 2]
    """
    if "common_counts" not in KERNELS:
        owners = rows.owners[np.isin(rows.values[: rows.offsets[-1]], query)]
        return np.bincount(owners, minlength=len(rows))
    counts = np.empty(len(rows), np.int64)
    KERNELS["common_counts"](np.sort(query), rows.values, rows.offsets, counts)
    return counts


@dataclass(frozen=True, eq=False)
class PostingLists:
    """The rows that have each value, by an inverted index: `common_counts` for many queries.

    Row i of `lists` has the rows with value i. It takes some time to make, and 8 to 40 bytes a
    value of the rows.
    """

    values: NDArray[np.uint64]
    lists: Ragged
    number: int

    @classmethod
    def of(cls, rows: Ragged) -> PostingLists:
        """The index of rows of distinct values."""
        order, ordered = sorted_hashes(np.asarray(rows.values)[: int(rows.offsets[-1])])
        first = np.flatnonzero(np.append(len(ordered) > 0, ordered[1:] != ordered[:-1]))
        lists = Ragged(rows.owners[order], np.append(first, len(ordered)))
        return cls(ordered[first], lists, len(rows))

    def common_counts(self, query: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of values that each row shares with `query`: distinct values in order.

        >>> from numpy import array
        >>> lists = PostingLists.of(Ragged.of([[1, 2], [], [2, 3]], "uint64"))
        >>> lists.common_counts(array([2, 3], "uint64")).tolist()
        [1, 0, 2]
        """
        known = self.values.searchsorted(query)
        known = known[known < len(self.values)]  # the others are at the end
        shared = self.lists.take(known[self.values[known] == query[: len(known)]])
        return np.bincount(shared.values, minlength=self.number)


@dataclass(frozen=True, eq=False)
class AllIntersections:
    """The intersection sizes of all pairs of `sets` of whole numbers.

    A value that many sets have is a column of a matrix of 0 and 1; products of such matrices count
    what sets share. A value that few sets have is counted for each pair of these sets, one that a
    single set has not at all.
    """

    sets: Ragged

    def blocks(self) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """The sizes by blocks: the place of the first set, and a row for each set of the block.

        The columns are the sets from that place on; the intersection of a set with itself is not
        defined. Floats are exact below 2**24.

        >>> sets = AllIntersections(Ragged.of([[1, 2, 3], [2, 3], [3, 9]]))
        >>> for start, block in sets.blocks():
        ...     start, int(block[0, 1]), int(block[0, 2]), int(block[1, 2])
        (0, 2, 1, 1)
        """
        number = len(self.sets)
        step = max(1, _CELLS // max(1, number))
        for start in range(0, number, step):
            stop = min(start + step, number)
            block = self._frequent[start:stop] @ self._frequent[start:].T
            for counts in self._rare_counts(start, stop):
                block += counts
            yield start, block

    def _rare_counts(self, start: int, stop: int) -> Iterator[NDArray[Any]]:
        """The counts of the rare values, some at a time."""
        owners, columns, sets = self._rare
        here = slice(*np.searchsorted(owners, (start, stop)).tolist())
        owners, columns = owners[here], columns[here]
        ends = np.cumsum(sets.lengths[columns])
        wide = len(self.sets) - start
        borders = np.arange(_INCREMENTS, (ends[-1] if len(ends) else 0) + _INCREMENTS, _INCREMENTS)
        begin = 0
        for end in np.searchsorted(ends, borders, "right").tolist():
            others = sets.take(columns[begin:end])
            ones = np.repeat(owners[begin:end] - start, others.lengths)
            later = others.values >= start
            cells = ones[later] * wide + others.values[later] - start
            yield np.bincount(cells, minlength=(stop - start) * wide).reshape(-1, wide)
            begin = end

    @cached_property
    def _columns(self) -> tuple[_Rows, _Rows]:
        """The column of each value, and how many sets have it."""
        _, columns, counts = np.unique(self.sets.values, return_inverse=True, return_counts=True)
        return columns, counts

    @cached_property
    def _is_frequent(self) -> NDArray[np.bool_]:
        counts = self._columns[1]
        return np.asarray((counts > 1) & (counts * _RARE >= len(self.sets)))

    @cached_property
    def _frequent(self) -> NDArray[np.float32]:
        columns, _ = self._columns
        here = self._is_frequent[columns]
        places = np.cumsum(self._is_frequent) - 1
        matrix = np.zeros((len(self.sets), int(self._is_frequent.sum())), np.float32)
        matrix[self.sets.owners[here], places[columns[here]]] = 1
        return matrix

    @cached_property
    def _rare(self) -> tuple[_Rows, _Rows, Ragged]:
        """The owner and the column of each rare value, and the sets of each such column."""
        columns, counts = self._columns
        rare = (counts > 1) & ~self._is_frequent
        here = rare[columns]
        owners, places = self.sets.owners[here], (np.cumsum(rare) - 1)[columns[here]]
        order = np.argsort(places, kind="stable")
        return owners, places, Ragged(owners[order], offsets_of(counts[rare]))
