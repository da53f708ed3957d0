"""Exact join of windows: all pairs of windows of documents that differ in few terms.

The question is that of P. Wang, C. Xiao, Y. Ishikawa: Detecting reused contents in text documents.
Documents are cut into blocks, which `csrc/window_join.c` compares.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.c_library import KERNELS

BUDGET = 1 << 37
"""Default budget in steps: about ten minutes."""
Numbers = NDArray[np.int64]
_LONGEST = 256  # starts in a block: their square is the work of verifying a pair of blocks
_CHUNK = 1 << 12  # blocks that are indexed at once, as in C
_CELL = 1 << 15  # steps of a cell of the result: four million at most, 300 MB
_NAME = "window_pairs"
_ROWS = 1 << 24  # of the result: 400 MB
_WAITING = 1 << 20  # rows that wait for the nearest to be taken


class TooMuchWork(OptionError):  # noqa: N818 (the work is too much, the input has no error)
    """A join would exceed its budget; the message says what to change."""


@dataclass
class Work:
    """The steps that are left: all work is counted before it is done."""

    left: int
    w: int
    tau: int

    def spend(self, steps: int) -> None:
        """Subtract `steps`. Raises TooMuchWork if fewer are left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork(
                f"windows: too many windows match at w = {self.w} and distance = {self.tau}; "
                "use fewer or shorter texts, a smaller distance or a longer w"
            )


