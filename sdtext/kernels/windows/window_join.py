"""Exact join of windows: all pairs of windows of documents that differ in few terms.

The question is that of P. Wang, C. Xiao, Y. Ishikawa: Detecting reused contents in text documents.
Documents are cut into blocks. Candidate pairs of blocks come from posting lists, without loss, and
are then verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows.candidate_blocks import (
    BUDGET,
    Blocks,
    Numbers,
    TooMuchWork,
    Work,
)
from sdtext.kernels.windows.candidate_verification import (
    BlockOverlaps,
    batches,
    near_overlaps,
    with_overlap,
)
from sdtext.kernels.windows.count_filter import candidate_pairs

_TABLE = 1 << 20  # entries of a table by term that is always small enough
_AREA = 1 << 21  # pairs of windows that are verified at once
_SPARSE = 4  # entries by term; beyond, terms are renumbered
_CELL = 1 << 15  # steps of a cell of the result: four million at most, 300 MB
_NAME = "window_pairs"
_ROWS = 1 << 24  # of the result: 400 MB
_WAITING = 1 << 20  # rows that wait for the nearest to be taken


@dataclass(frozen=True)
class WindowJoin:
    """What a join finds: windows of `w` terms that differ, as bags, in at most `tau` terms.

    `budget` is the number of steps that a join may take; `progress` is called with the share that
    is done.
    """

    w: int
    tau: int
    budget: int = BUDGET
    progress: Callable[[float], None] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_windows("windows", self.w, self.tau)

    def shortened(self, w: int) -> WindowJoin:
        """The same for windows of fewer terms, of which the same share may differ.

        >>> WindowJoin(w=30, tau=15).shortened(10)
        WindowJoin(w=10, tau=5, budget=137438953472)
        """
        return WindowJoin(w, w * self.tau // self.w, self.budget)


class Cells(NamedTuple):
    """Pairs of near windows, grouped by cells: int64 columns of one length.

    A cell has the pairs of windows of two documents, `left` and `right`, that start within a
    square of the grid of starts; its side is at most the length of a window, so that all of them
    overlap. `first` and `last` are the least and the greatest start on the left, `right_first` and
    `right_last` those on the right; `pairs` is the number of pairs, `least` their least distance.
    A window that starts at i has the terms `[i, i + w)`.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    right_first: NDArray[np.int64]
    right_last: NDArray[np.int64]
    pairs: NDArray[np.int64]
    least: NDArray[np.int64]


def no_cells() -> Cells:
    """An empty result."""
    return Cells(*(np.empty(0, np.int64) for _ in Cells._fields))


def join_windows(left: Ragged, right: Ragged | None, join: WindowJoin) -> Cells:
    """The pairs of windows that `join` describes.

    Rows are documents as term numbers (from 0) of one vocabulary. Each document of `left` is
    compared with each of `right`; without `right` each of `left` with the later ones of it. A
    document of fewer than `w` terms has no windows. The cells are sorted by documents, then by
    starts. Raises TooMuchWork before more steps are taken than its budget has.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> documents = Ragged.of([[1, 2, 3], [3, 9, 2, 1]])
    >>> cells = join_windows(documents, None, WindowJoin(w=3, tau=1))
    >>> [column.tolist() for column in (cells.left, cells.right, cells.pairs, cells.least)]
    [[0], [1], [2], [1]]
    """
    sides = cut_into_blocks(left, right, join.w)
    return cells_of_blocks(sides, join) if sides else no_cells()


def cells_of_blocks(sides: tuple[Blocks, Blocks], join: WindowJoin) -> Cells:
    """The same for documents that are cut into blocks; both sides are one if there is no right.

    A pair of blocks is a cell: the range of starts of its near windows.
    """
    left, right = sides
    swap = left is right or len(right.terms) < len(left.terms)
    ordered = (right, left) if swap else (left, right)
    parts = []
    for overlaps in near_blocks(ordered, join):
        near = np.asarray(overlaps.common >= join.w - join.tau)
        columns = []
        for blocks, places, axis in zip(ordered, overlaps[:2], (2, 1), strict=True):
            starts = np.asarray(near.any(axis=axis))
            begin = blocks.firsts[places]
            first = begin + starts.argmax(axis=1)
            last = begin + starts.shape[1] - 1 - starts[:, ::-1].argmax(axis=1)
            columns.append((blocks.documents[places], first, last))
        mine, other = columns[::-1] if swap else columns
        count = near.sum(axis=(1, 2), dtype=np.int64)
        least = join.w - overlaps.common.max(axis=(1, 2), initial=0).astype(np.int64)
        parts.append((mine[0], other[0], *mine[1:], *other[1:], count, least))
    if not parts:
        return no_cells()
    cells = Cells(*map(np.concatenate, zip(*parts, strict=True)))
    order = np.lexsort((cells.right_first, cells.first, cells.right, cells.left))
    return Cells(*(column[order] for column in cells))


