"""Packed bit vectors (bit i is `1 << i % 8` of byte `i // 8`) and sums over their set bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, offsets_of

_PIECE = 11  # bits of a weight that are summed up together
_BYTES = 1 << 10  # of vectors, whose pieces add up to less than 2**24
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


@dataclass(frozen=True)
class Weights:
    """A whole number from 0 to 2**64 - 1 for each bit, in two halves so that no sum overflows.

    `low` and `high` are arrays of uint64, each below 2**32, as long as the vectors.
    """

    low: NDArray[np.uint64]
    high: NDArray[np.uint64]

    @classmethod
    def of(cls, numbers: Sequence[int]) -> Weights:
        """The weights `numbers`, one for each bit."""
        whole = np.array(numbers, dtype=np.uint64)
        return cls(whole & np.uint64(0xFFFFFFFF), whole >> np.uint64(32))

    def total(self, packed: bytes) -> int:
        """The exact sum of the weights of the bits set in `packed`.

        >>> Weights.of([2**63, 2**63, 1]).total(bytes([0b111])) == 2**64 + 1
        True
        """
        bits = np.frombuffer(packed, dtype=np.uint8)
        chosen = np.unpackbits(bits, count=len(self.low), bitorder="little").view(bool)
        return int(self.low[chosen].sum()) + (int(self.high[chosen].sum()) << 32)

    def of_bytes(self, places: NDArray[Any]) -> Weights:
        """The weights of the bits in some bytes of the vectors.

        >>> Weights.of([1] * 8 + [2, 3]).of_bytes(np.array([1])).low.tolist()
        [2, 3, 0, 0, 0, 0, 0, 0]
        """
        bits = (8 * places[:, None] + np.arange(8)).ravel()
        missing = max(0, int(bits.max(initial=-1)) + 1 - len(self.low))
        low, high = (np.pad(half, (0, missing))[bits] for half in (self.low, self.high))
        return Weights(low, high)

    def totals(self, packed: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The sums for the rows of `packed`, each rounded once.

        >>> Weights.of([2**63, 2**63, 1]).totals(np.array([[0b111], [0b100]], np.uint8)).tolist()
        [1.8446744073709552e+19, 1.0]
        """
        sums = np.zeros((len(self._pieces), len(packed)), np.int64)
        for first in range(0, packed.shape[1], _BYTES):
            pieces = self._pieces[:, 8 * first : 8 * (first + _BYTES)]
            for start in range(0, len(packed), _ROWS):
                rows = packed[start : start + _ROWS, first : first + _BYTES]
                bits = np.unpackbits(rows, axis=1, count=pieces.shape[1], bitorder="little")
                products = pieces @ bits.astype(np.float32).T
                sums[:, start : start + _ROWS] += products.astype(np.int64)
        sums <<= _PIECE * (np.arange(len(sums)) % 3)[:, None]
        low, high = sums[:3].sum(axis=0), sums[3:].sum(axis=0)
        # Both are below 2**53, so that only their sum is rounded.
        return np.asarray(high * 2.0 ** (3 * _PIECE) + low, np.float64)

    @cached_property
    def _pieces(self) -> NDArray[np.float32]:
        """The weights in pieces of 11 bits, the lowest first, as rows of six or fewer.

        Products of 0 and 1 with these are exact in floats of 32 bits: a sum of 8,192 pieces is
        below 2**24.
        """
        whole = self.low | self.high << np.uint64(32)
        number = max(1, -(-int(whole.max(initial=0)).bit_length() // _PIECE))
        shifts = np.arange(number, dtype=np.uint64)[:, None] * np.uint64(_PIECE)
        pieces = (whole >> shifts) & np.uint64((1 << _PIECE) - 1)
        return np.asarray(pieces, np.float32)


def total_plain(numbers: Sequence[int], packed: bytes) -> int:
    """What `Weights.of(numbers).total(packed)` gives, bit by bit.

    >>> total_plain([4, 2, 1], bytes([0b101]))
    5
    """
    vector = int.from_bytes(packed, "little")
    return sum(number for place, number in enumerate(numbers) if vector >> place & 1)


def both(left: bytes, right: bytes) -> bytes:
    r"""The packed vector of the bits set in both of two vectors of one length."""
    common = int.from_bytes(left, "little") & int.from_bytes(right, "little")
    return common.to_bytes(len(left), "little")
