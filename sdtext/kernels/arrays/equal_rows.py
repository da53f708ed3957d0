"""Distinct numbers of an array, and equal rows of ragged arrays: by a hash, verified by value."""

from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import draws, mixed
from sdtext.kernels.arrays.ragged import Ragged, offsets_of, row_batches, sorted_distinct

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_BATCH = 1 << 20  # values at once
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Copies:
    """For each item: the first equal one, how many come before it, and how many there are."""

    first: Numbers
    rank: Numbers
    number: Numbers


def equal_rows(rows: Ragged, chosen: Numbers) -> Copies:
    """The equal ones among the rows `chosen`, in ascending order, of whole numbers below 2**32.

    Rows of equal hashes are compared value by value; where some differ, all are hashed anew with
    another seed. `first` holds places in `chosen`.

    >>> rows = Ragged.of([[1, 2], [2, 1], [1, 2], []], "uint32")
    >>> copies = equal_rows(rows, np.arange(4))
    >>> copies.first.tolist(), copies.rank.tolist(), copies.number.tolist()
    ([0, 1, 0, 3], [0, 0, 1, 0], [2, 1, 2, 1])
    """
    for seed in count():
        order, ordered = sorted_hashes(row_hashes(rows, seed)[chosen])
        begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
        sizes = np.diff(begins, append=len(ordered))
        first, rank, number = (np.empty(len(order), np.int64) for _ in range(3))
        first[order] = np.repeat(order[begins], sizes)
        rank[order] = np.arange(len(order)) - np.repeat(begins, sizes)
        number[order] = np.repeat(sizes, sizes)
        again = np.flatnonzero(rank)
        if all_equal(rows, chosen[again], chosen[first[again]]):
            return Copies(first, rank, number)
    raise AssertionError  # pragma: no cover (the loop has no end)


def sorted_hashes(hashes: Hashes) -> tuple[Numbers, Hashes]:
    """The places of hashes in ascending order, of equal ones the first first; and the hashes so.

    Numbers are sorted that consist of the upper bits of a hash and its place, in a fifth of the
    time; where these bits do not tell hashes apart, places are.

    >>> places, ordered = sorted_hashes(np.array([7 << 60, 1 << 60, 7 << 60], np.uint64))
    >>> places.tolist(), (ordered >> np.uint64(60)).tolist()
    ([1, 0, 2], [1, 7, 7])
    """
    count = len(hashes)
    below = np.uint64((1 << count.bit_length()) - 1)
    numbers = hashes & ~below | np.arange(count, dtype=np.uint64)
    places = (sorted_distinct(Ragged(numbers, np.array([0, count]))).values & below).astype(
        np.int64
    )
    ordered = hashes[places]
    if (ordered[1:] < ordered[:-1]).any():
        places = np.argsort(hashes, kind="stable")
        ordered = hashes[places]
    return places, ordered


def row_hashes(rows: Ragged, seed: int) -> Hashes:
    """A hash of 64 bits of each row: the sum of a hash of each value with its place in the row."""
    hashes = np.zeros(len(rows), np.uint64)
    start = draws(seed, 1)[0]
    for first, last in row_batches(rows.offsets, _BATCH):
        offsets = rows.offsets[first : last + 1] - rows.offsets[first]
        values = rows.values[rows.offsets[first] : rows.offsets[last]].astype(np.uint64)
        lengths = np.diff(offsets)
        places = np.arange(len(values)) - np.repeat(offsets[:-1], lengths)
        numbers = mixed((values | places.astype(np.uint64) << np.uint64(32)) + start)
        full = np.flatnonzero(lengths)
        if len(full):
            hashes[first + full] = np.add.reduceat(numbers, offsets[full])
    return mixed(hashes + rows.lengths.astype(np.uint64))


def all_equal(rows: Ragged, left: Numbers, right: Numbers) -> bool:
    """Whether each row at `left` equals the one at the same place of `right`.

    >>> rows = Ragged.of([[1, 2], [2, 1], [1, 2]], "uint32")
    >>> all_equal(rows, np.array([2]), np.array([0])), all_equal(rows, np.array([1]), np.array([0]))
    (True, False)
    """
    begins, stops = rows.offsets[:-1], rows.offsets[1:]
    lengths = stops[left] - begins[left]
    if not np.array_equal(lengths, stops[right] - begins[right]):
        return False
    return equal_ranges(rows.values, begins[left], begins[right], lengths)


def equal_ranges(values: NDArray[Any], left: Numbers, right: Numbers, lengths: Numbers) -> bool:
    """Whether `values` from each place of `left` on equal those from `right`, for a length each.

    >>> text = np.array([1, 2, 3, 1, 2, 4])
    >>> equal_ranges(text, np.array([0]), np.array([3]), np.array([2]))
    True
    """
    rows = Ragged(values, offsets_of(lengths))
    for first, last in row_batches(rows.offsets, _BATCH):
        some, begins = slice(first, last), rows.offsets[first:last]
        within = np.arange(begins[0], rows.offsets[last])
        for_left, for_right = (
            np.repeat(side[some] - begins, lengths[some]) for side in (left, right)
        )
        if not np.array_equal(values[for_left + within], values[for_right + within]):
            return False
    return True


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """The distinct numbers, sorted: faster than `np.unique`, which imports masked arrays first.

    >>> import numpy as np
    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(numbers)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]
