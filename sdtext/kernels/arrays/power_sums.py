"""Sums of powers over windows of numbers: hashes that slide."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.row_hashes import POWERS
from sdtext.kernels.arrays.splitmix import mixed
from sdtext.kernels.windows.symbols import Symbols

_WRAP = 1 << 64


def power_sums(numbers: NDArray[np.uint64], length: int, base: int, modulus: int) -> NDArray[Any]:
    """Σ_j numbers[i + j] · base**j, modulo `modulus`, for each window of `length` numbers.

    `modulus` is at most 2**32, or it is 2**64. Windows of 2m are made of those of m, so that the
    work grows with the logarithm of `length`.

    >>> import numpy as np
    >>> power_sums(np.array([1, 2, 3], np.uint64), 2, 31, 1_000_003).tolist()
    [63, 95]
    """

    def joined(left: NDArray[Any], right: NDArray[Any], size: int) -> NDArray[Any]:
        """Windows of `left`, which have `size`, each followed by that of `right` behind it."""
        made = right[size:] * np.uint64(pow(base, size, modulus))
        made += left[: len(made)]
        return made if modulus == _WRAP else made % np.uint64(modulus)

    run = numbers if modulus == _WRAP else numbers % np.uint64(modulus)
    size, done, sums = 1, 0, run
    while True:
        if length & size:
            sums = joined(sums, run, done) if done else run
            done += size
        if done == length:
            return sums[: len(numbers) - length + 1]
        run = joined(run, run, size)
        size *= 2


def mixed_sums(symbols: Symbols, length: int, starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The 64-bit key of each window: mixed(Σ_j key_j · POWERS**j), modulo 2**64."""
    return mixed(power_sums(symbols.keys, length, POWERS, _WRAP)[starts])
