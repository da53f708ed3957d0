"""Bottom-k sketches: of a set the smallest hashes, as positions of 20 bits, Rice-coded.

A row is the sorted positions that fit into so many bytes, and behind them 2**20 + cut: the sketch
has all positions of its set below the cut, so that two sketches can be compared below the lower one
of their cuts. The cut is 2**20 where no position was left out, else the last position + 1.

Its bytes: the Rice parameter k (128 more where no position was left out), then bit by bit for each
position the number g of those skipped since the one before: g >> k ones, a zero, the k lowest bits
of g with the highest first. The last byte is filled up with ones.
"""

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import mixed

Row = NDArray[np.uint64]

_BITS = 20
END = 1 << _BITS
"""The number of positions; the last value of a row is this and its cut."""
MOST = 1 << 13
"""The most bytes of a sketch."""
_WHOLE = 0x80
_PARAMETERS = np.arange(_BITS)[:, None]


def smallest(numbers: Row, most: int) -> Row:
    """The row of some numbers, in any order, that takes at most so many bytes.

    >>> smallest(np.array([3, 7, 3], np.uint64), 128).tolist()
    [76515, 124213, 2097152]
    """
    positions = np.unique((mixed(numbers) >> np.uint64(64 - _BITS)).astype(np.uint32))
    return shortened(np.append(positions.astype(np.uint64), np.uint64(2 * END)), most)


def shortened(row: Row, most: int) -> Row:
    """The row of the same set that takes at most so many bytes."""
    positions = row[:-1]
    fit = int((_sizes(positions[: 8 * most]) <= 8 * (most - 1)).sum(axis=1).max(initial=0))
    if fit == len(positions):
        return row
    return np.append(positions[:fit], positions[fit - 1] + np.uint64(END + 1))


def packed(row: Row) -> bytes:
    """The bytes of a row."""
    positions, flag = row[:-1], _WHOLE * (row[-1] == 2 * END)
    if not len(positions):
        return bytes([flag])
    sizes = _sizes(positions)
    k = int(sizes[:, -1].argmin())
    ends = sizes[k]
    bits = np.ones(-(-int(ends[-1]) // 8) * 8, np.uint8)
    bits[ends - k - 1] = 0
    for bit in range(k):
        bits[ends - 1 - bit] = (_gaps(positions) >> bit) & 1
    return bytes([flag | k]) + np.packbits(bits).tobytes()


def unpacked(data: bytes) -> Row:
    """The row of these bytes; ValueError where `packed` gives no such bytes.

    >>> row = np.array([5, 9, END + 10], np.uint64)
    >>> packed(row).hex(), unpacked(packed(row)).tolist()
    ('01db', [5, 9, 1048586])
    """
    k = data[0] & ~_WHOLE if 0 < len(data) <= MOST else _BITS
    bits = "".join(f"{byte:08b}" for byte in data[1:])
    positions, last, start = [], -1, 0
    while k < _BITS and last < END and (zero := bits.find("0", start)) >= 0:
        rest = bits[zero + 1 : zero + 1 + k]
        last += 1 + ((zero - start) << k) + int(rest or "0", 2)
        start = zero + 1 + k
        positions.append(last)
    cut = END if not positions or data[0] & _WHOLE else last + 1
    row = np.array([*positions, END + cut], np.uint64)
    if k == _BITS or last >= END or packed(row) != data:
        raise ValueError("these bytes are no sketch")
    return row


def _gaps(positions: Row) -> NDArray[np.int64]:
    return np.asarray(np.diff(positions.astype(np.int64), prepend=-1) - 1, np.int64)


def _sizes(positions: Row) -> NDArray[np.int64]:
    """The bits of so many of the positions, for each Rice parameter."""
    return np.cumsum((_gaps(positions) >> _PARAMETERS) + _PARAMETERS + 1, axis=1)
