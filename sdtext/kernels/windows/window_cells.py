"""The distances of all windows of pairs of blocks, and what is kept of them.

Windows of two blocks have as many terms in common as there are codes (the k-th of a term) that both
have. The starts of windows that have a code are a few intervals; two intervals, one of each block,
are a rectangle of pairs of windows that have one term more in common. Rectangles are added up as
changes at their corners and two running sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.cells import Cells
from sdtext.kernels.windows.window_blocks import Blocks, Numbers, distinct
from sdtext.kernels.windows.window_intervals import Intervals, intervals_of
from sdtext.kernels.windows.window_work import Work

Pairs = tuple[Numbers, Numbers]

_AREA = 1 << 21  # pairs of windows that are looked at together
_RECTANGLES = 1 << 20  # at once


@dataclass(frozen=True, eq=False)
class Looked:
    """Pairs of blocks and, of shape (pairs, starts, starts), the terms their windows share."""

    left: Numbers
    right: Numbers
    common: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Looking:
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

    def looked(self, left: Numbers, right: Numbers) -> Iterator[Looked]:
        """The pairs of blocks that hold windows which are near, some at a time."""
        for start in range(0, len(left), self.at_once):
            some = slice(start, start + self.at_once)
            common = self._common(left[some], right[some])
            near = common.max(axis=(1, 2), initial=0) >= self.least
            yield Looked(left[some][near], right[some][near], common[near])

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


def gathered(looked: Looked, looking: Looking) -> Cells:
    """What is kept of the pairs of blocks: for each where windows that are near start."""
    near = np.asarray(looked.common >= looking.least)
    sides = []
    for blocks, places, axis in ((looking.left, looked.left, 2), (looking.right, looked.right, 1)):
        some = np.asarray(near.any(axis=axis))
        begin = blocks.firsts[places]
        first = begin + some.argmax(axis=1)
        last = begin + some.shape[1] - 1 - some[:, ::-1].argmax(axis=1)
        sides.append((blocks.documents[places], first, last))
    (left, first, last), (right, right_first, right_last) = sides
    count = near.sum(axis=(1, 2), dtype=np.int64)
    least = looking.left.w - looked.common.max(axis=(1, 2), initial=0).astype(np.int64)
    return Cells(left, right, first, last, right_first, right_last, count, least)
