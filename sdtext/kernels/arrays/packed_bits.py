"""Packed bit vectors (bit i is `1 << i % 8` of byte `i // 8`) and sums over their set bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def pack(places: Sequence[int], length: int) -> bytes:
    r"""The packed vector of `length` bits with those at `places` set.

    >>> pack([0, 9], 10)
    b'\x01\x02'
    """
    packed = bytearray((length + 7) // 8)
    for place in places:
        packed[place >> 3] |= 1 << (place & 7)
    return bytes(packed)


def places_in(packed: bytes) -> list[int]:
    r"""The places of the set bits, in order: the inverse of `pack`.

    >>> places_in(b'\x01\x02')
    [0, 9]
    """
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")
    return [int(place) for place in np.flatnonzero(bits)]


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

    def totals(self, packed: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The sums for the rows of `packed`, each rounded once.

        >>> Weights.of([2**63, 2**63, 1]).totals(np.array([[0b111], [0b100]], np.uint8)).tolist()
        [1.8446744073709552e+19, 1.0]
        """
        bits = np.unpackbits(packed, axis=1, count=len(self.low), bitorder="little")
        rows, terms = np.divmod(np.flatnonzero(bits.view(bool)), max(1, len(self.low)))
        # Sums of whole numbers below 2**53 are exact in floats, in any order.
        low, high = (
            np.bincount(rows, half[terms].astype(np.float64), len(packed))
            for half in (self.low, self.high)
        )
        return np.asarray(high * 2.0**32 + low, np.float64)


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
