"""Boxes of matching windows of two texts, as the search hands them to an aligner.

Log-likelihood weights of terms decide where a passage ends. Of the terms of a passage a share q
occurs on both sides, of the terms around it a share p: the overlap by chance. A common term is
evidence for the passage with weight log(q / p), any other term is evidence against it with weight
log((1 - p) / (1 - q)). Relative to a common term, which counts 1, any other term weighs the second
over the first: little in a passage that was much changed, much in a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.span_pairs import Boxes, merged

_PORTION = 256  # boxes beside a passage that are looked at together, anew for each passage in them
Flags = NDArray[np.bool_]
Terms = NDArray[np.uint32]

MILLION = 1_000_000
"""The weight of a common term, a whole number so that sums are exact."""

_LEAST = MILLION // 2  # for a term that is not common, in millionths as all weights here
_AROUND = 500  # terms on either side of a passage that show the overlap by chance
_LEAST_TERMS = 15  # terms; the shares of fewer say too little
_ROUNDS = 4

Box = list[int]
"""A box: left start, left end, right start, right end of a passage, counted in terms."""


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


@dataclass(frozen=True, eq=False)
class OverlapWeights:
    """Weights for passages of two documents, given as terms, that overlap by chance, too."""

    left: Terms
    right: Terms

    def weights(self, box: Box, default: int) -> list[int]:
        """The weights of a term that is not common, left and right.

        `default` if there are too few terms within or around it; at least half of a common one.
        """
        return [other_term_weight(*self._common(side, box), default) for side in (0, 1)]

    def without_overhangs(self, box: Box, default: int, most: int) -> Box:
        """The box trimmed of terms at its ends that more likely match by chance.

        At most `most` terms are cut at an end at a time, and a third of all; until nothing
        changes, at most four times.
        """
        for _ in range(_ROUNDS):
            before = box
            sides = [self._cut_back(side, box, default, most) for side in (0, 1)]
            box = [*sides[0], *sides[1]]
            if box == before:
                break
        return box

    def _common(self, side: int, box: Box) -> tuple[Flags, Flags]:
        """Whether each term of the passage on one side is common, and each term around it."""
        own, there = (self.left, self.right) if side == 0 else (self.right, self.left)
        start, end = box[2 * side : 2 * side + 2]
        other = there[slice(*box[2 - 2 * side : 4 - 2 * side])]
        first = max(0, start - _AROUND)
        is_common = np.isin(own[first : end + _AROUND], other)
        before, within, behind = np.split(is_common, [start - first, end - first])
        return within, np.append(before, behind)

    def _cut_back(self, side: int, box: Box, default: int, most: int) -> Box:
        """The range of one side of the passage without its overhangs."""
        within, around = self._common(side, box)
        other = other_term_weight(within, around, default)
        most = min(most, len(within) // 3)
        start, end = box[2 * side : 2 * side + 2]
        return [start + _head(within[:most], other), end - _head(within[::-1][:most], other)]


def other_term_weight(within: Flags, around: Flags, default: int) -> int:
    """The weight of a term that is not common, from terms within and around a passage.

    >>> import numpy as np
    >>> copied, changed, around = (np.arange(100) < share for share in (95, 60, 20))
    >>> [other_term_weight(one, around, default=800_000) for one in (copied, changed)]
    [1712492, 638511]
    """
    if min(len(within), len(around)) < _LEAST_TERMS:
        return default
    inside, outside = ((int(flags.sum()) + 1) / (len(flags) + 2) for flags in (within, around))
    if inside <= outside:
        return default
    ratio = log((1 - outside) / (1 - inside)) / log(inside / outside)
    return max(_LEAST, round(MILLION * ratio))


def _head(is_common: Flags, other: int) -> int:
    """The length of the prefix with the least sum; 0 if no sum is below 0."""
    return int(np.append(0, np.cumsum(np.where(is_common, MILLION, -other))).argmin())