def near_blocks(sides: tuple[Blocks, Blocks], join: WindowJoin) -> Iterator[BlockOverlaps]:
    """The pairs of blocks that hold near windows, in batches.

    If both sides are the same, the later document of a pair is the left one. Raises as
    `join_windows`.
    """
    mine, other = sides
    least, work = join.w - join.tau, Work(join.budget, join.w, join.tau, join.progress)
    at_once = max(1, _AREA // (mine.stride + 1) ** 2)
    pairs = with_overlap(sides, candidate_pairs(mine, other, join.tau, work), least, work)
    for some in batches(pairs, at_once):
        left, right = map(np.concatenate, zip(*some, strict=True))
        for start in range(0, len(left), at_once):
            stop = start + at_once
            overlaps = near_overlaps(sides, left[start:stop], right[start:stop], least, work)
            work.spend(len(overlaps.left) * _CELL)
            yield overlaps
        if join.progress:
            share = (int(left[-1]) + 1) / mine.count
            join.progress(share**2 if mine is other else share)  # each with the earlier ones


def cut_into_blocks(left: Ragged, right: Ragged | None, w: int) -> tuple[Blocks, Blocks] | None:
    """The documents with their terms numbered by rarity, cut into blocks.

    Terms that only one side has cannot match. Without `right` both sides are the same. None if a
    side has no document of `w` terms, which may be any number.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> cut_into_blocks(Ragged.of([[1, 2]]), None, 10**20) is None
    True
    """
    sides = [left] if right is None else [left, right]
    if w > min(int(side.lengths.max(initial=0)) for side in sides):
        return None
    values = [side.values[: side.offsets[-1]].astype(np.int64) for side in sides]
    most = 1 + max(int(terms.max(initial=-1)) for terms in values)
    if most > _SPARSE * sum(len(terms) for terms in values) + _TABLE:
        known = distinct(np.concatenate(values))
        values, most = [np.searchsorted(known, terms) for terms in values], len(known)
    counts = np.stack([np.bincount(terms, minlength=most) for terms in values])
    useful = np.flatnonzero((counts > 0).all(axis=0))
    order = useful[np.argsort(counts.sum(axis=0)[useful], kind="stable")]
    ranks = np.full(most, -1)
    ranks[order] = np.arange(len(order))
    blocks = [
        Blocks.of(ranks[terms], side.offsets, w) for terms, side in zip(values, sides, strict=True)
    ]
    return blocks[0], blocks[-1]


def sequence_window_pairs(
    left: Sequence[int] | NDArray[Any], right: Sequence[int] | NDArray[Any], join: WindowJoin
) -> NDArray[np.int64]:
    """All pairs of windows of two sequences of whole numbers: rows (i, j, d), sorted, int64.

    The numbers may be of any size. Raises TooMuchWork.

    >>> sequence_window_pairs([5, 7, 7, 9], [7, 5, 7], WindowJoin(w=3, tau=1)).tolist()
    [[0, 0, 0], [1, 0, 1]]
    """
    numbers: dict[int, int] = {}
    first, second = (
        np.array([numbers.setdefault(int(item), len(numbers)) for item in side], np.int64)
        for side in (left, right)
    )
    rows, _ = nearest_windows(first, second, join)
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


def nearest_windows(
    left: Numbers, right: Numbers, join: WindowJoin, most: int | None = None
) -> tuple[NDArray[np.int64], int]:
    """The `most` nearest pairs of windows of two sequences of term numbers (from 0), or all.

    Rows (i, j, d), the nearest first, and the number of all pairs: the window of `left` that starts
    at i and that of `right` that starts at j differ in d terms.
    Raises TooMuchWork, without `most` also for more pairs than can be listed.

    >>> import numpy as np
    >>> sides = np.array([0, 1, 1]), np.array([1, 0])
    >>> rows, total = nearest_windows(*sides, WindowJoin(2, 1), most=1)
    >>> rows.tolist(), total
    ([[0, 0, 0]], 2)
    """
    sides = Ragged.of([left], "int64"), Ragged.of([right], "int64")
    if most is None and (listed := int(join_windows(*sides, join).pairs.sum())) > _ROWS:
        raise TooMuchWork(
            f"{_NAME}: {listed:,} pairs of windows match; at most {_ROWS:,} are returned; use "
            "shorter sequences or a smaller distance, or list the nearest ones alone"
        )
    total, waiting, parts = 0, 0, [np.empty((0, 3), np.int64)]
    blocks = cut_into_blocks(*sides, join.w)
    if not blocks:
        return parts[0], 0
    for overlaps in near_blocks(blocks, join):
        pair, i, j = np.nonzero(overlaps.common >= join.w - join.tau)
        left_at = blocks[0].firsts[overlaps.left[pair]] + i
        right_at = blocks[1].firsts[overlaps.right[pair]] + j
        distances = join.w - overlaps.common[pair, i, j].astype(np.int64)
        parts.append(np.stack((left_at, right_at, distances), axis=1))
        total += len(parts[-1])
        waiting += len(parts[-1])
        if most is not None and waiting > most + _WAITING:
            parts, waiting = [_nearest(parts, most)], 0
    return _nearest(parts, most), total


def _nearest(parts: list[Numbers], most: int | None) -> Numbers:
    """The nearest rows (i, j, d), those of equal distance by i, then by j."""
    rows = np.concatenate(parts)
    return rows[np.lexsort((rows[:, 1], rows[:, 0], rows[:, 2]))[:most]]


def check_windows(part: str, w: int, tau: int, distance: str = "tau") -> None:
    """OptionError for values that no windows can have; `distance` is the name of the option tau."""
    if w < 1:
        raise OptionError.of(part, "w", w, "1 or more")
    if not 0 <= tau < w:
        raise OptionError.of(part, distance, tau, f"0 or more and below w, which is {w}")
