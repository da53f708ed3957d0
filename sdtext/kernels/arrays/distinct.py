"""The distinct numbers of an array."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """The distinct numbers, sorted: faster than `np.unique`, which imports masked arrays first.

    >>> import numpy as np
    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(numbers)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]
