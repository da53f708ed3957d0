"""The law of distances: how likely the codes of two similar sets are within a Hamming radius.

The code of a set has `slots` of `bits` each: the lowest bits of a MinHash sketch. A slot of two
codes agrees with probability J, the Jaccard similarity of the sets; otherwise each of its bits
differs with probability 1/2. Of D slots that differ, the number of bits that differ is therefore
the number of heads in bits · D throws of a fair coin, and D is binomial with 1 - J. With one bit a
slot the number of bits that differ is binomial with `slots` throws and (1 - J) / 2.
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def within(jaccard: float, slots: int, bits: int, radius: int) -> float:
    """The probability that at most `radius` bits differ.

    >>> [round(within(0.8, slots=100, bits=1, radius=r), 3) for r in (2, 10, 14)]
    [0.002, 0.583, 0.927]
    >>> round(within(0.8, slots=25, bits=4, radius=14), 3)
    0.837
    """
    if radius >= slots * bits:
        return 1.0
    below, above = _heads(slots, bits, radius)
    different = _different(jaccard, slots)
    probability = float((different * below).sum())
    # Of two that add up to 1, the smaller one is exact.
    if 2 * probability >= 1:
        probability = 1 - float((different * above).sum())
    return min(1.0, max(0.0, probability))


def least_radius(jaccard: float, recall: float, slots: int, bits: int) -> int:
    """The least radius that a pair of that similarity is within with probability `recall`.

    >>> least_radius(0.8, 0.95, slots=100, bits=1), least_radius(1, 0.99, slots=64, bits=2)
    (15, 0)
    """
    low, high = 0, slots * bits
    while low < high:
        middle = (low + high) // 2
        if within(jaccard, slots, bits, middle) >= recall:
            high = middle
        else:
            low = middle + 1
    return low


def _different(jaccard: float, slots: int) -> Numbers:
    """The probability that 0, 1, … of the slots differ."""
    if jaccard in (0, 1):
        certain = np.zeros(slots + 1)
        certain[0 if jaccard else slots] = 1
        return certain
    counts = np.arange(slots + 1)
    logs = counts * np.log1p(-jaccard) + (slots - counts) * np.log(jaccard)
    return _exp(logs + _log_choices(np.full(slots + 1, slots), counts))


def _heads(slots: int, bits: int, radius: int) -> tuple[Numbers, Numbers]:
    """The probabilities of at most `radius`, and of more, heads in 0, `bits`, 2 · `bits`, … throws.

    Both are sums of positive numbers, so that small probabilities are exact, too.
    """
    throws = np.arange(slots * bits)
    # With one more throw, `radius` heads become `radius` + 1 with probability 1/2.
    crossing = np.zeros(len(throws))
    enough = throws[radius:]
    chosen = _log_choices(enough, np.full(len(enough), radius))
    crossing[radius:] = _exp(chosen - (enough + 1) * np.log(2))
    heads = np.arange(radius + 1)
    last = _log_choices(np.full(len(heads), slots * bits), heads) - slots * bits * np.log(2)
    above = np.concatenate(([0.0], np.cumsum(crossing)))
    below = np.cumsum(np.concatenate(([_exp(last).sum()], crossing[::-1])))[::-1]
    return below[::bits], above[::bits]


def _log_choices(many: NDArray[np.int64], chosen: NDArray[np.int64]) -> Numbers:
    """The logarithms of binomial coefficients."""
    logs = np.array(_log_factorials(int(many.max(initial=0)) + 1))
    choices: Numbers = logs[many] - logs[chosen] - logs[many - chosen]
    return choices


@lru_cache(maxsize=4)
def _log_factorials(count: int) -> tuple[float, ...]:
    return tuple(lgamma(number + 1) for number in range(count))


def _exp(logs: Numbers) -> Numbers:
    with np.errstate(under="ignore"):
        return np.exp(logs)
