"""Polynomial hashes of all windows of some numbers in a row."""

from operator import mul

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import POWERS, mixed
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.c_library import KERNELS

_WRAP = 1 << 64


def polynomial_hashes(
    numbers: NDArray[np.uint64],
    length: int,
    base: int,
    modulus: int,
    starts: NDArray[np.int64] | None = None,
    *,
    mix: bool = False,
) -> NDArray[np.uint64]:
    """Σ_j numbers[i + j] · base**j, modulo `modulus`, for each window of `length` numbers.

    `starts` are the places i of the windows, which ascend; without them all are meant. `modulus` is
    at most 2**32, or it is 2**64. With `mix` the sums are `mixed`.

    >>> import numpy as np
    >>> polynomial_hashes(np.array([1, 2, 3], np.uint64), 2, 31, 1_000_003).tolist()
    [63, 95]
    """
    if starts is None:
        starts = np.arange(len(numbers) - length + 1)
    sums = np.empty(len(starts), np.uint64)
    if "window_sums" in KERNELS:
        KERNELS["window_sums"](numbers, length, base, modulus % _WRAP, mix, starts, sums)
        return sums
    given, powers = numbers.tolist(), [pow(base, place, modulus) for place in range(length)]
    for place, start in enumerate(starts.tolist()):
        window = given[start : start + length]
        sums[place] = sum(map(mul, window, powers)) % modulus
    return mixed(sums) if mix else sums


def row_windows(rows: Ragged, length: int) -> Ragged:
    """The mixed polynomial hash of each window of `length` numbers of each row, in base `POWERS`.

    A shorter row has that of all its numbers. The time grows with the length.

    >>> row_windows(Ragged.of([[1, 2, 3], [4], []]), 2).lengths.tolist()
    [2, 1, 0]
    """
    if "row_windows" in KERNELS:
        numbers, offsets = rows.values.astype(np.uint64, copy=False), rows.offsets.copy()
        sums = np.empty_like(numbers)
        count = KERNELS["row_windows"](numbers, offsets, length, POWERS, sums)
        return Ragged(sums[:count], offsets)
    wide = (min(length, max(1, len(row))) for row in rows)
    windows = zip(rows, wide, strict=True)
    return Ragged.of([polynomial_hashes(*window, POWERS, _WRAP, mix=True) for window in windows])
