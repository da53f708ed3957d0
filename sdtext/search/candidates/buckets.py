"""Buckets of rows with equal keys, and the policy for oversized ones.

Comparing all pairs of a bucket takes time and gives pairs by the square of its size. Therefore

- a bucket of up to 64 rows gives all its pairs;
- of an oversized bucket of LSH, products of matrices count what all pairs share (`lsh`); where
  even that is too much work, it is split into parts that have 64 rows in common;
- of more than 64 rows that are equal, each is paired with the first alone (`duplicates`);
- once oversized buckets have given two million pairs, they give only enough pairs to keep the
  same rows connected. So clusters stay complete.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import distinct

Rows = NDArray[np.int64]
Sides = tuple[Rows, Rows]

PAIRWISE = 64
"""The most rows of a bucket that are compared pair by pair; a bucket with more is oversized."""

PAIR_BUDGET = 1 << 21
"""The most pairs that oversized buckets give before they give only what keeps rows connected."""

_CHUNK = 1 << 18  # pairs at once


def exceed_budget(pairs: int) -> bool:
    """Whether oversized buckets may not give so many pairs."""
    return pairs > PAIR_BUDGET


def runs(keys: NDArray[Any]) -> tuple[Rows, Rows]:
    """The runs of two or more equal keys in sorted `keys`: their begins and lengths.

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
    """All pairs within each run of `rows`, the first of the two on the left, in blocks.

    >>> from numpy import array
    >>> blocks = all_pairs(array([4, 7, 8, 9]), array([0, 2]), array([2, 2]))
    >>> [(left.tolist(), right.tolist()) for left, right in blocks]
    [([4, 8], [7, 9])]
    """
    for length in distinct(lengths).tolist():
        first, second = np.triu_indices(length, 1)
        chosen = begins[lengths == length]
        step = max(1, _CHUNK // len(first))
        for start in range(0, len(chosen), step):
            block = rows[chosen[start : start + step, None] + np.arange(length)]
            yield block[:, first].ravel(), block[:, second].ravel()


def pairs_and_oversized(keys: NDArray[Any], rows: Rows) -> tuple[Iterator[Sides], list[Rows]]:
    """The pairs of rows of equal keys, in blocks, and the oversized buckets; `keys` are sorted."""
    begins, lengths = runs(keys)
    few = lengths <= PAIRWISE
    large = zip(begins[~few].tolist(), lengths[~few].tolist(), strict=True)
    oversized = [rows[begin : begin + length] for begin, length in large]
    return all_pairs(rows, begins[few], lengths[few]), oversized


def split(rows: Rows, most: int) -> Iterator[Rows]:
    """The parts, of `most` rows each, of a bucket; up to 64 rows are common to all of them.

    >>> from numpy import arange
    >>> [len(part) for part in split(arange(1000), 500)]
    [500, 500, 128]
    >>> [len(part) for part in split(arange(1000), 1000)]
    [1000]
    """
    if len(rows) <= most:
        yield rows
        return
    leading = min(PAIRWISE, most // 4)
    step = most - leading
    for start in range(leading, len(rows), step):
        yield np.concatenate((rows[:leading], rows[start : start + step]))


def spanning(left: Rows, right: Rows) -> Rows:
    """The places of fewer pairs that have the same connected components as all of them.

    Each right row keeps its first pair. Two left rows that have a right row in common stay
    connected by the first right row that they share. Every row of a pair stays in a pair.

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
    return np.sort(order[distinct(np.concatenate((firsts, places)))])
