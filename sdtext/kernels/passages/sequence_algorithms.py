"""Runs of numbers: maximum-sum subarray, common prefix, longest increasing subsequence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FIRST_STEP = 16


def best_run(weights: NDArray[np.int64]) -> tuple[int, int]:
    """The half-open range of the maximum-sum subarray; (0, 0) if no sum is above 0.

    Of equal sums it is the range that ends first, and of these the one that starts first.

    >>> import numpy as np
    >>> best_run(np.array([-1, 2, -1, 3, -4, 4])), best_run(np.array([-1]))
    ((1, 4), (0, 0))
    """
    sums = np.append(0, np.cumsum(weights))
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
