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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.window_blocks import (
    Bags,
    Blocks,
    Intervals,
    Numbers,
    bags,
    distinct,
    intervals_of,
)
from sdtext.kernels.windows.work_budget import Work

Pairs = tuple[Numbers, Numbers]

_CODES = 1 << 20  # looked up at once
_PAIRS = 1 << 20  # that are batches before blocks are laid out for them
_FEW = 8


@dataclass(frozen=True, eq=False)
class BlockSets:
    """Blocks of two sides as sets of codes: those of `left` by rows, those of `right` as a table.

    A row of the table has the codes of one block and is filled up with a code that no block has;
    its number follows from that of the block by `rows`.
    """

    left: Bags
    table: NDArray[np.int32]
    rows: Numbers
    codes: int

    @classmethod
    def of(cls, left: Blocks, right: Blocks, chosen: Numbers) -> BlockSets:
        """The blocks of left and the chosen ones, which rise, of right."""
        whole = np.arange(len(left))
        sides = [(left, whole), (right, chosen)]
        same = left is right and len(chosen) == len(right)
        made, codes = bags(sides[:1] if same else sides, left.stride + left.w - 1)
        held = made[-1]
        lengths = np.diff(held.offsets)
        table = np.full((len(lengths), max(1, int(lengths.max(initial=0)))), codes, np.int32)
        table[held.places, np.arange(len(held.codes)) - held.offsets[held.places]] = held.codes
        rows = np.zeros(len(right), np.int64)
        rows[chosen] = np.arange(len(chosen))
        return cls(made[0], table, rows, codes)

    def enough(self, pairs: Iterable[Pairs], least: int, work: Work) -> Iterator[Pairs]:
        """Those of the pairs with at least `least` codes in common; each has one left block."""
        asked = np.zeros(self.codes + 1, np.float32)  # so that counts are a product of matrices
        for left, right in pairs:
            work.spend(self.table.shape[1] * len(right))
            place = int(left[0])
            codes = self.left.codes[self.left.offsets[place] : self.left.offsets[place + 1]]
            asked[codes] = 1
            kept = self._counts(self.rows[right], asked) >= least
            asked[codes] = 0
            yield left[kept], right[kept]

    def _counts(self, rows: Numbers, asked: NDArray[np.float32]) -> NDArray[np.float32]:
        """How many of the codes asked for each row of the table has."""
        width = self.table.shape[1]
        size = max(1, _CODES // width)
        ones = np.ones(width, np.float32)
        parts = [rows[at : at + size] for at in range(0, len(rows), size)]
        return np.concatenate([asked.take(self.table.take(part, axis=0)) @ ones for part in parts])


def with_overlap(
    sides: tuple[Blocks, Blocks], pairs: Iterator[Pairs], least: int, work: Work
) -> Iterator[Pairs]:
    """Those of the pairs of blocks with at least `least` terms in common, some at a time.

    Each of the pairs that are given has one block of the left and some of the right.
    """
    left, right = sides
    if len(left) * _FEW >= len(right):
        yield from BlockSets.of(left, right, np.arange(len(right))).enough(pairs, least, work)
        return
    for some in batches(pairs, _PAIRS):
        chosen = distinct(np.concatenate([near for _, near in some]))
        yield from BlockSets.of(left, right, chosen).enough(some, least, work)


def batches(pairs: Iterable[Pairs], size: int) -> Iterator[list[Pairs]]:
    """The pairs about `size` at a time; those that hold none at the end are left out."""
    held: list[Pairs] = []
    number = 0
    for one in pairs:
        held.append(one)
        number += len(one[0])
        if number >= size:
            yield held
            held, number = [], 0
    if number:
        yield held


_AREA = 1 << 21  # pairs of windows that are looked at together
_RECTANGLES = 1 << 20  # at once


@dataclass(frozen=True, eq=False)
class BlockOverlaps:
    """Pairs of blocks and, of shape (pairs, starts, starts), the terms their windows share."""

    left: Numbers
    right: Numbers
    common: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Verifier:
    """The blocks of both sides, and what their windows are asked for."""

    left: Blocks
    right: Blocks
    tau: int
    work: Work

    @property
    def least(self) -> int:
        """What windows have in common at least that are near."""
        return self.left.w - self.tau

    @property
    def at_once(self) -> int:
        """Pairs of blocks that are looked at together."""
        return max(1, _AREA // (self.left.stride + 1) ** 2)

    def looked(self, left: Numbers, right: Numbers) -> Iterator[BlockOverlaps]:
        """The pairs of blocks that hold windows which are near, some at a time."""
        for start in range(0, len(left), self.at_once):
            some = slice(start, start + self.at_once)
            common = self._common(left[some], right[some])
            near = common.max(axis=(1, 2), initial=0) >= self.least
            yield BlockOverlaps(left[some][near], right[some][near], common[near])

    def _common(self, left: Numbers, right: Numbers) -> NDArray[np.int32]:
        """What windows of the pairs have in common, of shape (pairs, starts, starts)."""
        side = self.left.stride + 1
        self.work.spend(len(left) * side**2)
        change = np.zeros(len(left) * side**2, np.int32)
        for pair, mine, other in self._crossings(left, right):
            corner = (pair * side + mine.first) * side + other.first
            down = (mine.last + 1 - mine.first) * side
            across = other.last + 1 - other.first
            plus = np.concatenate((corner, corner + down + across))
            minus = np.concatenate((corner + down, corner + across))
            change += np.bincount(plus, minlength=len(change)).astype(np.int32)
            change -= np.bincount(minus, minlength=len(change)).astype(np.int32)
        cube = change.reshape(len(left), side, side)
        np.cumsum(cube, axis=1, out=cube)
        np.cumsum(cube, axis=2, out=cube)
        return cube[:, :-1, :-1]

    def _crossings(
        self, left: Numbers, right: Numbers
    ) -> Iterator[tuple[Numbers, Intervals, Intervals]]:
        """Pairs, by their number, with intervals of one code of both blocks."""
        mine, begins = _by_block(self.left, left)
        other, _ = _by_block(self.right, right)
        mine_at, other_at = (np.searchsorted(distinct(side), side) for side in (left, right))
        lengths = np.diff(begins)[mine_at]
        pairs = np.repeat(np.arange(len(left)), lengths)
        rows = np.arange(len(pairs)) + np.repeat(
            begins[mine_at] - offsets_of(lengths)[:-1], lengths
        )
        kinds = 1 + max(int(side.codes.max(initial=0)) for side in (mine, other))
        keys = other.places * kinds + other.codes
        wanted = other_at[pairs] * kinds + mine.codes[rows]
        first = np.searchsorted(keys, wanted)
        counts = _runs(keys)[first]
        counts[keys[np.minimum(first, len(keys) - 1)] != wanted] = 0
        self.work.spend(int(counts.sum()))
        some = np.flatnonzero(counts)
        yield from _expanded((pairs[some], rows[some], first[some], counts[some]), mine, other)


def _by_block(blocks: Blocks, chosen: Numbers) -> tuple[Intervals, Numbers]:
    """The intervals of the blocks that are among `chosen`, by block and code; where each begins."""
    known = distinct(chosen)
    found = intervals_of(blocks, known, blocks.entries(known, blocks.stride + blocks.w - 1))
    return found, np.searchsorted(found.places, np.arange(len(known) + 1))


def _runs(keys: Numbers) -> Numbers:
    """For each of the sorted keys how many there are of it; and 0 at the end."""
    ends = np.flatnonzero(np.append(keys[1:] != keys[:-1], True)) + 1 if len(keys) else keys
    lengths = np.diff(ends, prepend=0)
    return np.append(np.repeat(lengths, lengths), 0)


def _expanded(
    met: tuple[Numbers, Numbers, Numbers, Numbers], mine: Intervals, other: Intervals
) -> Iterator[tuple[Numbers, Intervals, Intervals]]:
    """Each row of `met` (pair, interval of mine, first of other, how many) with all of them."""
    ends = offsets_of(met[3])
    start = 0
    while start < len(met[0]):
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] + _RECTANGLES)) - 1)
        pairs, rows, first, counts = (column[start:stop] for column in met)
        within = np.arange(ends[stop] - ends[start]) - np.repeat(
            ends[start:stop] - ends[start], counts
        )
        yield (
            np.repeat(pairs, counts),
            mine.taken(np.repeat(rows, counts)),
            other.taken(np.repeat(first, counts) + within),
        )
        start = stop
