"""Merging of nearby boxes; a box is a span of one text paired with a span of another.

A box is a row of an int64 array: left start, left end, right start, right end, the ends exclusive.
Two boxes are close if on both axes the start of the later one lies at most `gap` behind the end of
the earlier one. Close boxes are replaced by their bounding box. Merging only makes boxes larger, so
the result does not depend on the order of merging.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.int64]
Places = NDArray[np.int64]

_ROUNDS = 8  # of merging all at once, before those that still grow are followed one by one
_FEW = 16  # one box in so many
_AT_ONCE = 1 << 20  # pairs of boxes in a batch
_MANY = 1 << 12  # boxes that are merged within squares first
_SQUARE = 16  # boxes, with the gaps between them, along a side of a square


def merged(boxes: Boxes, gap: int) -> Boxes:
    """The bounding boxes of connected components of close boxes, no two of which are close.

    They are sorted and distinct. Time is nearly linear if few boxes overlap on one of the axes, and
    quadratic, on arrays, at worst.

    >>> import numpy as np
    >>> merged(np.array([[8, 9, 5, 6], [0, 4, 0, 4], [6, 7, 0, 2]]), gap=2).tolist()
    [[0, 9, 0, 6]]
    """
    result = np.asarray(boxes, np.int64).reshape(-1, 4)
    for _ in range(_ROUNDS):
        result = _runs_merged(_runs_merged(result, 0, gap), 2, gap)
        result = _squares_merged(result, gap)
        pairs, are_all = _close_pairs(result, gap)
        result, grown = _joined(result, _clusters(len(result), pairs))
        if are_all and not grown.any():
            break
    else:
        grown |= not are_all
        result = _followed(result, np.flatnonzero(grown), gap)
    return result[np.lexsort(result.T[::-1])]


def _runs_merged(boxes: Boxes, axis: int, gap: int) -> Boxes:
    """Merge consecutive close boxes along an axis, as long as that leaves far fewer."""
    while len(boxes) > 1:
        boxes = boxes[np.lexsort((boxes[:, 2 - axis], boxes[:, axis]))]
        near = _close(boxes[:-1], boxes[1:], gap)
        if not near.any():
            break
        boxes, _ = _joined(boxes, np.append(0, np.cumsum(~near)))
        if np.count_nonzero(near) * _FEW < len(near):
            break
    return boxes


def _squares_merged(boxes: Boxes, gap: int) -> Boxes:
    """Merge close boxes that start in one square of a grid, if there are many boxes.

    Texts that repeat themselves have boxes in all places, each of which overlaps many on each axis.
    """
    if len(boxes) < _MANY:
        return boxes
    side = _SQUARE * (gap + 1 + int((boxes[:, 1] - boxes[:, 0]).mean()))
    columns, rows = boxes[:, 0] // side, boxes[:, 2] // side
    order = np.lexsort((boxes[:, 0], rows, columns))
    boxes, columns, rows = boxes[order], columns[order], rows[order]
    squares = np.cumsum((np.diff(columns, prepend=0) != 0) | (np.diff(rows, prepend=0) != 0))
    within = boxes[:, 0] - columns * side
    last = np.minimum(within + boxes[:, 1] - boxes[:, 0] + gap, side - 1)
    ends = np.searchsorted(squares * side + within, squares * side + last, "right")
    counts = np.maximum(ends - np.arange(1, len(boxes) + 1), 0)
    pairs, _ = _close_among(boxes, np.arange(len(boxes)), counts, gap)
    return _joined(boxes, _clusters(len(boxes), pairs))[0]


def _close(left: Boxes, right: Boxes, gap: int) -> NDArray[np.bool_]:
    """Whether each box is close to the corresponding one on the right."""
    result: NDArray[np.bool_] = (
        (left[:, 0] - right[:, 1] <= gap)
        & (right[:, 0] - left[:, 1] <= gap)
        & (left[:, 2] - right[:, 3] <= gap)
        & (right[:, 2] - left[:, 3] <= gap)
    )
    return result


def _joined(boxes: Boxes, clusters: Places) -> tuple[Boxes, NDArray[np.bool_]]:
    """The bounding box of each cluster, and whether it holds more than one box."""
    if not len(boxes):
        return boxes, np.empty(0, np.bool_)
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    low = np.minimum.reduceat(boxes[order], starts)
    high = np.maximum.reduceat(boxes[order], starts)
    around = np.stack((low[:, 0], high[:, 1], low[:, 2], high[:, 3]), axis=1)
    return around, np.diff(starts, append=len(order)) > 1


def _close_pairs(boxes: Boxes, gap: int) -> tuple[Places, bool]:
    """Pairs of close boxes, by place, one column a pair; and whether the list is complete.

    It is incomplete if there are so many that merging comes first. Boxes are sorted along the axis
    on which fewer overlap; only these are compared on the other axis.
    """
    orders = [np.argsort(boxes[:, axis], kind="stable") for axis in (0, 2)]
    ranges = [_beside(boxes[order], axis, gap) for order, axis in zip(orders, (0, 2), strict=True)]
    better = int(ranges[1].sum() < ranges[0].sum())
    return _close_among(boxes, orders[better], ranges[better], gap)


def _close_among(boxes: Boxes, order: Places, counts: Places, gap: int) -> tuple[Places, bool]:
    """The close ones of the pairs of each box, in `order`, with as many boxes after it."""
    pairs, room = [np.empty((2, 0), np.int64)], 4 * len(boxes)
    for start, end in _portions(counts):
        first = np.repeat(np.arange(start, end), counts[start:end])
        before = np.cumsum(counts[start:end]) - counts[start:end]
        second = first + 1 + np.arange(len(first)) - np.repeat(before, counts[start:end])
        near = _close(boxes[order[first]], boxes[order[second]], gap)
        pairs.append(order[np.stack((first[near], second[near]))])
        room -= pairs[-1].shape[1]
        if room < 0:
            break
    return np.concatenate(pairs, axis=1), room >= 0


def _beside(boxes: Boxes, axis: int, gap: int) -> Places:
    """The number of later boxes, sorted by start, that are close to each one on an axis."""
    ends = np.searchsorted(boxes[:, axis], boxes[:, axis + 1] + gap, "right")
    counts: Places = np.maximum(ends - np.arange(1, len(boxes) + 1), 0)
    return counts


def _portions(counts: Places) -> list[tuple[int, int]]:
    """Ranges of boxes with about `_AT_ONCE` pairs each."""
    before = np.append(0, np.cumsum(counts))
    cuts = [0]
    while cuts[-1] < len(counts):
        end = int(np.searchsorted(before, before[cuts[-1]] + _AT_ONCE, "right")) - 1
        cuts.append(max(end, cuts[-1] + 1))
    return list(pairwise(cuts))


def _clusters(count: int, pairs: Places) -> Places:
    """The least member of the connected component of each of `count` nodes; a column for a pair."""
    least, (left, right) = np.arange(count), pairs
    while True:
        left_least, right_least = least[left], least[right]
        if np.array_equal(left_least, right_least):
            return least
        low = np.minimum(left_least, right_least)
        np.minimum.at(least, left_least, low)
        np.minimum.at(least, right_least, low)
        while not np.array_equal(least, further := least[least]):
            least = further


def _followed(boxes: Boxes, growing: Places, gap: int) -> Boxes:
    """Merge boxes one by one, if every close pair includes one of the `growing` ones."""
    columns = np.ascontiguousarray(boxes.T)
    gone = np.iinfo(np.int64).max // 2  # a place where nothing is close
    waiting = growing.tolist()
    while waiting:
        place = waiting.pop()
        while columns[0, place] != gone:
            first, last, right_first, right_last = columns[:, place].tolist()
            beside = np.flatnonzero((columns[0] <= last + gap) & (columns[1] >= first - gap))
            starts, ends = columns[2, beside], columns[3, beside]
            near = beside[(starts <= right_last + gap) & (ends >= right_first - gap)]
            if len(near) < 2:
                break
            low, high = columns[:, near].min(axis=1), columns[:, near].max(axis=1)
            columns[:, near] = gone
            columns[:, place] = low[0], high[1], low[2], high[3]
    return np.ascontiguousarray(columns[:, columns[0] != gone].T)
