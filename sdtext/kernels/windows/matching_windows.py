"""The windows that documents share, as boxes of places, which an aligner makes passages of.

All pairs of windows are joined (`window_join`); where documents repeat themselves, equal blocks of
them are joined once (`repeated_blocks`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.passages.boxes import ListedBoxes, MatchingBoxes
from sdtext.kernels.windows.repeated_blocks import MatchingClasses, block_classes
from sdtext.kernels.windows.window_join import Cells, WindowJoin, cells_of_blocks, cut_into_blocks

PairBoxes = tuple[int, int, MatchingBoxes]
"""The places of two documents, and their boxes."""


def matching_windows(left: Ragged, right: Ragged | None, join: WindowJoin) -> Iterator[PairBoxes]:
    """For each pair of documents with matching windows their places and the boxes.

    Documents are those of `join_windows`. Where they repeat themselves, equal blocks of them are
    compared once. Raises as `join_windows`.

    >>> from sdtext.kernels.arrays.ragged import Ragged
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
