"""Log-likelihood weights of terms, which decide where a passage ends.

Of the terms of a passage a share q occurs on both sides, of the terms around it a share p: the
overlap by chance. A common term is evidence for the passage with weight log(q / p), any other term
is evidence against it with weight log((1 - p) / (1 - q)). Relative to a common term, which counts
1, any other term weighs the second over the first: little in a passage that was much changed, much
in a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.boxes import Box
from sdtext.kernels.passages.sequence_algorithms import are_in

Flags = NDArray[np.bool_]
Terms = NDArray[np.uint32]

MILLION = 1_000_000
"""The weight of a common term, a whole number so that sums are exact."""

_LEAST = MILLION // 2  # for a term that is not common, in millionths as all weights here
_AROUND = 500  # terms on either side of a passage that show the overlap by chance
_LEAST_TERMS = 15  # terms; the shares of fewer say too little
_PASSES = 4


def without_overhangs(
    box: Box,
    sides: tuple[Terms, Terms],
    default: int,
    most: int,
    flags: Sequence[tuple[Flags, Flags]] = (),
) -> Box:
    """The box trimmed of terms at its ends that more likely match by chance.

    `sides` are the terms of both documents, `flags` the `common_terms` on either side if they are
    known. At most `most` terms are cut at an end at a time, and a third of all; until nothing
    changes, at most four times.
    """
    for _ in range(_PASSES):
        trimmed: Box = []
        for side in (0, 1):
            within, around = flags[side] if flags else common_terms(box, sides, side)
            other = other_term_weight(within, around, default)
            at_end = min(most, len(within) // 3)
            for end, step in ((box[2 * side], 1), (box[2 * side + 1], -1)):
                # The length of the prefix with the least sum; 0 if no sum is below 0.
                is_common, length = within[::step][:at_end], 0
                if not is_common.all():
                    sums = np.cumsum(np.where(is_common, MILLION, -other))
                    least = int(sums.argmin())
                    length = least + 1 if sums[least] < 0 else 0
                trimmed.append(end + step * length)
        if trimmed == box:
            break
        box, flags = trimmed, ()
    return box


def common_terms(box: Box, sides: tuple[Terms, Terms], side: int) -> tuple[Flags, Flags]:
    """Whether each term of a box on one side is also on the other, and each term around it."""
    start, end = box[2 * side : 2 * side + 2]
    other = sides[1 - side][slice(*box[2 - 2 * side : 4 - 2 * side])]
    first = max(0, start - _AROUND)
    is_common = are_in(sides[side][first : end + _AROUND], other)
    start, end = start - first, end - first
    return is_common[start:end], np.concatenate((is_common[:start], is_common[end:]))


def other_term_weight(within: Flags, around: Flags, default: int) -> int:
    """The weight of a term that is not common, from terms within and around a passage.

    `default` if there are too few of them; at least half of that of a common one.

    >>> copied, changed, around = (np.arange(100) < share for share in (95, 60, 20))
    >>> [other_term_weight(one, around, default=800_000) for one in (copied, changed)]
    [1712492, 638511]
    """
    if min(len(within), len(around)) < _LEAST_TERMS:
        return default
    inside, outside = (
        (int(np.count_nonzero(flags)) + 1) / (len(flags) + 2) for flags in (within, around)
    )
    if inside <= outside:
        return default
    ratio = log((1 - outside) / (1 - inside)) / log(inside / outside)
    return max(_LEAST, round(MILLION * ratio))
