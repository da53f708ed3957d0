"""LSH band keys: 64-bit hashes of a band's slots. Equal keys in a band make a candidate pair."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh64_intdigest

from sdtext.kernels.arrays.integer_and_byte_hashes import draws
from sdtext.kernels.c_library import KERNELS

Words = NDArray[np.uint64]

_SOME = 1 << 12  # documents at once: some megabytes


def xxhash(slots: NDArray[np.uint32], band: int) -> Words:
    """XXH64 of each row's slots, each as four bytes, lowest first; the seed is `band`.

    >>> int(xxhash(np.array([[1, 2]], np.uint32), band=3)[0])
    11191152751839007395
    """
    if "band_keys" not in KERNELS:
        rows = np.ascontiguousarray(slots, "<u4")
        return np.array([xxh64_intdigest(row.tobytes(), band) for row in rows], np.uint64)
    hashes = np.empty(len(slots), np.uint64)
    KERNELS["band_keys"](np.ascontiguousarray(slots), band, hashes)
    return hashes


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
