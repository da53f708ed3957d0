"""MinHash by affine functions: slot i holds the least of a_i · x + b_i over the elements x.

Sketches of two sets have that of their union in the lesser of each pair of slots.
"""

from hashlib import sha1
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import draws
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.c_library import KERNELS

Coefficients = tuple[NDArray[Any], NDArray[Any]]

PRIME = 10_000_013
ROWS = 1_000_003
"""In the matrix of the paper: its hash of a shingle is below that."""
NO_VALUE = (1 << 32) - 1


def coefficients(slots: int, seed: int, most: int) -> Coefficients:
    """The pairs (a, b), 1 ≤ a ≤ most and 0 ≤ b ≤ most: from the draws of `seed` in turn.

    >>> a, b = coefficients(2, seed=1, most=PRIME - 1)
    >>> a.tolist(), b.tolist()
    ([6217166, 1535271], [903848, 653147])
    """
    drawn = draws(seed, 2 * slots)
    return drawn[::2] % np.uint64(most) + np.uint64(1), drawn[1::2] % np.uint64(most + 1)


def paper_sketches(sets: Ragged, slots: int, seed: int) -> NDArray[np.uint32]:
    """The minimum of ((a · x + b) mod p) mod n for each row and slot; x is the number mod p.

    p is `PRIME` and n is `ROWS`.
    """
    numbers = Ragged(sets.values % np.uint64(PRIME), sets.offsets)
    return _least(numbers, coefficients(slots, seed, PRIME - 1), PRIME, ROWS)


def modular_sketches(sets: Ragged, slots: int, seed: int, rows: int) -> NDArray[np.uint32]:
    """The minimum of (a · x + b) mod c for each row and slot; x is the number mod `rows`.

    c is the least prime above `rows`, which is below 2**31.
    """
    numbers = Ragged(sets.values % np.uint64(rows), sets.offsets)
    return _least(numbers, coefficients(slots, seed, rows), next_prime(rows), 0)


def next_prime(number: int) -> int:
    """The least prime above `number`, by trial division.

    >>> next_prime(1_000_000), next_prime(13), next_prime(0)
    (1000003, 17, 2)
    """
    candidate = max(number + 1, 2)
    while any(candidate % divisor == 0 for divisor in range(2, isqrt(candidate) + 1)):
        candidate += 1
    return candidate


def datasketch_coefficients(slots: int, seed: int) -> Coefficients:
    """The pairs (a, b), a odd, of datasketch's scheme "affine32" (in version 2)."""
    # NumPy promises that the stream of RandomState stays as it is.
    random = np.random.RandomState(seed)
    a = random.randint(0, 1 << 31, slots, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return a, random.randint(0, 1 << 32, slots, dtype=np.uint32)


def datasketch_sketches(sets: Ragged, slots: int, seed: int) -> NDArray[np.uint32]:
    """The minimum of a · x + b modulo 2**32 for each row and slot.

    x is the element's 8 bytes, the lowest first, under SHA-1, of which the first four bytes,
    again the lowest first, go through the finalizer of MurmurHash3.
    """
    different, places = np.unique(sets.values, return_inverse=True)
    elements = np.ascontiguousarray(different, "<u8").view("V8").tolist()
    heads = b"".join(sha1(element, usedforsecurity=False).digest()[:4] for element in elements)
    hashes = np.frombuffer(heads, "<u4").astype(np.uint32)
    hashes ^= hashes >> np.uint32(16)
    hashes *= np.uint32(0x85EBCA6B)
    hashes ^= hashes >> np.uint32(13)
    hashes *= np.uint32(0xC2B2AE35)
    hashes ^= hashes >> np.uint32(16)
    numbers = Ragged(hashes.astype(np.uint64)[places], sets.offsets)
    return _least(numbers, datasketch_coefficients(slots, seed), 0, 0)


def _least(sets: Ragged, pairs: Coefficients, prime: int, modulus: int) -> NDArray[np.uint32]:
    """The minimum of (a · x + b) mod `prime` mod `modulus` for each row and slot, if not empty.

    A prime of 0 stands for 2**32, and a modulus of 0 for none.
    """
    a, b = (numbers.astype(np.uint64) for numbers in pairs)
    sketches = np.full((len(sets), len(a)), NO_VALUE, np.uint32)
    if "affine_sketches" in KERNELS:
        KERNELS["affine_sketches"](sets.values, sets.offsets, a, b, prime, modulus, sketches)
        return sketches
    for place in np.flatnonzero(sets.lengths).tolist():
        values = (sets[place][:, None] * a + b) % np.uint64(prime or 1 << 32)
        sketches[place] = (values % np.uint64(modulus) if modulus else values).min(axis=0)
    return sketches
