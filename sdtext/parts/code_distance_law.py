"""The law of distances: how likely the codes of two similar sets are within a Hamming radius.

The code of a set has `slots` of `bits` each: the lowest bits of a MinHash sketch. A slot of two
codes agrees with probability J, the Jaccard similarity of the sets; otherwise each of its bits
differs with probability 1/2. The law of the number of bits that differ is that of a slot, added up
over all slots.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_TINY = 1e-290  # numbers that are near the least float take long


def within(jaccard: float, slots: int, bits: int, radius: int) -> float:
    """The probability that at most `radius` bits differ.

    >>> [round(within(0.8, slots=100, bits=1, radius=r), 3) for r in (2, 10, 14)]
    [0.002, 0.583, 0.927]
    >>> round(within(0.8, slots=25, bits=4, radius=14), 3)
    0.837
    """
    chances = _chances_within(jaccard, slots, bits)
    return float(chances[min(radius, len(chances) - 1)])


def least_radius(jaccard: float, recall: float, slots: int, bits: int) -> int:
    """The least radius that a pair of that similarity is within with probability `recall`.

    >>> least_radius(0.8, 0.95, slots=100, bits=1), least_radius(1, 0.99, slots=64, bits=2)
    (15, 0)
    """
    return int(np.searchsorted(_chances_within(jaccard, slots, bits), recall))


@lru_cache(16)
def _chances_within(jaccard: float, slots: int, bits: int) -> Numbers:
    """The probability of each radius; of it and that of more bits, the smaller is exact."""
    slot = (1 - jaccard) * np.array([comb(bits, number) / 2**bits for number in range(bits + 1)])
    slot[0] += jaccard
    law = np.ones(1)
    for digit in f"{slots:b}":  # the power of the law of a slot, by squaring
        law = np.convolve(law, law)
        law = np.convolve(law, slot) if digit == "1" else law
        law = np.trim_zeros(np.where(law < _TINY, 0, law), "b")
    below, beyond = np.cumsum(law), np.cumsum(law[:0:-1])[::-1]
    return np.where(below < 0.5, below, 1 - np.append(beyond, 0.0))
