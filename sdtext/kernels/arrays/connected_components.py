"""Connected components of pairs of places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def connected(number: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """The least place that each of `number` places is connected with by pairs (union–find).

    Roots are attached to their least neighbouring root, and all paths compressed, until nothing
    changes: a few rounds.

    >>> from numpy import array
    >>> connected(5, array([4, 1]), array([1, 3])).tolist()
    [0, 1, 2, 1, 1]
    """
    labels = np.arange(number)
    while True:
        ones, others = labels[left], labels[right]
        apart = ones != others
        if not apart.any():
            return labels
        left, right, ones, others = left[apart], right[apart], ones[apart], others[apart]
        np.minimum.at(labels, np.maximum(ones, others), np.minimum(ones, others))
        while (labels != labels[labels]).any():
            labels = labels[labels]
