"""The lowest b bits of each slot of a sketch, packed; b is 1, 2, 4 or 8.

Slot i has the bits from i · b of its row (bit j is `1 << j % 8` of byte `j // 8`).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_PIECE = 1 << 18  # bytes compared at once
_LOWEST = {2: 0x5555_5555_5555_5555, 4: 0x1111_1111_1111_1111, 8: 0x0101_0101_0101_0101}
"""The lowest bit of each slot in eight bytes."""


def packed(sketches: NDArray[Any], bits: int) -> NDArray[np.uint8]:
    """Pack the `bits` lowest bits of each slot into whole bytes; padding bits are 0.

    >>> import numpy as np
    >>> packed(np.array([[1, 2, 3, 5]]), bits=2).tolist() == [[0b01111001]]
    True
    """
    many, mask = 8 // bits, (1 << bits) - 1
    low = (sketches & sketches.dtype.type(mask)).astype(np.uint8)
    if rest := -low.shape[1] % many:
        low = np.pad(low, ((0, 0), (0, rest)))
    shifts = np.arange(many, dtype=np.uint8) * np.uint8(bits)
    rows: NDArray[np.uint8] = np.bitwise_or.reduce(
        low.reshape(len(low), low.shape[1] // many, many) << shifts, axis=2
    )
    return rows


def equal_slots(row: NDArray[np.uint8], rows: NDArray[np.uint8], bits: int) -> NDArray[np.int64]:
    """The number of slots that agree between `row` and each of `rows`; padding bits are equal.

    `row` may also be an array of as many rows, which are then compared pairwise.
    """
    counts = np.empty(len(rows), np.int64)
    step = max(1, _PIECE // max(1, rows.shape[1]))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        words = _words(rows[part]) ^ _words(row if row.ndim == 1 else row[part])
        fold = bits >> 1
        while fold:  # the bits of a slot that differ are folded onto its lowest
            words |= words >> np.uint64(fold)
            fold >>= 1
        if bits > 1:
            words &= np.uint64(_LOWEST[bits])
        counts[part] = np.bitwise_count(words).sum(axis=1, dtype=np.int64)
    counts *= -1
    counts += rows.shape[1] * 8 // bits
    return counts


def _words(rows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """View rows, or one row, as 64-bit words, padded with 0."""
    if rest := -rows.shape[-1] % 8:
        return np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, rest)]).view(np.uint64)
    return np.ascontiguousarray(rows).view(np.uint64)
