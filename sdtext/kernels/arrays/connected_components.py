"""Connected components of pairs of places."""

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def linked(left: Places, right: Places) -> tuple[Places, Places, Places]:
    """The numbers in pairs, in order, with the first that each is connected with, as a place there.

    The third array has both sides of the pairs, as such places.

    >>> [each.tolist() for each in linked(np.array([7, 2]), np.array([9, 7]))]
    [[2, 7, 9], [0, 0, 0], [[1, 0], [2, 1]]]
    """
    numbers, places = np.unique(np.stack([left, right]), return_inverse=True)
    left, right = ends = places.reshape(2, -1)
    return numbers, connected(len(numbers), left, right), ends


def connected(number: int, left: Places, right: Places) -> Places:
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
