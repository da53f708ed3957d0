"""Hamming distances of codes of a fixed number of bits.

Codes are rows of bytes (uint8): bit i is `1 << i % 8` of byte `i // 8`, as in
sdtext.kernels.arrays.packed_bits. Comparisons use `words`: 64-bit numbers of shape (words, codes),
bit i in `1 << i % 64` of word `i // 64`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Words = NDArray[np.uint64]

_FEW_WORDS = 3  # words whose distances fit into one byte


def words_of(codes: Codes) -> Words:
    """The codes as 64-bit words, of shape (words, codes), padded with 0.

    >>> import numpy as np
    >>> words_of(np.array([[1, 0, 2], [0, 1, 0]], np.uint8)).tolist()
    [[131073, 256]]
    """
    rest = -codes.shape[1] % 8
    whole = np.pad(codes, ((0, 0), (0, rest))) if rest else np.ascontiguousarray(codes)
    words: Words = np.ascontiguousarray(whole.view("<u8").T)
    return words


def distances(left: Words, right: Words) -> NDArray[np.unsignedinteger[Any]]:
    """Hamming distances of corresponding codes of `left` and `right`.

    NumPy's broadcasting applies. The result has a small unsigned type.
    """
    counts: NDArray[np.unsignedinteger[Any]] = np.bitwise_count(left[0] ^ right[0])
    if len(left) > _FEW_WORDS:
        counts = counts.astype(np.uint32)
    for left_word, right_word in zip(left[1:], right[1:], strict=True):
        counts += np.bitwise_count(left_word ^ right_word)
    return counts


def distance_plain(left: bytes, right: bytes) -> int:
    """The Hamming distance of two codes.

    >>> distance_plain(bytes([0b1101, 0]), bytes([0b1011, 1]))
    3
    """
    return (int.from_bytes(left, "little") ^ int.from_bytes(right, "little")).bit_count()
