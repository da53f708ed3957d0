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

from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.candidate_blocks import (
    Bags,
    Blocks,
    Intervals,
    Numbers,
    Work,
    bags,
    intervals_of,
)

Pairs = tuple[Numbers, Numbers]

_CODES = 1 << 20  # looked up at once
_PAIRS = 1 << 20  # that are batches before blocks are laid out for them
_FEW = 8
_AREA = 1 << 21  # pairs of windows that are verified at once
_RECTANGLES = 1 << 20  # at once


@dataclass(frozen=True, eq=False)
class BlockSets:
    """Blocks of two sides as sets of codes: those of `left` by rows, those of `right` as a table.

    A row of the table has the codes of one block and is padded with a code that no block has;
    `rows` maps blocks to rows.
    """

    left: Bags
    table: NDArray[np.int32]
    rows: Numbers
    codes: int

    @classmethod
    def of(cls, left: Blocks, right: Blocks, chosen: Numbers) -> BlockSets:
        """The blocks of left and the chosen ones, which ascend, of right."""
        whole = np.arange(len(left))
        sides = [(left, whole), (right, chosen)]
        same = left is right and len(chosen) == len(right)
        bags_of_blocks, codes = bags(sides[:1] if same else sides, left.stride + left.w - 1)
        right_bags = bags_of_blocks[-1]
        lengths = np.diff(right_bags.offsets)
        table = np.full((len(lengths), max(1, int(lengths.max(initial=0)))), codes, np.int32)
        within = np.arange(len(right_bags.codes)) - right_bags.offsets[right_bags.places]
        table[right_bags.places, within] = right_bags.codes
        rows = np.zeros(len(right), np.int64)
        rows[chosen] = np.arange(len(chosen))
        return cls(bags_of_blocks[0], table, rows, codes)

    def with_overlap(self, pairs: Iterable[Pairs], least: int, work: Work) -> Iterator[Pairs]:
        """The pairs with at least `least` codes in common; each batch has one left block."""
        wanted = np.zeros(self.codes + 1, np.float32)  # so that counts are a matrix product
        for left, right in pairs:
            work.spend(self.table.shape[1] * len(right))
            place = int(left[0])
            codes = self.left.codes[self.left.offsets[place] : self.left.offsets[place + 1]]
            wanted[codes] = 1
            kept = self._counts(self.rows[right], wanted) >= least
            wanted[codes] = 0
            yield left[kept], right[kept]

    def _counts(self, rows: Numbers, wanted: NDArray[np.float32]) -> NDArray[np.float32]:
        """For each row of the table the number of wanted codes in it."""
        width = self.table.shape[1]
        size = max(1, _CODES // width)
        ones = np.ones(width, np.float32)
        parts = [rows[at : at + size] for at in range(0, len(rows), size)]
        with np.errstate(invalid="ignore"):  # BLAS may warn of numbers beyond the rows
            counts = [wanted.take(self.table.take(part, axis=0)) @ ones for part in parts]
        return np.concatenate(counts)


def with_overlap(
    sides: tuple[Blocks, Blocks], pairs: Iterator[Pairs], least: int, work: Work
) -> Iterator[Pairs]:
    """The pairs of blocks with at least `least` terms in common, in batches.

    Each batch of `pairs` has one block of the left and several of the right.
    """
    left, right = sides
    if len(left) * _FEW >= len(right):
        yield from BlockSets.of(left, right, np.arange(len(right))).with_overlap(pairs, least, work)
        return
    for some in batches(pairs, _PAIRS):
        chosen = distinct(np.concatenate([near for _, near in some]))
        yield from BlockSets.of(left, right, chosen).with_overlap(some, least, work)


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


@dataclass(frozen=True, eq=False)
class BlockOverlaps:
    """Pairs of blocks and the overlaps of their windows, of shape (pairs, starts, starts)."""

    left: Numbers
    right: Numbers
    common: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Verifier:
    """Verification of pairs of blocks: windows are near if they differ in at most `tau` terms."""

    left: Blocks
    right: Blocks
    tau: int
    work: Work

    @property
    def least(self) -> int:
        """The least overlap of near windows."""
        return self.left.w - self.tau

    @property
    def at_once(self) -> int:
        """The number of pairs of blocks that are verified at once."""
        return max(1, _AREA // (self.left.stride + 1) ** 2)

    def verified(self, left: Numbers, right: Numbers) -> Iterator[BlockOverlaps]:
        """The pairs of blocks that hold near windows, in batches."""
        for start in range(0, len(left), self.at_once):
            some = slice(start, start + self.at_once)
            common = self._common(left[some], right[some])
            near = common.max(axis=(1, 2), initial=0) >= self.least
            yield BlockOverlaps(left[some][near], right[some][near], common[near])

    def _common(self, left: Numbers, right: Numbers) -> NDArray[np.int32]:
        """The overlap of the windows of the pairs, of shape (pairs, starts, starts)."""
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
        """Pairs, by number, with intervals of one code in both blocks."""
        known, other_known = distinct(left), distinct(right)
        mine, other = intervals_of(self.left, known), intervals_of(self.right, other_known)
        begins = np.searchsorted(mine.places, np.arange(len(known) + 1))
        mine_at, other_at = np.searchsorted(known, left), np.searchsorted(other_known, right)
        lengths = np.diff(begins)[mine_at]
        pairs = np.repeat(np.arange(len(left)), lengths)
        rows = np.arange(len(pairs)) + np.repeat(
            begins[mine_at] - offsets_of(lengths)[:-1], lengths
        )
        kinds = 1 + max(int(side.codes.max(initial=0)) for side in (mine, other))
        keys = other.places * kinds + other.codes
        wanted = other_at[pairs] * kinds + mine.codes[rows]
        first = np.searchsorted(keys, wanted)
        ends = np.flatnonzero(np.append(keys[1:] != keys[:-1], True)) + 1 if len(keys) else keys
        runs = np.diff(ends, prepend=0)
        counts = np.append(np.repeat(runs, runs), 0)[first]  # of equal keys
        counts[keys[np.minimum(first, len(keys) - 1)] != wanted] = 0
        self.work.spend(int(counts.sum()))
        some = np.flatnonzero(counts)
        pairs, rows, first, counts = pairs[some], rows[some], first[some], counts[some]
        ends, start = offsets_of(counts), 0
        while start < len(pairs):
            stop = max(start + 1, int(np.searchsorted(ends, ends[start] + _RECTANGLES)) - 1)
            at = slice(start, stop)
            within = np.arange(ends[start], ends[stop]) - np.repeat(ends[at], counts[at])
            yield (
                np.repeat(pairs[at], counts[at]),
                mine.taken(np.repeat(rows[at], counts[at])),
                other.taken(np.repeat(first[at], counts[at]) + within),
            )
            start = stop
