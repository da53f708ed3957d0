"""Intersection sizes of sets: of pairs, of one with all, and of all pairs at once."""

from __future__ import annotations

from bisect import bisect_left
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
_MARKED = 32  # a value that at least one row in so many has gets a mark for each row
_FEW = 64  # lists that are counted one by one
_POSTPONED = 0.8  # of the least common number: values that are not counted for all rows


def common(
    left: Ragged, right: Ragged, pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """The number of values that row `left[i]` shares with row `right[j]`, for each pair (i, j).

    The values of a row are distinct and in rising order.

    >>> sets = Ragged.of([[1, 2, 3]]), Ragged.of([[9], [2, 3]])
    >>> common(*sets, (np.array([0, 0]), np.array([0, 1]))).tolist()
    [0, 2]
    """
    kernel, counts = KERNELS.get("common"), np.empty(len(pairs[0]), np.int64)
    if not kernel:
        return common_plain(left, right, pairs)
    kernel(left.values, left.offsets, right.values, right.offsets, *pairs, counts)
    return counts


def common_plain(
    left: Ragged, right: Ragged, pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """`common`, pair by pair."""
    both = (np.intersect1d(left[i], right[j]) for i, j in zip(*pairs, strict=True))
    return np.array([len(values) for values in both], np.int64)


def common_counts(query: NDArray[np.uint64], rows: Ragged) -> NDArray[np.int64]:
    """The number of values that each of `rows` shares with `query`; the values are distinct.

    >>> from numpy import array
    >>> common_counts(array([2, 3], "uint64"), Ragged.of([[1, 2], [], [2, 3]])).tolist()
    [1, 0, 2]
    """
    kernel, counts = KERNELS.get("common_counts"), np.empty(len(rows), np.int64)
    if not kernel:
        return common_counts_plain(query, rows)
    kernel(np.sort(query), rows.values, rows.offsets, counts)
    return counts


def common_counts_plain(query: NDArray[np.uint64], rows: Ragged) -> NDArray[np.int64]:
    """`common_counts` by a sorted query."""
    owners = rows.owners[np.isin(rows.values[: rows.offsets[-1]], query)]
    return np.bincount(owners, minlength=len(rows))


@dataclass(frozen=True, eq=False)
class PostingLists:
    """The rows that have each value, by an inverted index: `common_counts` for many queries.

    Value i, in their order, is the one of rank `ranks[i]` by the number of rows that have it. The
    lower ranks have a list of rows, the others a byte for each row, 0 or 1: row `rank - len(lists)`
    of `marks`, since these are added faster than lists are counted. It takes some time to make,
    and 8 to 40 bytes a value of the rows.
    """

    values: NDArray[np.uint64]
    ranks: NDArray[np.int64]
    lists: Ragged
    marks: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Ragged) -> PostingLists:
        """The index of rows of distinct values."""
        all_values = np.asarray(rows.values)[: int(rows.offsets[-1])]
        order, ordered = sorted_hashes(all_values)
        first = np.flatnonzero(np.append(len(ordered) > 0, ordered[1:] != ordered[:-1]))
        lists = Ragged(rows.owners[order], np.append(first, len(ordered)))
        rarest_first = np.argsort(lists.lengths, kind="stable")
        ranks = np.empty_like(rarest_first)
        ranks[rarest_first] = np.arange(len(ranks))
        rare = int(np.count_nonzero(lists.lengths * _MARKED < len(rows)))
        marked = lists.take(rarest_first[rare:])
        marks = np.zeros((len(marked), len(rows)), np.uint8)
        marks[marked.owners, marked.values] = 1
        return cls(ordered[first], ranks, lists.take(rarest_first[:rare]), marks)

    def rows_with_common(
        self, query: NDArray[np.uint64], least: NDArray[Any], lowest: int
    ) -> tuple[_Rows, NDArray[np.int64]]:
        """The rows that share enough values with `query`, and how many: distinct values in order.

        `least` has how many each row must share, in the smallest type for one more than the query
        has values; none of them is below `lowest`.

        A row that shares enough does so, too, if all but a few of the most frequent values are
        counted and it is taken to share the others. These are counted for such rows alone.

        >>> from numpy import array
        >>> lists = PostingLists.of(Ragged.of([[1, 2], [], [2, 3]], "uint64"))
        >>> least = array([1, 1, 2], "uint8")
        >>> rows, shared = lists.rows_with_common(array([2, 3], "uint64"), least, 1)
        >>> rows.tolist(), shared.tolist()
        ([0, 2], [1, 2])
        """
        known = self.values.searchsorted(query)
        known = known[known < len(self.values)]  # the others are at the end
        here = self.ranks[known[self.values[known] == query[: len(known)]]]
        ranks: list[int] = np.sort(here).tolist()  # the rarest first
        first = len(self.lists)
        listed = bisect_left(ranks, first)
        stop = max(listed, len(ranks) - int(_POSTPONED * lowest))
        postponed = len(ranks) - stop
        counts = np.full(len(least), postponed, least.dtype)
        if listed:
            offsets, owners = self.lists.offsets, self.lists.values
            some = ranks[:listed]
            bounds = zip(offsets[some].tolist(), offsets[1:][some].tolist(), strict=True)
            lists = [owners[start:end] for start, end in bounds]
            if len(lists) > _FEW:
                more = np.bincount(np.concatenate(lists), minlength=len(counts))
                counts += more.astype(counts.dtype)
            else:
                for members in lists:
                    counts[members] += 1  # no row is in a list twice
        for rank in ranks[listed:stop]:
            np.add(counts, self._rows_of_marks[rank - first], counts)
        rows = (counts >= least).nonzero()[0]
        if not postponed:
            return rows, counts[rows].astype(np.int64)
        places = np.array(ranks[stop:]) - first
        shared = counts[rows].astype(np.int64) - postponed
        shared += np.add.reduce(self.marks[places[:, None], rows], axis=0, dtype=np.int64)
        enough = shared >= least[rows]
        return rows[enough], shared[enough]

    @cached_property
    def _rows_of_marks(self) -> list[NDArray[np.uint8]]:
        return [*self.marks]  # views: indexing a matrix takes time


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
