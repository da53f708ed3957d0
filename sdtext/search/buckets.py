"""Pairs of rows whose keys are equal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Sides = tuple[Rows, Rows]

LARGEST = 64
"""A bucket with more rows than this is a crowd: no longer compared pair by pair."""

MOST_PAIRS = 1 << 21
"""When large groups have given so many pairs, they give only what holds the same rows together."""

_CHUNK = 1 << 18  # pairs at once


def runs(keys: NDArray[np.uint64]) -> tuple[Rows, Rows]:
    """Where equal keys stand, at least two of a kind, in sorted `keys`: begins and lengths.

    >>> from numpy import array
    >>> [part.tolist() for part in runs(array([3, 5, 5, 5, 8, 9, 9]))]
    [[1, 5], [3, 2]]
    """
    borders = np.flatnonzero(keys[1:] != keys[:-1]) + 1
    begins = np.concatenate(([0], borders))
    lengths = np.diff(np.concatenate((begins, [len(keys)])))
    several = lengths > 1
    return begins[several], lengths[several]


def all_pairs(rows: Rows, begins: Rows, lengths: Rows) -> Iterator[Sides]:
    """All pairs within each run of `rows`, the row that stands first on the left.

    >>> from numpy import array
    >>> made = all_pairs(array([4, 7, 8, 9]), array([0, 2]), array([2, 2]))
    >>> [(left.tolist(), right.tolist()) for left, right in made]
    [([4, 8], [7, 9])]
    """
    for length in np.unique(lengths).tolist():
        first, second = np.triu_indices(length, 1)
        chosen = begins[lengths == length]
        step = max(1, _CHUNK // len(first))
        for start in range(0, len(chosen), step):
            block = rows[chosen[start : start + step, None] + np.arange(length)]
            yield block[:, first].ravel(), block[:, second].ravel()


def parted(rows: Rows, most: int) -> Iterator[Rows]:
    """A bucket in parts of `most` rows, of which all have some rows, 64 at the most, in common.

    >>> from numpy import arange
    >>> [len(part) for part in parted(arange(1000), 500)]
    [500, 500, 128]
    >>> [len(part) for part in parted(arange(1000), 1000)]
    [1000]
    """
    if len(rows) <= most:
        yield rows
        return
    leading = min(LARGEST, most // 4)
    step = most - leading
    for start in range(leading, len(rows), step):
        yield np.concatenate((rows[:leading], rows[start : start + step]))


def spanning(left: Rows, right: Rows) -> Rows:
    """The places of some of the pairs, which hold together all that the pairs hold together.

    Each right row keeps its first pair; two left rows with a right one in common stay linked by
    the first right row that they share so. All rows that are in a pair stay in one.

    >>> from numpy import array
    >>> spanning(array([1, 1, 2, 2, 3]), array([7, 8, 7, 8, 9])).tolist()
    [0, 1, 2, 4]
    """
    wide = max(left.max(initial=0), right.max(initial=0)) + 1
    order = np.argsort(right * wide + left)
    left, right = left[order], right[order]
    firsts = np.flatnonzero(np.diff(right, prepend=-1))
    others = np.repeat(left[firsts], np.diff(firsts, append=len(right)))
    _, places = np.unique(others * wide + left, return_index=True)
    return np.sort(order[np.union1d(firsts, places)])
