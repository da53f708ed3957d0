"""Polynomial hashes of all windows of some numbers in a row."""

from __future__ import annotations

from operator import mul

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import mixed
from sdtext.kernels.c_library import KERNELS

_WRAP = 1 << 64


def polynomial_hashes(
    numbers: NDArray[np.uint64], length: int, base: int, modulus: int, *, mix: bool = False
) -> NDArray[np.uint64]:
    """Σ_j numbers[i + j] · base**j, modulo `modulus`, for each window of `length` numbers.

    `modulus` is at most 2**32, or it is 2**64. With `mix` the sums are `mixed`.

    >>> import numpy as np
    >>> polynomial_hashes(np.array([1, 2, 3], np.uint64), 2, 31, 1_000_003).tolist()
    [63, 95]
    """
    sums = np.empty(max(0, len(numbers) - length + 1), np.uint64)
    if "window_sums" in KERNELS:
        KERNELS["window_sums"](numbers, length, base, modulus % _WRAP, mix, sums)
        return sums
    given, powers = numbers.tolist(), [pow(base, place, modulus) for place in range(length)]
    for start in range(len(sums)):
        window = given[start : start + length]
        sums[start] = sum(map(mul, window, powers)) % modulus
    return mixed(sums) if mix else sums
