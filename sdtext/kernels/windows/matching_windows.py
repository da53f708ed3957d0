"""The windows that documents share, as boxes of places, which an aligner makes passages of.

Of documents that repeat themselves, boxes are merged without listing them. A text of one repeated
word, sentence or line has as many blocks as any other of its length, but few different ones. Two
such documents have as many pairs of matching blocks as the square of their length. Which classes of
equal blocks match is computed once, as if each class was a document; from where the blocks of each
class are, the boxes of a block with all of another document follow, and merge into a few runs.
Blocks one after the other are added, those at once that change nothing but the end of a merged box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, product
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import distinct, equal_rows
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.passages.boxes import Box, Boxes, ListedBoxes, MatchingBoxes, merged, portions
from sdtext.kernels.windows.window_join import (
    Blocks,
    Cells,
    Numbers,
    WindowJoin,
    Work,
    cells_of_blocks,
    cut_into_blocks,
    join_windows,
)

_FEW = 1 << 14  # pairs of equal blocks that take little work
_MANY = 4  # such pairs for each block, beyond which classes take less work
_AT_ONCE = 1 << 20  # boxes
_LISTED = 1 << 16  # boxes beside a passage, beyond which they are merged instead
_MERGED = 1 << 6  # steps to merge a box
_SPAN = 1 << 12  # steps of a span of a cell on one side: thirty million at most
_RUN = 1 << 14  # steps of a run of boxes: eight million at most, 400 MB


PairBoxes = tuple[int, int, MatchingBoxes]
"""The places of two documents, and their boxes."""


def matching_windows(left: Ragged, right: Ragged | None, join: WindowJoin) -> Iterator[PairBoxes]:
    """For each pair of documents with matching windows their places and the boxes.

    Documents are those of `join_windows`. Where they repeat themselves, equal blocks of them are
    compared once. Raises as `join_windows`.

    >>> documents = Ragged.of([[1, 2, 3], [3, 9, 2, 1]])
    >>> for left, right, boxes in matching_windows(documents, None, WindowJoin(w=3, tau=1)):
    ...     print(left, right, boxes.merged(3).tolist())
    0 1 [[0, 3, 0, 4]]
    """
    sides = cut_into_blocks(left, right, join.w)
    if not sides:
        return
    if classes := block_classes(sides, join.w - join.tau):
        yield from MatchingClasses.of(classes, join).pairs()
    else:
        yield from boxes_of_cells(cells_of_blocks(sides, join), join.w)


def boxes_of_cells(cells: Cells, w: int) -> Iterator[PairBoxes]:
    """For each pair of documents their places and the boxes of their cells of windows."""
    if not len(cells.left):  # w may then be too large for the integers of NumPy
        return
    order = np.lexsort((cells.right_first, cells.first, cells.right, cells.left))
    columns = (cells.first, cells.last + w, cells.right_first, cells.right_last + w)
    boxes = np.stack(columns, axis=1)[order].astype(np.int64, copy=False)
    left, right = cells.left[order], cells.right[order]
    changes = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
    ends = [0, *(np.flatnonzero(changes) + 1).tolist(), len(order)]
    for start, end in pairwise(ends):
        yield int(left[start]), int(right[start]), ListedBoxes(boxes[start:end])


@dataclass(frozen=True, eq=False)
class EqualBlocks:
    """The blocks of a side that have at least `least` terms which can match.

    Equal blocks have the same terms and the same number of them.
    """

    blocks: Blocks
    least: int

    @cached_property
    def begins(self) -> Numbers:
        """The place of the first term of each stride."""
        return self.blocks.offsets[self.blocks.documents] + self.blocks.firsts

    @cached_property
    def lengths(self) -> Numbers:
        """The number of terms from the start of each stride, up to those that a block reaches."""
        ends = self.blocks.offsets[self.blocks.documents + 1]
        lengths: Numbers = np.minimum(ends - self.begins, self.blocks.reach * self.blocks.stride)
        return lengths

    @cached_property
    def chosen(self) -> Numbers:
        """The strides in which windows start, with enough terms that can match."""
        matching = offsets_of(self.blocks.terms >= 0)
        enough = matching[self.begins + self.lengths] - matching[self.begins] >= self.least
        return np.flatnonzero((self.blocks.starts > 0) & enough)

    @cached_property
    def first(self) -> Numbers:
        """For each chosen block the place in `chosen` of the first equal one."""
        blocks, chosen = self.blocks, self.chosen
        begins, terms = _taken(self.begins, np.minimum(self.lengths, blocks.stride), blocks.terms)
        strides = equal_rows(Ragged((terms + 1).astype(np.uint32), begins), np.arange(blocks.count))
        begins, rows = _taken(chosen, -(-self.lengths[chosen] // blocks.stride), strides.first)
        return equal_rows(Ragged(rows, begins), np.arange(len(chosen))).first

    @cached_property
    def pairs(self) -> int:
        """The number of pairs of equal blocks of one document, each block with itself as well."""
        documents = self.blocks.documents[self.chosen]
        _, runs = np.unique(documents * len(documents) + self.first, return_counts=True)
        return int((runs**2).sum())


def _taken(starts: Numbers, lengths: Numbers, values: Numbers) -> tuple[Numbers, Numbers]:
    """The values in ranges from these starts, and the offsets of the ranges among them."""
    offsets = offsets_of(lengths)
    return offsets, values[np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)]


@dataclass(frozen=True, eq=False)
class BlockClasses:
    """The blocks of a side in classes of equal ones.

    `classes` has the number of each stride's class, or -1 where it has no windows or too few terms
    that can match; row i of `samples` has the terms of a block of class i.
    """

    blocks: Blocks
    classes: Numbers = field(repr=False)
    samples: Ragged = field(repr=False)

    @classmethod
    def of(cls, equal: EqualBlocks, useless: int) -> BlockClasses:
        """The classes of blocks, with `useless` for a term that cannot match."""
        blocks, chosen = equal.blocks, equal.chosen
        first, numbers = np.unique(equal.first, return_inverse=True)
        samples = chosen[first]
        lengths = np.minimum(equal.lengths[samples], blocks.stride + blocks.w - 1)
        offsets, terms = _taken(equal.begins[samples], lengths, blocks.terms)
        terms[terms < 0] = useless
        classes = np.full(blocks.count, -1)
        classes[chosen] = numbers
        return cls(blocks, classes, Ragged(terms, offsets))

    def of_document(self, place: int) -> Numbers:
        """The class of each stride of a document."""
        return self.classes[self.blocks.bounds[place] : self.blocks.bounds[place + 1]]


def block_classes(
    sides: tuple[Blocks, Blocks], least: int
) -> tuple[BlockClasses, BlockClasses] | None:
    """The classes of both sides, if documents of both repeat themselves so much that it pays.

    Blocks with fewer than `least` terms that can match are left out.
    """
    left, right = sides
    equal = [EqualBlocks(left, least)]
    if right is not left:
        equal.append(EqualBlocks(right, least))
    blocks = [side.blocks.count for side in (equal[0], equal[-1])]
    if blocks[0] * blocks[1] <= _FEW:
        return None
    pairs = isqrt(equal[0].pairs * equal[-1].pairs)
    if pairs <= _FEW or pairs <= _MANY * sum(blocks):
        return None
    most = 1 + max(int(side.blocks.terms.max()) for side in equal)
    classes = [BlockClasses.of(side, most + number) for number, side in enumerate(equal)]
    return classes[0], classes[-1]


@dataclass(frozen=True, eq=False)
class MatchingClasses:
    """The cells of the classes of blocks of two sides; the cells are sorted by left class."""

    left: BlockClasses
    right: BlockClasses
    cells: Cells
    work: Work

    @classmethod
    def of(cls, sides: tuple[BlockClasses, BlockClasses], join: WindowJoin) -> MatchingClasses:
        """Join the classes. Raises TooMuchWork."""
        left, right = sides
        cells = join_windows(left.samples, right.samples, replace(join, progress=None))
        return cls(left, right, cells, Work(join.budget, join.w, join.tau, join.progress))

    def pairs(self) -> Iterator[tuple[int, int, RepeatedBoxes]]:
        """The pairs of documents that have matching windows, and these.

        If both sides are the same, the left document is the earlier one.
        """
        by_class = _rows_by_number(self.cells.left, len(self.left.samples))
        documents = self._right_documents
        for left in range(len(self.left.blocks.windows)):
            classes = self.left.of_document(left)
            some = by_class.take(distinct(classes[classes >= 0])).values
            others = distinct(documents.take(distinct(self.cells.right[some])).values)
            first = left + 1 if self.left is self.right else 0
            for right in others[others >= first].tolist():
                yield left, right, self._boxes((left, right), some)

    @cached_property
    def _right_documents(self) -> Ragged:
        """The documents of the right that have each class."""
        blocks, classes = self.right.blocks, self.right.classes
        some = classes >= 0
        count = max(len(blocks.windows), 1)
        keys = distinct(classes[some] * count + blocks.documents[some])
        return _rows_by_number(keys // count, len(self.right.samples), keys % count)

    def _boxes(self, pair: tuple[int, int], some: Numbers) -> RepeatedBoxes:
        """The boxes of two documents; `some` are the cells of classes of the left one."""
        left, right = self.left.of_document(pair[0]), self.right.of_document(pair[1])
        known, right_known = distinct(left), distinct(right)
        kept = some[np.isin(self.cells.right[some], right_known)]
        cells = Cells(*(column[kept] for column in self.cells))
        numbered = cells._replace(
            left=np.searchsorted(known, cells.left), right=np.searchsorted(right_known, cells.right)
        )
        rows = _rows_by_number(np.searchsorted(known, left), len(known))
        right_rows = _rows_by_number(np.searchsorted(right_known, right), len(right_known))
        blocks = self.left.blocks
        return RepeatedBoxes(numbered, rows, right_rows, blocks.stride, blocks.w, self.work)


@dataclass(frozen=True, eq=False)
class RepeatedBoxes:
    """Boxes of matching windows, from pairs of classes of blocks and where blocks of a class are.

    `cells` are pairs of classes, sorted by the left one; row i of `left` and `right` has the
    strides where blocks of class i begin. `stride` and `w` are those of the blocks.
    """

    cells: Cells
    left: Ragged
    right: Ragged
    stride: int
    w: int
    work: Work = field(repr=False)

    def merged(self, gap: int) -> Boxes:
        """The bounding boxes of connected components of close boxes (`passages.boxes`)."""
        rows = _RowsOfBoxes.of(self, gap)
        result, row = np.empty((0, 4), np.int64), 0
        while row < len(rows):
            row, boxes = rows.boxes(row)
            self.work.spend(len(boxes) * _MERGED)
            result = merged(np.concatenate((result, boxes)), gap)
            row = rows.absorbed(row, result, gap)
            result = merged(result, gap)
        return result

    def beside(self, inner: Box, box: Box) -> Sequence[MatchingBoxes]:
        """Those within `box` that lie outside of `inner` on both sides.

        If they are many, those of the blocks that lie there whole.
        """
        left, right = self._spans(0).within(box[:2]), self._spans(1).within(box[2:])
        left_rest, right_rest = left.outside(inner[:2]), right.outside(inner[2:])
        cells = len(self.cells.left)
        listed = int((left_rest.counts(cells) * right_rest.counts(cells)).sum())
        if listed == int((left.counts(cells) * right.counts(cells)).sum()):
            return []
        if listed > _LISTED:
            return self._corners(inner, box)
        return portions(left_rest.crossed(right_rest, cells))

    def _spans(self, axis: int) -> _TermRanges:
        """The spans of the cells on one side, wherever their blocks are."""
        left, right, first, last, right_first, right_last = self.cells[:6]
        classes = (left, right)[axis]
        strides = (self.left, self.right)[axis].take(classes)
        self.work.spend(len(strides.values) * _SPAN)
        numbers = strides.owners
        begins = strides.values * self.stride
        low, high = ((first, last), (right_first, right_last))[axis]
        return _TermRanges(numbers, begins + low[numbers], begins + high[numbers] + self.w)

    def _corners(self, inner: Box, box: Box) -> list[RepeatedBoxes]:
        """The boxes of blocks in `box` that lie before or behind `inner`, on each side."""
        block = self.stride + self.w - 1
        sides = []
        for rows, low, high in ((self.left, 0, 1), (self.right, 2, 3)):
            before = self._strides_between(rows, box[low], inner[low] - block)
            behind = self._strides_between(rows, inner[high], box[high] - self.w)
            sides.append((before, behind))
        return [replace(self, left=left, right=right) for left, right in product(*sides)]

    def _strides_between(self, rows: Ragged, first: int, last: int) -> Ragged:
        """The strides that begin at a place from `first` to `last`."""
        begins = rows.values * self.stride
        some = (first <= begins) & (begins <= last)
        return _rows_by_number(rows.owners[some], len(rows), rows.values[some])


@dataclass(frozen=True, eq=False)
class _TermRanges:
    """Spans of terms on one side, with the number of the cell that each belongs to, sorted."""

    cells: Numbers
    starts: Numbers
    ends: Numbers

    def _taken(self, some: NDArray[np.bool_]) -> _TermRanges:
        return _TermRanges(self.cells[some], self.starts[some], self.ends[some])

    def within(self, span: Sequence[int]) -> _TermRanges:
        return self._taken((self.starts >= span[0]) & (self.ends <= span[1]))

    def outside(self, span: Sequence[int]) -> _TermRanges:
        return self._taken((self.ends <= span[0]) | (self.starts >= span[1]))

    def counts(self, cells: int) -> Numbers:
        """The number of spans of each cell."""
        return np.bincount(self.cells, minlength=cells)

    def crossed(self, right: _TermRanges, cells: int) -> Boxes:
        """The boxes of each of these spans with each of the right of the same cell."""
        of_cell = Ragged(np.arange(len(right.cells)), offsets_of(right.counts(cells)))
        others = of_cell.take(self.cells)
        mine = others.owners
        return np.stack(
            (
                self.starts[mine],
                self.ends[mine],
                right.starts[others.values],
                right.ends[others.values],
            ),
            axis=1,
        )


@dataclass(frozen=True, eq=False)
class _RowsOfBoxes:
    """The boxes of each block of the left with the right text, merged to runs.

    Row i is the block at the stride `strides[i]`, of the class `classes[i]`. The runs of class c
    are `runs[offsets[c] : offsets[c + 1]]`: boxes, on the left from the start of the block.
    """

    strides: Numbers
    classes: Numbers
    runs: Boxes
    offsets: Numbers
    stride: int

    @classmethod
    def of(cls, boxes: RepeatedBoxes, gap: int) -> _RowsOfBoxes:
        """The rows of two texts."""
        classes, runs = _runs(boxes, gap)
        offsets = np.searchsorted(classes, np.arange(len(boxes.left) + 1)).astype(np.int64)
        owners = boxes.left.owners
        some = np.flatnonzero(np.diff(offsets)[owners])
        some = some[np.argsort(boxes.left.values[some])]
        return cls(boxes.left.values[some], owners[some], runs, offsets, boxes.stride)

    def __len__(self) -> int:
        return len(self.strides)

    @cached_property
    def _before(self) -> Numbers:
        """The number of boxes before each row."""
        return offsets_of(np.diff(self.offsets)[self.classes])

    @cached_property
    def _hulls(self) -> Numbers:
        """For each row its greatest left start and end, and the bounds of its runs on the right."""
        filled = np.flatnonzero(np.diff(self.offsets))
        starts = self.offsets[filled]
        low = np.minimum.reduceat(self.runs, starts)
        high = np.maximum.reduceat(self.runs, starts)
        hulls = np.stack((high[:, 0], high[:, 1], low[:, 2], high[:, 3]), axis=1)
        rows: Numbers = hulls[np.searchsorted(filled, self.classes)]
        rows[:, :2] += (self.strides * self.stride)[:, None]
        return rows

    def boxes(self, row: int) -> tuple[int, Boxes]:
        """The boxes of some rows from `row` on, and the row behind them."""
        before = self._before
        stop = max(row + 1, int(np.searchsorted(before, before[row] + _AT_ONCE, "right")) - 1)
        runs = Ragged(self.runs, self.offsets).take(self.classes[row:stop])
        boxes = runs.values.copy()
        boxes[:, :2] += (self.strides[row:stop] * self.stride)[runs.owners][:, None]
        return stop, boxes

    def absorbed(self, row: int, boxes: Boxes, gap: int) -> int:
        """The row behind those that only move the end of one of the boxes, which is changed.

        It is the widest on the right of those that are close to the row.
        """
        hulls = self._hulls[row:]
        near = np.flatnonzero(boxes[:, 1] + gap >= hulls[0, 0]) if len(hulls) else hulls[:, 0]
        if not len(near):
            return row
        box = boxes[near[(boxes[near, 3] - boxes[near, 2]).argmax()]]
        reached = np.maximum.accumulate(np.append(box[1], hulls[:, 1]))
        apart = (hulls[:, 0] - reached[:-1] > gap) | (hulls[:, 2] < box[2]) | (hulls[:, 3] > box[3])
        count = int(apart.argmax()) if apart.any() else len(hulls)
        box[1] = reached[count]
        return row + count


def _runs(boxes: RepeatedBoxes, gap: int) -> tuple[Numbers, Boxes]:
    """The runs of boxes of a block of each class with the right text, and their classes, sorted.

    The boxes of one block are close on the left: they contain its last start.
    """
    cells, parts = boxes.cells, [(np.empty(0, np.int64), np.empty((0, 4), np.int64))]
    counts = boxes.right.lengths[cells.right]
    boxes.work.spend(int(counts.sum()) * _MERGED)
    for start, stop in _portions_by_class(cells.left, counts):
        part = Cells(*(column[start:stop] for column in cells))
        strides = boxes.right.take(part.right)
        owners, begins = strides.owners, strides.values * boxes.stride
        first, last = begins + part.right_first[owners], begins + part.right_last[owners] + boxes.w
        order = np.lexsort((first, part.left[owners]))
        owners, first, last = owners[order], first[order], last[order]
        classes = part.left[owners]
        new = np.ones(len(order), bool)
        new[1:] = (classes[1:] != classes[:-1]) | (first[1:] - last[:-1] > gap)
        at = np.flatnonzero(new)
        columns = (
            np.minimum.reduceat(part.first[owners], at),
            np.maximum.reduceat(part.last[owners], at) + boxes.w,
            first[at],
            np.maximum.reduceat(last, at),
        )
        boxes.work.spend(len(at) * _RUN)
        parts.append((classes[at], np.stack(columns, axis=1)))
    classes_of_runs, runs = zip(*parts, strict=True)
    return np.concatenate(classes_of_runs), np.concatenate(runs)


def _portions_by_class(classes: Numbers, counts: Numbers) -> Iterator[tuple[int, int]]:
    """Ranges of cells, with all of a class, that have about `_AT_ONCE` boxes each."""
    before = offsets_of(counts)
    start = 0
    while start < len(classes):
        stop = int(np.searchsorted(before, before[start] + _AT_ONCE, "right")) - 1
        last = classes[min(max(stop, start + 1), len(classes)) - 1]
        stop = int(np.searchsorted(classes, last, "right"))
        yield start, stop
        start = stop


def _rows_by_number(numbers: Numbers, count: int, values: Numbers | None = None) -> Ragged:
    """The values, or else the places, of each of `count` numbers, in their order."""
    order = np.argsort(numbers, kind="stable")
    offsets = np.searchsorted(numbers[order], np.arange(count + 1)).astype(np.int64)
    return Ragged(order if values is None else values[order], offsets)
