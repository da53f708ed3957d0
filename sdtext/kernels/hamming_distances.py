"""Hamming distances of codes of a fixed number of bits.

Codes are rows of bytes (uint8): bit i is `1 << i % 8` of byte `i // 8`, as in
sdtext.kernels.arrays.packed_bits. Comparisons use `words`: rows of 64-bit numbers, bit i in
`1 << i % 64` of word `i // 64`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Words = NDArray[np.uint64]


def words_of(codes: Codes) -> Words:
    """The codes as rows of 64-bit words, padded with 0.

    >>> import numpy as np
    >>> words_of(np.array([[1, 0, 2], [0, 1, 0]], np.uint8)).tolist()
    [[131073], [256]]
    """
    rest = -codes.shape[1] % 8
    whole = np.pad(codes, ((0, 0), (0, rest))) if rest else np.ascontiguousarray(codes)
    return whole.view("<u8")


def distances(left: Words, right: Words) -> NDArray[np.int64]:
    """Hamming distances of corresponding codes of `left` and `right`, with broadcasting."""
    counts: NDArray[np.int64] = np.bitwise_count(left ^ right).sum(axis=-1, dtype=np.int64)
    return counts


def distance_plain(left: bytes, right: bytes) -> int:
    """The Hamming distance of two codes.

    >>> distance_plain(bytes([0b1101, 0]), bytes([0b1011, 1]))
    3
    """
    return (int.from_bytes(left, "little") ^ int.from_bytes(right, "little")).bit_count()
