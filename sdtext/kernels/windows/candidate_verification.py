"""Verification of candidate pairs of blocks: which of their windows are near, and how near.

First the terms of two blocks are intersected: blocks with too small an overlap hold no near
windows. Then the overlap of all their windows is counted. Two windows have as many terms in common
as there are codes (a code is the k-th occurrence of a term) that both have. The starts of the
windows that have a code are a few intervals; two intervals, one from each block, are a rectangle
of pairs of windows with one more term in common. Rectangles are added up as changes at their
corners and two running sums (a summed-area table).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.candidate_blocks import (
    Blocks,
    Numbers,
    Work,
    bags,
    intervals_of,
)

Pairs = tuple[Numbers, Numbers]

_CODES = 1 << 20  # looked up at once
_PAIRS = 1 << 20  # that are batches before blocks are laid out for them
_FEW = 8
_RECTANGLES = 1 << 20  # at once


def with_overlap(
    sides: tuple[Blocks, Blocks], pairs: Iterator[Pairs], least: int, work: Work
) -> Iterator[Pairs]:
    """The pairs of blocks with at least `least` terms in common, in batches.

    Each batch of `pairs` has one block of the left and several of the right. These are rows of a
    table of codes, padded with a code that no block has; of a large right side one table for the
    blocks of some batches.
    """
    left, right = sides
    tables: Iterable[tuple[Numbers, Iterable[Pairs]]] = [(np.arange(right.count), pairs)]
    if left.count * _FEW < right.count:
        tables = (
            (distinct(np.concatenate([near for _, near in some])), some)
            for some in batches(pairs, _PAIRS)
        )
    for chosen, some in tables:
        both = [(left, np.arange(left.count)), (right, chosen)]
        is_one = left is right and len(chosen) == right.count
        bags_of_sides, codes = bags(both[:1] if is_one else both, left.stride + left.w - 1)
        own, other = bags_of_sides[0], bags_of_sides[-1]
        lengths = np.diff(other.offsets)
        width = max(1, int(lengths.max(initial=0)))
        table = np.full((len(lengths), width), codes, np.int32)
        table[other.places, np.arange(len(other.codes)) - other.offsets[other.places]] = other.codes
        rows = np.zeros(right.count, np.int64)
        rows[chosen] = np.arange(len(chosen))
        wanted = np.zeros(codes + 1, np.float32)  # so that counts are a matrix product
        size, ones = max(1, _CODES // width), np.ones(width, np.float32)
        for lefts, rights in some:
            work.spend(width * len(rights))
            place = int(lefts[0])
            common = own.codes[own.offsets[place] : own.offsets[place + 1]]
            wanted[common] = 1
            at_rows = rows[rights]
            parts = [at_rows[at : at + size] for at in range(0, len(at_rows), size)]
            with np.errstate(invalid="ignore"):  # BLAS may warn of numbers beyond the rows
                counts = [wanted.take(table.take(part, axis=0)) @ ones for part in parts]
            wanted[common] = 0
            kept = np.concatenate(counts) >= least
            yield lefts[kept], rights[kept]


def batches(pairs: Iterable[Pairs], size: int) -> Iterator[list[Pairs]]:
    """Lists of batches of about `size` pairs in all; empty batches at the end are left out."""
    pending: list[Pairs] = []
    count = 0
    for batch in pairs:
        pending.append(batch)
        count += len(batch[0])
        if count >= size:
            yield pending
            pending, count = [], 0
    if count:
        yield pending


class BlockOverlaps(NamedTuple):
    """Pairs of blocks and the overlaps of their windows, of shape (pairs, starts, starts)."""

    left: Numbers
    right: Numbers
    common: NDArray[np.int32]


def near_overlaps(
    sides: tuple[Blocks, Blocks], left: Numbers, right: Numbers, least: int, work: Work
) -> BlockOverlaps:
    """The pairs of blocks that hold windows with at least `least` terms in common."""
    side = sides[0].stride + 1
    work.spend(len(left) * side**2)
    # Intervals of one code in both blocks of a pair: `pairs` by number, `rows` of the left block,
    # and `counts` of the right one from `first` on.
    known, other_known = distinct(left), distinct(right)
    mine, other = intervals_of(sides[0], known), intervals_of(sides[1], other_known)
    begins = np.searchsorted(mine.places, np.arange(len(known) + 1))
    mine_at, other_at = np.searchsorted(known, left), np.searchsorted(other_known, right)
    lengths = np.diff(begins)[mine_at]
    pairs = np.repeat(np.arange(len(left)), lengths)
    rows = np.arange(len(pairs)) + np.repeat(begins[mine_at] - offsets_of(lengths)[:-1], lengths)
    kinds = 1 + max(int(intervals.codes.max(initial=0)) for intervals in (mine, other))
    keys = other.places * kinds + other.codes
    wanted = other_at[pairs] * kinds + mine.codes[rows]
    first = np.searchsorted(keys, wanted)
    ends = np.flatnonzero(np.append(keys[1:] != keys[:-1], True)) + 1 if len(keys) else keys
    runs = np.diff(ends, prepend=0)
    counts = np.append(np.repeat(runs, runs), 0)[first]  # of equal keys
    counts[keys[np.minimum(first, len(keys) - 1)] != wanted] = 0
    work.spend(int(counts.sum()))
    some = np.flatnonzero(counts)
    pairs, rows, first, counts = pairs[some], rows[some], first[some], counts[some]
    # Each two intervals are a rectangle, added up from the changes at its corners.
    change = np.zeros(len(left) * side**2, np.int32)
    ends, start = offsets_of(counts), 0
    while start < len(pairs):
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] + _RECTANGLES)) - 1)
        at = slice(start, stop)
        within = np.arange(ends[start], ends[stop]) - np.repeat(ends[at], counts[at])
        own, there = np.repeat(rows[at], counts[at]), np.repeat(first[at], counts[at]) + within
        begin, other_begin = mine.first[own], other.first[there]
        corner = (np.repeat(pairs[at], counts[at]) * side + begin) * side + other_begin
        down = (mine.last[own] + 1 - begin) * side
        across = other.last[there] + 1 - other_begin
        plus = np.concatenate((corner, corner + down + across))
        minus = np.concatenate((corner + down, corner + across))
        change += np.bincount(plus, minlength=len(change)).astype(np.int32)
        change -= np.bincount(minus, minlength=len(change)).astype(np.int32)
        start = stop
    cube = change.reshape(len(left), side, side)
    np.cumsum(cube, axis=1, out=cube)
    np.cumsum(cube, axis=2, out=cube)
    common = cube[:, :-1, :-1]
    near = common.max(axis=(1, 2), initial=0) >= least
    return BlockOverlaps(left[near], right[near], common[near])
