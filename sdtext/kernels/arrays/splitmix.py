"""SplitMix64: deterministic random numbers and a 64-bit mixing function.

G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
Draw i (from 1) of `seed` is the mixing of seed + i · 0x9e3779b97f4a7c15, all modulo 2**64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_STEP = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, made odd
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
_WORD = (1 << 64) - 1


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix each number: a bijection in which every output bit depends on every input bit."""
    bits = values ^ (values >> np.uint64(30))
    bits *= np.uint64(_FIRST)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(_SECOND)
    bits ^= bits >> np.uint64(31)
    return bits


def mixed_plain(value: int) -> int:
    """`mixed` of one number, in plain Python.

    >>> hex(mixed_plain(1))
    '0x5692161d100b05e5'
    """
    value = (value ^ value >> 30) * _FIRST & _WORD
    value = (value ^ value >> 27) * _SECOND & _WORD
    return value ^ value >> 31


def draws(seed: int, count: int) -> NDArray[np.uint64]:
    """The first `count` draws of `seed`, a number from 0 to 2**64 - 1.

    >>> [hex(draw) for draw in draws(0, 2).tolist()]
    ['0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4']
    """
    steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_STEP)
    return mixed(steps + np.uint64(seed))


def draws_plain(seed: int, count: int) -> list[int]:
    """`draws` in plain Python."""
    return [mixed_plain(seed + step * _STEP & _WORD) for step in range(1, count + 1)]
