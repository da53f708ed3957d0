"""LSH band keys: 64-bit hashes of a band's slots. Equal keys in a band make a candidate pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import draws

Words = NDArray[np.uint64]

_SOME = 1 << 12  # documents at once: some megabytes
_WORD = (1 << 64) - 1
_ONE, _TWO, _THREE, _FOUR, _FIVE = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)  # the primes of XXH64


def xxhash(slots: NDArray[np.uint32], band: int) -> Words:
    """XXH64 of each row's slots, each as four bytes, lowest first; the seed is `band`.

    The algorithm is that of the specification of xxHash by Y. Collet, for a length that all
    rows have in common.

    >>> import numpy as np, xxhash as package
    >>> row = np.array([[1, 2]], "<u4")
    >>> int(xxhash(row, band=3)[0]) == package.xxh64_intdigest(row.tobytes(), seed=3)
    True
    """
    lanes = np.ascontiguousarray(slots.T, np.uint64)  # four bytes each, one array a lane
    rows, width = slots.shape
    eights = [lanes[i] | lanes[i + 1] << np.uint64(32) for i in range(0, width - 1, 2)]
    whole = len(eights) // 4 * 4
    hashes = np.full(rows, (band + _FIVE) & _WORD, np.uint64)
    if whole:
        hashes = _stripes(eights[:whole], band)
    hashes += np.uint64(4 * width)
    for eight in eights[whole:]:
        hashes ^= _round(np.zeros_like(eight), eight)
        hashes = _turned(hashes, 27) * np.uint64(_ONE) + np.uint64(_FOUR)
    if width % 2:
        hashes ^= lanes[-1] * np.uint64(_ONE)
        hashes = _turned(hashes, 23) * np.uint64(_TWO) + np.uint64(_THREE)
    hashes = (hashes ^ hashes >> np.uint64(33)) * np.uint64(_TWO)
    hashes = (hashes ^ hashes >> np.uint64(29)) * np.uint64(_THREE)
    return hashes ^ hashes >> np.uint64(32)


def _stripes(eights: Sequence[Words], band: int) -> Words:
    """The four sums of XXH64 over all stripes of 32 bytes, merged."""
    starts = (band + _ONE + _TWO, band + _TWO, band, band - _ONE)
    sums = [np.full_like(eights[0], start & _WORD) for start in starts]
    for place, eight in enumerate(eights):
        sums[place % 4] = _round(sums[place % 4], eight)
    turns = zip(sums, (1, 7, 12, 18), strict=True)
    merged: Words = np.sum([_turned(total, by) for total, by in turns], axis=0, dtype=np.uint64)
    for total in sums:
        merged = (merged ^ _round(np.zeros_like(total), total)) * np.uint64(_ONE) + np.uint64(_FOUR)
    return merged


def _round(total: Words, eight: Words) -> Words:
    return _turned(total + eight * np.uint64(_TWO), 31) * np.uint64(_ONE)


def _turned(words: Words, by: int) -> Words:
    return words << np.uint64(by) | words >> np.uint64(64 - by)


def positional(slots: NDArray[np.uint32], band: int, modulus: int) -> Words:
    """The concatenated decimal digits of the slots, modulo `modulus` (below 2**32).

    So [1, 4, 2] is 142. The band's number stands in the upper half of the key.

    >>> import numpy as np
    >>> positional(np.array([[1, 4, 2], [10, 0, 7]]), band=0, modulus=1000).tolist()
    [142, 7]
    """
    most = np.uint64(modulus)
    powers = np.array([10**digits for digits in range(11)], np.uint64)
    remainders = np.zeros(len(slots), np.uint64)
    for column in slots.T.astype(np.uint64):
        digits = np.maximum(np.searchsorted(powers, column, "right"), 1)
        remainders = (remainders * (powers % most)[digits] % most + column) % most
    key: Words = remainders | np.uint64(band << 32)
    return key


def positional_plain(slots: Sequence[int], band: int, modulus: int) -> int:
    """`positional` of one row, in plain Python."""
    return int("".join(map(str, slots))) % modulus + (band << 32)


def combine(slots: NDArray[np.uint32], band: int) -> Words:
    """Combine the slots by xor, sum and shifts, starting with their number, modulo 2**64.

    Equal slots in different bands must give different keys, so the key is xored with the draw
    (sdtext.kernels.arrays.integer_and_byte_hashes) of the band's number.
    """
    combined = np.full(len(slots), slots.shape[1], np.uint64)
    for column in slots.T.astype(np.uint64):
        combined ^= (
            column + np.uint64(0x9E3779B9) + (combined << np.uint64(6)) + (combined >> np.uint64(2))
        )
    key: Words = combined ^ draws(band, 1)[0]
    return key


def combine_plain(slots: Sequence[int], band: int) -> int:
    """`combine` of one row, in plain Python.

    >>> combine_plain([], band=0) == int(draws(0, 1)[0])
    True
    """
    combined = len(slots)
    for slot in slots:
        combined ^= (slot + 0x9E3779B9 + (combined << 6) + (combined >> 2)) & _WORD
    return combined ^ int(draws(band, 1)[0])


def keys(
    sketches: NDArray[np.uint32],
    layout: tuple[int, int],
    family: Callable[[NDArray[np.uint32], int], Words],
) -> Words:
    """The key of `family` for each document and band, of shape (documents, bands).

    `layout` has the bands and the slots in each. The keys of a band stand side by side in memory.
    """
    bands, rows = layout
    result = np.empty((bands, len(sketches)), np.uint64)
    for start in range(0, len(sketches), _SOME):
        some = sketches[start : start + _SOME]
        for band in range(bands):
            slots = some[:, band * rows : (band + 1) * rows]
            result[band, start : start + _SOME] = family(slots, band)
    return result.T
