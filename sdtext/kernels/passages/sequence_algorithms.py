"""Runs of numbers: maximum-sum subarray, common prefix, common runs, increasing subsequence.

And the terms that two lists have in common.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.c_library import KERNELS

Terms = NDArray[np.uint32]

_FIRST_STEP = 16


def are_in(terms: Terms, others: Terms, length: int = 1) -> NDArray[np.bool_]:
    """Whether each of the terms is among the others, in a run of `length` that they have, too.

    >>> import numpy as np
    >>> are_in(np.array([7, 8, 7], np.uint32), np.array([7, 9], np.uint32)).tolist()
    [True, False, True]
    >>> are_in(np.array([7, 8, 9], np.uint32), np.array([6, 7, 8], np.uint32), 2).tolist()
    [True, True, False]
    """
    if "are_in" in KERNELS:
        flags = np.empty(len(terms), np.bool_)
        KERNELS["are_in"](terms, others, length, flags.view(np.uint8))
        return flags
    flags = np.zeros(len(terms), np.bool_)
    for place in np.flatnonzero(np.isin(*numbered_runs(terms, others, length))).tolist():
        flags[place : place + length] = True
    return flags


def common_words(left: Terms, right: Terms) -> int:
    """The size of the intersection of both sides as multisets.

    >>> import numpy as np
    >>> common_words(np.array([7, 8, 7], np.uint32), np.array([7, 7, 7], np.uint32))
    2
    """
    if "common_terms" not in KERNELS:
        return (Counter(left.tolist()) & Counter(right.tolist())).total()
    common: int = KERNELS["common_terms"](left, right)
    return common


def best_run(weights: NDArray[np.int64]) -> tuple[int, int]:
    """The half-open range of the maximum-sum subarray; (0, 0) if no sum is above 0.

    Of equal sums it is the range that ends first, and of these the one that starts first.

    >>> import numpy as np
    >>> best_run(np.array([-1, 2, -1, 3, -4, 4])), best_run(np.array([-1]))
    ((1, 4), (0, 0))
    """
    sums = np.zeros(len(weights) + 1, np.int64)
    weights.cumsum(out=sums[1:])
    gains = sums - np.minimum.accumulate(sums)
    end = int(gains.argmax())
    if not end:
        return 0, 0
    return int(sums[:end].argmin()), end


def equal_ahead(left: NDArray[Any], right: NDArray[Any]) -> int:
    """The length of the common prefix.

    >>> import numpy as np
    >>> equal_ahead(np.array([1, 2, 3]), np.array([1, 2, 4, 5]))
    2
    """
    most, place, step = min(len(left), len(right)), 0, _FIRST_STEP
    while place < most:
        end = min(place + step, most)
        differs = left[place:end] != right[place:end]
        if differs.any():
            return place + int(differs.argmax())
        place, step = end, 4 * step
    return most


def rising(values: Sequence[int]) -> list[int]:
    """The places of a longest strictly increasing subsequence.

    >>> rising([5, 1, 4, 2, 3])
    [1, 3, 4]
    """
    ends = list[int]()  # the least last value of a rising run of each length
    places = list[int]()  # and where it stands
    before = list[int]()  # for each value, where the one before it in its run stands
    for place, value in enumerate(values):
        length = bisect_left(ends, value)
        ends[length : length + 1] = [value]
        places[length : length + 1] = [place]
        before.append(places[length - 1] if length else -1)
    chosen = places[-1:]
    while chosen and before[chosen[-1]] >= 0:
        chosen.append(before[chosen[-1]])
    return chosen[::-1]


def numbered_runs(
    left: NDArray[np.integer[Any]], right: NDArray[np.integer[Any]], length: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number from 0 for each run of `length` values on either side, equal where the runs are.

    >>> import numpy as np
    >>> numbered_runs(np.array([7, 8, 9]), np.array([8, 9, 8, 9]), 2)
    (array([0, 1]), array([1, 2, 1]))
    """
    _, values = np.unique(np.concatenate((left, right)), return_inverse=True)
    values = values.astype(np.int64, copy=False)
    kinds = int(values.max(initial=0)) + 1
    runs, many = values, kinds
    for place in range(1, length):
        if many * kinds >= 1 << 62:
            _, runs = np.unique(runs, return_inverse=True)
            many = int(runs.max()) + 1
        runs = runs[:-1] * kinds + values[place:]
        many *= kinds
    _, runs = np.unique(runs, return_inverse=True)
    return runs[: max(0, len(left) - length + 1)], runs[len(left) :]
