"""Polynomial hashes of windows over sequences of symbols (letters or terms)."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.byte_string_hashes import POWERS
from sdtext.kernels.arrays.splitmix import mixed
from sdtext.kernels.shingles.symbol_sequences import Symbols

_WRAP = 1 << 64


class WindowHash(Protocol):
    """A hash function of windows: every part of the kind `hashes`."""

    def __call__(
        self, symbols: Symbols, length: int, starts: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        """The hash of the windows of `length` symbols at `starts`, which ascend."""


def polynomial_hashes(
    numbers: NDArray[np.uint64], length: int, base: int, modulus: int
) -> NDArray[Any]:
    """Σ_j numbers[i + j] · base**j, modulo `modulus`, for each window of `length` numbers.

    `modulus` is at most 2**32, or it is 2**64. Hashes of windows of 2m numbers are combined from
    those of m, so the work grows with the logarithm of `length`.

    >>> import numpy as np
    >>> polynomial_hashes(np.array([1, 2, 3], np.uint64), 2, 31, 1_000_003).tolist()
    [63, 95]
    """

    def joined(left: NDArray[Any], right: NDArray[Any], size: int) -> NDArray[Any]:
        """Hashes of windows of `left`, of `size` numbers, each joined with the next of `right`."""
        sums = right[size:] * np.uint64(pow(base, size, modulus))
        sums += left[: len(sums)]
        return sums if modulus == _WRAP else sums % np.uint64(modulus)

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


def mixed_hashes(symbols: Symbols, length: int, starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The 64-bit key of each window: mixed(Σ_j key_j · POWERS**j), modulo 2**64."""
    return mixed(polynomial_hashes(symbols.keys, length, POWERS, _WRAP)[starts])
