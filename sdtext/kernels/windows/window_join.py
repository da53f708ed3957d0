"""Exact join of windows: all pairs of windows of documents that differ in few terms.

The question is that of P. Wang, C. Xiao, Y. Ishikawa: Detecting reused contents in text documents.
Documents are cut into blocks. Candidate pairs of blocks come from posting lists or from prefix
signatures, both without loss, whichever takes fewer steps; candidates are then verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows.candidate_verification import (
    BlockOverlaps,
    Verifier,
    batches,
    with_overlap,
)
from sdtext.kernels.windows.posting_lists import CountFilter
from sdtext.kernels.windows.prefix_signatures import COMBINATION_COST, PrefixSignatures
from sdtext.kernels.windows.window_blocks import Blocks, Numbers, distinct, stride_for
from sdtext.kernels.windows.work_budget import BUDGET, TooMuchWork, Work


@dataclass(frozen=True, eq=False)
class Cells:
    """Pairs of windows that are near, gathered by cells: int64 columns of one length.

    A cell has the pairs of windows of two documents, `left` and `right`, that start within a
    square of the grid of starts; its side is at most the length of a window, so that all of them
    overlap. `first` to `last` are the least and the greatest start on the left, `right_first` to
    `right_last` on the right; `count` says how many pairs there are, `least` their least distance.
    A window that starts at i has the terms from i to before i + w.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    right_first: NDArray[np.int64]
    right_last: NDArray[np.int64]
    count: NDArray[np.int64]
    least: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.left)

    @property
    def columns(self) -> tuple[NDArray[np.int64], ...]:
        """The columns in the order above."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def ordered(self) -> Cells:
        """The same by documents, then by where the cells are."""
        order = np.lexsort((self.right_first, self.first, self.right, self.left))
        return Cells(*(column[order] for column in self.columns))

    def turned(self) -> Cells:
        """The same with the two sides exchanged."""
        left, right, first, last, right_first, right_last, count, least = self.columns
        return Cells(right, left, right_first, right_last, first, last, count, least)


def no_cells() -> Cells:
    """No cell at all.

    >>> len(no_cells())
    0
    """
    return Cells(*(np.empty(0, np.int64) for _ in fields(Cells)))


def concatenated_cells(parts: Sequence[Cells]) -> Cells:
    """The cells of all parts, one behind the other."""
    if not parts:
        return no_cells()
    return Cells(
        *(
            np.concatenate(columns)
            for columns in zip(*(part.columns for part in parts), strict=True)
        )
    )


def joined_cells(
    left: Ragged, right: Ragged | None, w: int, tau: int, budget: int = BUDGET
) -> Cells:
    """Where windows of `w` terms differ in at most `tau` terms, as bags of terms.

    Rows are documents, of the terms of one vocabulary: numbers from 0. Compared
    is each document of `left` with each of `right`; without `right` each of `left` with the later
    ones of it. A document of fewer than `w` terms has no windows. The cells are ordered by
    documents, then by starts. Raises TooMuchWork before more than `budget` steps are taken.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> cells = joined_cells(Ragged.of([[1, 2, 3], [3, 9, 2, 1]]), None, w=3, tau=1)
    >>> [column.tolist() for column in (cells.left, cells.right, cells.count, cells.least)]
    [[0], [1], [2], [1]]
    """
    turned = right is None or len(right.values) < len(left.values)
    first, second = (left, right) if right is None or not turned else (right, left)
    cells = concatenated_cells(
        [
            cells_of(looked, looking)
            for looked, looking in near_blocks(first, second, (w, tau), budget)
        ]
    )
    return (cells.turned() if turned else cells).ordered()


def cells_of(looked: BlockOverlaps, looking: Verifier) -> Cells:
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


Pairs = tuple[Numbers, Numbers]

_TABLE = 1 << 20  # numbers of terms that index a table, however few terms there are
_SPARSE = 4  # the same by term: beyond, terms are numbered anew
_CELL = 1 << 15  # steps that a cell which is kept stands for: four million at most, 300 MB
_TIGHT = 10  # times tau is at most w where signatures may be of use
_SIGNED = 1_000  # steps to find the rarest of each window, by term


def near_blocks(
    left: Ragged, right: Ragged | None, asked: tuple[int, int], budget: int
) -> Iterator[tuple[BlockOverlaps, Verifier]]:
    """The pairs of blocks that hold windows which are near, some at a time; `asked` is w and tau.

    Without `right` the later document is the left one. Raises TooMuchWork.
    """
    w, tau = asked
    if w > min(int(side.lengths.max(initial=0)) for side in (left, right or left)):
        return
    work = Work(budget, w, tau)
    mine, other = blocks_of(left, right, w)
    looking = Verifier(mine, other, tau, work)
    pairs = with_overlap(
        (mine, other), candidate_strategy(mine, other, tau).pairs(work), w - tau, work
    )
    for some in batches(pairs, looking.at_once):
        for looked in looking.looked(*_together(some)):
            work.spend(len(looked.left) * _CELL)
            yield looked, looking


def candidate_strategy(left: Blocks, right: Blocks, tau: int) -> CountFilter | PrefixSignatures:
    """What finds the pairs of blocks in the fewest steps, as far as these can be counted before.

    Where tau is small beside w it may be signatures of one, two or three terms, else counting.
    """
    best: CountFilter | PrefixSignatures = CountFilter(left, right, tau)
    terms = len(left.terms) + (len(right.terms) if left is not right else 0)
    if tau * _TIGHT > left.w or best.cost <= terms * _SIGNED:
        return best
    for k in (1, 2, 3):
        signatures = PrefixSignatures(left, right, tau, k)
        if not signatures.possible or signatures.combinations * COMBINATION_COST > best.cost:
            continue
        if signatures.cost < best.cost:
            best = signatures
    return best


def blocks_of(left: Ragged, right: Ragged | None, w: int) -> tuple[Blocks, Blocks]:
    """The documents with their terms numbered by how rare they are, cut into blocks.

    Terms that only one side has are of no use.
    """
    sides = [left] if right is None else [left, right]
    values = [side.values[: side.offsets[-1]].astype(np.int64) for side in sides]
    most = 1 + max(int(one.max(initial=-1)) for one in values)
    if most > _SPARSE * sum(len(one) for one in values) + _TABLE:
        known = distinct(np.concatenate(values))
        values, most = [np.searchsorted(known, one) for one in values], len(known)
    counts = np.stack([np.bincount(one, minlength=most) for one in values])
    useful = np.flatnonzero((counts > 0).all(axis=0))
    order = useful[np.argsort(counts.sum(axis=0)[useful], kind="stable")]
    numbers = np.full(most, -1)
    numbers[order] = np.arange(len(order))
    made = [
        Blocks(numbers[one], side.offsets, w, stride_for(w))
        for one, side in zip(values, sides, strict=True)
    ]
    return made[0], made[-1]


def _together(pairs: list[Pairs]) -> Pairs:
    return np.concatenate([one[0] for one in pairs]), np.concatenate([one[1] for one in pairs])


_NAME = "window_pairs"
_ROWS = 1 << 24  # of the result: 400 MB


def window_pairs(
    left: Sequence[int] | NDArray[Any], right: Sequence[int] | NDArray[Any], w: int, tau: int
) -> NDArray[np.int64]:
    """All pairs of windows of `w` numbers that differ in at most `tau` of them: rows (i, j, d).

    The window of `left` that starts at i and that of `right` that starts at j have w - d numbers
    in common, each counted as often as both have it; their order does not count. Rows are sorted
    by i, then by j, of shape (pairs, 3) and int64. A sequence shorter than `w` has no windows.
    Raises OptionError for what are no whole numbers, for w below 1, for tau below 0 or not below
    w, and where the result is larger than memory should hold or takes too long to find.

    >>> window_pairs([5, 7, 7, 9], [7, 5, 7], w=3, tau=1).tolist()
    [[0, 0, 0], [1, 0, 1]]
    """
    w, tau = checked(w, tau)
    numbers: dict[int, int] = {}
    one, other = (
        Ragged.of([_numbered(given, name, numbers)], "int64")
        for name, given in (("left", left), ("right", right))
    )
    cells = joined_cells(one, other, w, tau)
    total = int(cells.count.sum())
    if total > _ROWS:
        raise TooMuchWork(
            f"{_NAME}: {total} pairs of windows match; at most {_ROWS} are returned; use shorter "
            "sequences or a smaller tau"
        )
    found = [np.empty((0, 3), np.int64)]
    for looked, looking in near_blocks(one, other, (w, tau), BUDGET):
        pair, i, j = np.nonzero(looked.common >= looking.least)
        at = looking.left.firsts[looked.left[pair]] + i
        right_at = looking.right.firsts[looked.right[pair]] + j
        distances = w - looked.common[pair, i, j].astype(np.int64)
        found.append(np.stack((at, right_at, distances), axis=1))
    rows = np.concatenate(found)
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


def checked(w: int, tau: int) -> tuple[int, int]:
    """Both as Python has them, for numbers of NumPy may be too small to calculate with.

    Raises OptionError where there are no such windows.

    >>> checked(3, 3)
    Traceback (most recent call last):
    sdtext.errors.OptionError: window_pairs: tau is 3; it must be 0 or more and below w, which is 3
    """
    w, tau = _whole("w", w), _whole("tau", tau)
    if w < 1:
        raise OptionError.of(_NAME, "w", w, "1 or more")
    if not 0 <= tau < w:
        raise OptionError.of(_NAME, "tau", tau, f"0 or more and below w, which is {w}")
    return w, tau


def _whole(option: str, given: int) -> int:
    try:
        return index(given)
    except TypeError:
        raise OptionError.of(_NAME, option, given, "a whole number") from None


def _numbered(given: Sequence[int] | NDArray[Any], name: str, numbers: dict[int, int]) -> list[int]:
    """Small numbers for those that are given, however large or negative these are."""
    try:
        return [numbers.setdefault(index(one), len(numbers)) for one in given]
    except TypeError:
        wanted = "a sequence of whole numbers: a list or an array of one dimension"
        raise OptionError.of(_NAME, name, given, wanted) from None
