"""Boxes of matching windows of two texts, as the search hands them to an aligner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sdtext.kernels.passages.passage_end_weights import Box
from sdtext.kernels.passages.span_pairs import Boxes, merged

_PORTION = 256  # boxes beside a passage that are looked at together, anew for each passage in them


class MatchingBoxes(Protocol):
    """Boxes: a row has the left start, left end, right start and right end, the ends exclusive."""

    def merged(self, gap: int) -> Boxes:
        """The bounding boxes of connected components of close boxes (`span_pairs`)."""

    def beside(self, inner: Box, box: Box) -> Sequence[MatchingBoxes]:
        """Those within `box` that lie outside of `inner` on both sides, in batches.

        None if all within `box` do.
        """


@dataclass(frozen=True, eq=False)
class ListedBoxes:
    """Boxes as an array of the shape (n, 4).

    >>> import numpy as np
    >>> boxes = ListedBoxes(np.array([[0, 4, 0, 4], [3, 6, 3, 6], [7, 9, 8, 9]]))
    >>> boxes.merged(2).tolist()
    [[0, 9, 0, 9]]
    >>> [some.boxes.tolist() for some in boxes.beside([0, 6, 0, 6], [0, 9, 0, 9])]
    [[[7, 9, 8, 9]]]
    """

    boxes: Boxes

    def merged(self, gap: int) -> Boxes:
        """The bounding boxes of connected components of close boxes (`span_pairs`)."""
        return merged(self.boxes, gap)

    def beside(self, inner: Box, box: Box) -> Sequence[ListedBoxes]:
        """Those within `box` that lie outside of `inner` on both sides, in batches."""
        within = _within(box, self.boxes)
        rest = _beside(inner, within)
        return portions(rest) if len(rest) < len(within) else []


def portions(boxes: Boxes) -> list[ListedBoxes]:
    """The boxes in the order of their places, in batches that bound the work."""
    ordered = boxes[np.lexsort(boxes.T[::-1])]
    return [ListedBoxes(ordered[at : at + _PORTION]) for at in range(0, len(ordered), _PORTION)]


def _within(box: Box, boxes: Boxes) -> Boxes:
    """Those of the boxes that lie within `box`."""
    low, high = np.array(box[::2]), np.array(box[1::2])
    return boxes[((boxes[:, ::2] >= low) & (boxes[:, 1::2] <= high)).all(1)]


def _beside(box: Box, boxes: Boxes) -> Boxes:
    """Those of the boxes that lie outside of `box` on both sides."""
    low, high = np.array(box[::2]), np.array(box[1::2])
    return boxes[((boxes[:, 1::2] <= low) | (boxes[:, ::2] >= high)).all(1)]
