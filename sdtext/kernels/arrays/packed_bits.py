"""Packed bit vectors (bit i is `1 << i % 8` of byte `i // 8`) and sums over their set bits."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.c_library import KERNELS

_ROWS = 16  # at once: half a megabyte of floats, which stays in the cache


def pack(places: Sequence[int] | NDArray[np.integer[Any]], length: int) -> bytes:
    r"""The packed vector of `length` bits with those at `places` set.

    >>> pack([0, 9], 10)
    b'\x01\x02'
    """
    bits = np.zeros(length, bool)
    bits[np.asarray(places, np.int64)] = True
    return np.packbits(bits, bitorder="little").tobytes()


def places_in(packed: bytes) -> list[int]:
    r"""The places of the set bits, in order: the inverse of `pack`.

    >>> places_in(b'\x01\x02')
    [0, 9]
    """
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")
    return [int(place) for place in np.flatnonzero(bits)]


def packed_rows(rows: Ragged, length: int) -> NDArray[np.uint8]:
    """Packed vectors of `length` bits, with those of a row of places set in each.

    >>> packed_rows(Ragged.of([[0, 9], []], "int64"), 10).tolist()
    [[1, 2], [0, 0]]
    """
    packed = np.zeros((len(rows), (length + 7) // 8), np.uint8)
    bits = np.left_shift(1, rows.values & 7).astype(np.uint8)
    np.bitwise_or.at(packed, (rows.owners, rows.values >> 3), bits)
    return packed


def set_bits(packed: NDArray[np.uint8]) -> Ragged:
    """The places of the set bits of packed vectors: the inverse of `packed_rows`.

    >>> [row.tolist() for row in set_bits(np.array([[1, 2], [0, 0]], np.uint8))]
    [[0, 9], []]
    """
    places, width = [np.empty(0, np.int64)], 8 * packed.shape[1]
    for start in range(0, len(packed), _ROWS):
        bits = np.unpackbits(packed[start : start + _ROWS], bitorder="little").view(bool)
        places.append(bits.nonzero()[0] % width)
    counts = np.bitwise_count(packed).sum(axis=1, dtype=np.int64)
    return Ragged(np.concatenate(places), offsets_of(counts))


def weight_sum(packed: bytes, weights: NDArray[np.uint64]) -> int:
    """The exact sum of the weights of the bits set in a packed vector.

    >>> weight_sum(bytes([0b111]), np.array([2**63, 2**63, 1], np.uint64)) == 2**64 + 1
    True
    """
    bits = np.frombuffer(packed, np.uint8)
    chosen = weights[np.unpackbits(bits, count=len(weights), bitorder="little").view(bool)]
    low, high = chosen & np.uint64(0xFFFFFFFF), chosen >> np.uint64(32)  # no sum overflows
    return int(low.sum()) + (int(high.sum()) << 32)


def weight_sums(packed: NDArray[np.uint8], weights: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The `weight_sum` of each row, rounded once.

    >>> weights = np.array([2**63, 2**63, 1], np.uint64)
    >>> weight_sums(np.array([[0b111], [0b100]], np.uint8), weights).tolist()
    [1.8446744073709552e+19, 1.0]
    """
    sums = np.empty(len(packed))
    if "weight_sums" in KERNELS:
        KERNELS["weight_sums"](np.ascontiguousarray(packed), weights, sums)
    else:
        sums[:] = [weight_sum(row.tobytes(), weights) for row in packed]
    return sums


def both(left: bytes, right: bytes) -> bytes:
    r"""The packed vector of the bits set in both of two vectors of one length."""
    common = int.from_bytes(left, "little") & int.from_bytes(right, "little")
    return common.to_bytes(len(left), "little")