@dataclass(frozen=True, eq=False)
class Blocks:
    """Documents cut into strides of `stride` terms; those too short for a window have none.

    `terms` are ranks from 0, the rarest term first, and -1 for a term that cannot match; document
    i has the terms `[offsets[i], offsets[i + 1])`, `windows[i]` windows, and the strides from
    `bounds[i]` on. Of each stride, of which there are `count`, `documents` has the document,
    `firsts` its offset there, and `starts` the number of windows that start in it, maybe 0 in the
    last of a document. A block holds the terms of all windows of `w` terms that start in its
    stride, so it extends over `reach` strides.
    """

    terms: Numbers
    offsets: Numbers
    w: int
    stride: int
    reach: int
    windows: Numbers
    bounds: Numbers
    count: int
    documents: Numbers
    firsts: Numbers
    starts: Numbers

    @classmethod
    def of(cls, terms: Numbers, offsets: Numbers, w: int) -> Blocks:
        """The blocks of documents with these terms, for windows of `w` of them."""
        stride = max(1, min(w // 2 * 2, _LONGEST))  # windows that start in a block: even, or 1
        windows = np.maximum(np.diff(offsets) - (w - 1), 0)
        lengths = np.where(windows > 0, np.diff(offsets), 0)
        bounds = offsets_of(-(-lengths // stride))
        documents = np.repeat(np.arange(len(windows)), np.diff(bounds))
        firsts = (np.arange(len(documents)) - bounds[documents]) * stride
        starts = np.clip(windows[documents] - firsts, 0, stride)
        reach = -(-(stride + w - 1) // stride)
        columns = windows, bounds, len(documents), documents, firsts, starts
        return cls(terms, offsets, w, stride, reach, *columns)


@dataclass(frozen=True)
class WindowJoin:
    """What a join finds: windows of `w` terms that differ, as bags, in at most `tau` terms.

    `budget` is the number of steps that a join may take, `jobs` that of its threads; `progress` is
    called with the share that is done.
    """

    w: int
    tau: int
    budget: int = BUDGET
    jobs: int = 1
    progress: Callable[[float], None] | None = field(default=None, repr=False)

    def shortened(self, w: int) -> WindowJoin:
        """The same for windows of fewer terms, of which the same share may differ.

        >>> WindowJoin(w=30, tau=15).shortened(10)
        WindowJoin(w=10, tau=5, budget=137438953472, jobs=1)
        """
        return WindowJoin(w, w * self.tau // self.w, self.budget, self.jobs)


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
    parts = [np.empty((0, 8), np.int64)]
    if sides:
        parts += near_windows(sides, join, each=False)
    cells = Cells(*np.concatenate(parts).T.copy())
    order = np.lexsort((cells.right_first, cells.first, cells.right, cells.left))
    return Cells(*(column[order] for column in cells))


def near_windows(
    sides: tuple[Blocks, Blocks], join: WindowJoin, *, each: bool
) -> Iterator[NDArray[np.int64]]:
    """The cells of two sides in batches of rows, in any order; with `each` one for each pair.

    If both sides are the same, the earlier document of a pair is the left one. Raises as
    `join_windows`. The side with fewer terms is indexed, a chunk at a time.
    """
    if "window_join" not in KERNELS:
        yield from _near_windows_plain(sides, join, each=each)
        return
    left, right = sides
    is_one, w = left is right, join.w
    swap = is_one or len(right.terms) > len(left.terms)
    query, other = (right, left) if swap else (left, right)
    most = np.zeros(1 + max(int(side.terms.max(initial=-1)) for side in sides), np.int64)
    for side in {id(side): side for side in sides}.values():
        KERNELS["window_codes"](side.terms, side.offsets, w, most)
    bases = offsets_of(most)
    columns: list[tuple[NDArray[Any], ...]] = []
    for blocks in (query,) if is_one else (query, other):
        # The intervals of codes of all blocks, where those of each block end, and the blocks.
        ends = np.empty(blocks.count + 1, np.int64)
        given = blocks.terms, blocks.offsets, bases[:-1], w, blocks.stride, ends
        _, intervals = KERNELS["window_intervals"](*given)
        columns.append((intervals, ends, blocks.documents, blocks.firsts))
    work = Work(join.budget, w, join.tau)

    def of_chunk(first: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """The steps and the rows of each call for the blocks from `first` on."""
        steps = np.array([join.budget])
        place = int(query.bounds[other.documents[first] + 1]) if is_one else 0
        while place < query.count and steps[0] >= 0:
            before = int(steps[0])
            numbers = int(bases[-1]), place, first, w, left.stride, w - join.tau, is_one, each
            place, rows = KERNELS["window_join"](*columns[0], *columns[-1], *numbers, steps)
            yield before - int(steps[0]), rows

    firsts = range(0, other.count, _CHUNK)
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    pool = ThreadPoolExecutor(join.jobs)
    try:
        chunks: Iterator[Iterable[tuple[int, NDArray[np.int64]]]] = (
            map(of_chunk, firsts)
            if min(join.jobs, len(firsts)) == 1
            else pool.map(lambda first: [*of_chunk(first)], firsts)
        )
        for number, chunk in enumerate(chunks, 1):
            for spent, rows in chunk:
                work.spend(spent)
                yield rows[:, [1, 0, 4, 5, 2, 3, 6, 7]] if swap else rows
            if join.progress:
                share = number / len(firsts)
                join.progress(share * (2 - share) if is_one else share)  # each with the later ones
    finally:
        pool.shutdown(cancel_futures=True)


def _near_windows_plain(
    sides: tuple[Blocks, Blocks], join: WindowJoin, *, each: bool
) -> Iterator[NDArray[np.int64]]:
    """`near_windows` by the overlap of each window with each."""
    left, right = sides
    w, side = join.w, 1 if each else left.stride
    work = Work(join.budget, w, join.tau)
    mine, others = (Ragged(blocks.terms, blocks.offsets) for blocks in sides)
    for document, other in product(range(len(mine)), range(len(others))):
        if left is right and document >= other:
            continue
        terms, wanted = mine[document].tolist(), others[other]
        wanted = np.where(wanted < 0, -2, wanted).tolist()  # equal to none of the left
        cells: defaultdict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
        for i in range(len(terms) - w + 1):
            work.spend(len(wanted))
            for j, common in enumerate(overlaps_along(terms[i : i + w], wanted)):
                if common >= w - join.tau:
                    if (i // side, j // side) not in cells:
                        work.spend(_CELL)
                    cells[i // side, j // side].append((i, j, w - common))
        for rows in cells.values():
            starts, right_starts, distances = zip(*rows, strict=True)
            places = min(starts), max(starts), min(right_starts), max(right_starts)
            yield np.array([(document, other, *places, len(rows), min(distances))])


def overlaps_along(window: Sequence[int], terms: Sequence[int]) -> list[int]:
    """What a window has in common with each window of `terms` that is as long, in one pass.

    By the counters of Wang, Xiao and Ishikawa (section 5), corrected: a term that arrives is
    always taken off its count, and one that leaves is added to it. The window is not empty.

    >>> overlaps_along([4, 5, 6], [7, 4, 6, 6, 8])
    [2, 2, 1]
    """
    missing, common, result = Counter(window), 0, []
    for place, term in enumerate(terms):
        missing[term] -= 1
        common += missing[term] >= 0
        if place >= len(window):
            leaving = terms[place - len(window)]
            missing[leaving] += 1
            common -= missing[leaving] > 0
        if place >= len(window) - 1:
            result.append(common)
    return result


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
    for rows in near_windows(blocks, join, each=True) if blocks else ():
        parts.append(rows[:, [2, 4, 7]])
        total += len(rows)
        waiting += len(rows)
        if most is not None and waiting > most + _WAITING:
            parts, waiting = [_nearest(parts, most)], 0
    return _nearest(parts, most), total


def _nearest(parts: list[Numbers], most: int | None) -> Numbers:
    """The nearest rows (i, j, d), those of equal distance by i, then by j."""
    rows = np.concatenate(parts)
    return rows[np.lexsort((rows[:, 1], rows[:, 0], rows[:, 2]))[:most]]
