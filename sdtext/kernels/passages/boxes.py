"""Boxes: spans of one text paired with spans of another; merging of nearby ones.

A box is a row of an int64 array: left start, left end, right start, right end, the ends exclusive.
Two boxes are close if on both axes the start of the later one lies at most `gap` behind the end of
the earlier one. Close boxes are replaced by their bounding box. Merging only makes boxes larger, so
the result does not depend on the order of merging.
"""

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.c_library import KERNELS

Boxes = NDArray[np.int64]
Box = list[int]
"""A box: left start, left end, right start, right end of a passage, counted in terms."""

_PORTION = 256  # boxes beside a passage that are looked at together, anew for each passage in them


def merged(boxes: Boxes, gap: int) -> Boxes:
    """The bounding boxes of connected components of close boxes, no two of which are close.

    They are sorted and distinct. Time is nearly linear if few boxes overlap on one of the axes, and
    quadratic at worst.

    >>> import numpy as np
    >>> merged(np.array([[8, 9, 5, 6], [0, 4, 0, 4], [6, 7, 0, 2]]), gap=2).tolist()
    [[0, 9, 0, 6]]
    """
    result = np.array(boxes, np.int64).reshape(-1, 4)
    if "merged_boxes" in KERNELS:
        return result[: KERNELS["merged_boxes"](result, gap)]
    place = 0
    while place < len(result):
        starts, ends = result[:, ::2], result[:, 1::2]
        close = ((starts - ends[place] <= gap) & (starts[place] - ends <= gap)).all(axis=1)
        if close.sum() == 1:
            place += 1
            continue
        low, high = result[close].min(axis=0), result[close].max(axis=0)
        result = np.vstack(([low[0], high[1], low[2], high[3]], result[~close]))
        place = 0
    return result[np.lexsort(result.T[::-1])]


def beside(boxes: Boxes, inner: Box, box: Box) -> list[Boxes]:
    """Those within `box` that lie outside of `inner` on both sides, in batches that bound the work.

    None if all within `box` do.

    >>> import numpy as np
    >>> boxes = np.array([[0, 4, 0, 4], [3, 6, 3, 6], [7, 9, 8, 9]])
    >>> [some.tolist() for some in beside(boxes, [0, 6, 0, 6], [0, 9, 0, 9])]
    [[[7, 9, 8, 9]]]
    """
    starts, ends = boxes[:, ::2], boxes[:, 1::2]
    inside = ((starts >= box[::2]) & (ends <= box[1::2])).all(1)
    apart = ((ends <= inner[::2]) | (starts >= inner[1::2])).all(1)
    if not (inside & ~apart).any():
        return []
    chosen = boxes[inside & apart]
    ordered = chosen[np.lexsort(chosen.T[::-1])]
    return [ordered[at : at + _PORTION] for at in range(0, len(ordered), _PORTION)]
