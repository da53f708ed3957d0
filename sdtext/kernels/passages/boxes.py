"""Boxes: spans of one text paired with spans of another; merging of nearby ones.

A box is a row of an int64 array: left start, left end, right start, right end, the ends exclusive.
Two boxes are close if on both axes the start of the later one lies at most `gap` behind the end of
the earlier one. Close boxes are replaced by their bounding box. Merging only makes boxes larger, so
the result does not depend on the order of merging.

`MatchingBoxes` are those of matching windows, as the search hands them to an aligner.
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

from sdtext.kernels.c_library import KERNELS
from sdtext.kernels.passages.sequence_algorithms import are_in

Boxes = NDArray[np.int64]
Places = NDArray[np.int64]

_PORTION = 256  # boxes beside a passage that are looked at together, anew for each passage in them
Flags = NDArray[np.bool_]
Terms = NDArray[np.uint32]

MILLION = 1_000_000
"""The weight of a common term, a whole number so that sums are exact."""

_LEAST = MILLION // 2  # for a term that is not common, in millionths as all weights here
_AROUND = 500  # terms on either side of a passage that show the overlap by chance
_LEAST_TERMS = 15  # terms; the shares of fewer say too little
_PASSES = 4

Box = list[int]
"""A box: left start, left end, right start, right end of a passage, counted in terms."""


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


class MatchingBoxes(Protocol):
    """Boxes: a row has the left start, left end, right start and right end, the ends exclusive."""

    def merged(self, gap: int) -> Boxes:
        """The bounding boxes of connected components of close boxes."""

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
        """The bounding boxes of connected components of close boxes."""
        return merged(self.boxes, gap)

    def beside(self, inner: Box, box: Box) -> Sequence[ListedBoxes]:
        """Those within `box` that lie outside of `inner` on both sides, in batches."""
        starts, ends = self.boxes[:, ::2], self.boxes[:, 1::2]
        inside = ((starts >= box[::2]) & (ends <= box[1::2])).all(1)
        apart = ((ends <= inner[::2]) | (starts >= inner[1::2])).all(1)
        return portions(self.boxes[inside & apart]) if (inside & ~apart).any() else []


def portions(boxes: Boxes) -> list[ListedBoxes]:
    """The boxes in the order of their places, in batches that bound the work."""
    ordered = boxes[np.lexsort(boxes.T[::-1])]
    return [ListedBoxes(ordered[at : at + _PORTION]) for at in range(0, len(ordered), _PORTION)]


def without_overhangs(box: Box, sides: tuple[Terms, Terms], default: int, most: int) -> Box:
    """The box trimmed of terms at its ends that more likely match by chance.

    `sides` are the terms of both documents. At most `most` terms are cut at an end at a time, and a
    third of all; until nothing changes, at most four times.
    """
    for _ in range(_PASSES):
        trimmed: Box = []
        for side in (0, 1):
            within, around = common_terms(box, sides, side)
            other = other_term_weight(within, around, default)
            at_end = min(most, len(within) // 3)
            # The length of the prefix with the least sum at either end; 0 if no sum is below 0.
            head, tail = (
                int(np.append(0, np.cumsum(np.where(flags[:at_end], MILLION, -other))).argmin())
                for flags in (within, within[::-1])
            )
            trimmed += [box[2 * side] + head, box[2 * side + 1] - tail]
        if trimmed == box:
            break
        box = trimmed
    return box


def common_terms(box: Box, sides: tuple[Terms, Terms], side: int) -> tuple[Flags, Flags]:
    """Whether each term of a box on one side is also on the other, and each term around it."""
    start, end = box[2 * side : 2 * side + 2]
    other = sides[1 - side][slice(*box[2 - 2 * side : 4 - 2 * side])]
    first = max(0, start - _AROUND)
    is_common = are_in(sides[side][first : end + _AROUND], other)
    start, end = start - first, end - first
    return is_common[start:end], np.append(is_common[:start], is_common[end:])


def other_term_weight(within: Flags, around: Flags, default: int) -> int:
    """The weight of a term that is not common, from terms within and around a passage.

    `default` if there are too few of them; at least half of that of a common one.

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
