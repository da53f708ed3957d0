"""MinHash by affine functions: slot i holds the least of a_i · x + b_i over the elements x.

Sketches of two sets have that of their union in the lesser of each pair of slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha1
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import draws
from sdtext.kernels.arrays.ragged import Ragged

Coefficients = tuple[NDArray[Any], NDArray[Any]]
Sketches = Callable[[Ragged, int, int], NDArray[np.uint32]]
Permuted = Callable[[NDArray[Any], Any, Any], NDArray[Any]]

PRIME = 10_000_013
ROWS = 1_000_003
"""In the matrix of the paper: its hash of a shingle is below that."""
NO_VALUE = (1 << 32) - 1
_PIECE = 1 << 14  # numbers at once: arrays of 128 KB, which stay in the cache


def paper_coefficients(slots: int, seed: int) -> Coefficients:
    """The pairs (a, b) of `PRIME`, 1 ≤ a < p and 0 ≤ b < p: from the draws of `seed` in turn.

    >>> a, b = paper_coefficients(2, seed=1)
    >>> a.tolist(), b.tolist()
    ([6217166, 1535271], [903848, 653147])
    """
    drawn = draws(seed, 2 * slots)
    return drawn[::2] % np.uint64(PRIME - 1) + np.uint64(1), drawn[1::2] % np.uint64(PRIME)


def paper_sketches(sets: Ragged, slots: int, seed: int) -> NDArray[np.uint32]:
    """The minimum of ((a · x + b) mod p) mod n for each row and slot; x is the number mod p.

    p is `PRIME` and n is `ROWS`.
    """
    a, b = paper_coefficients(slots, seed)
    # Numbers below 2**47 and their halves are exact in float64. The half keeps a quotient
    # 1 / (2p) away from whole numbers, more than it can be wrong by; truncation drops it.
    pairs = (a.astype(np.float64), b + 0.5)
    prime = np.uint64(PRIME)
    return _least(sets, pairs, _paper_permuted, lambda values: (values % prime).astype(np.float64))


def _paper_permuted(numbers: NDArray[Any], a: Any, b: Any) -> NDArray[Any]:
    permuted = _affine(numbers, a, b)
    quotient = np.empty_like(permuted)
    for modulus in (PRIME, ROWS):
        np.multiply(permuted, 1 / modulus, out=quotient)
        np.floor(quotient, out=quotient)
        quotient *= modulus
        permuted -= quotient
    return permuted


def paper_sketch_plain(elements: Iterable[int], pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The sketch of one set with the coefficients `pairs`, in plain Python.

    >>> paper_sketch_plain([PRIME + 2, 7], [(3, 1), (1_000_003, 2)])
    [7, 2]
    """
    members = set(elements)
    return [min(((a * x + b) % PRIME % ROWS for x in members), default=NO_VALUE) for a, b in pairs]


def modular_coefficients(slots: int, seed: int, rows: int) -> Coefficients:
    """The pairs (a, b), 1 ≤ a ≤ rows and 0 ≤ b ≤ rows: from the draws of `seed` in turn."""
    drawn = draws(seed, 2 * slots)
    return drawn[::2] % np.uint64(rows) + np.uint64(1), drawn[1::2] % np.uint64(rows + 1)


def modular_sketches(sets: Ragged, slots: int, seed: int, rows: int) -> NDArray[np.uint32]:
    """The minimum of (a · x + b) mod c for each row and slot; x is the number mod `rows`.

    c is the least prime above `rows`, which is below 2**31.
    """
    prime, most = np.uint64(next_prime(rows)), np.uint64(rows)

    def permuted(numbers: NDArray[Any], a: Any, b: Any) -> NDArray[Any]:
        return _affine(numbers, a, b) % prime

    pairs = modular_coefficients(slots, seed, rows)
    return _least(sets, pairs, permuted, lambda values: values % most)


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
    numbers = _murmur(_sha1(different))[places]
    pairs = datasketch_coefficients(slots, seed)
    return _least(type(sets)(numbers, sets.offsets), pairs, _affine)


def _affine(numbers: NDArray[Any], a: Any, b: Any) -> NDArray[Any]:
    permuted: NDArray[Any] = numbers * a
    permuted += b
    return permuted


def _sha1(values: NDArray[np.uint64]) -> NDArray[np.uint32]:
    data = memoryview(values.astype("<u8").tobytes())
    starts = range(0, len(data), 8)
    heads = [sha1(data[start : start + 8], usedforsecurity=False).digest()[:4] for start in starts]
    return np.frombuffer(b"".join(heads), "<u4").astype(np.uint32)


def _murmur(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    hashes = values ^ (values >> np.uint32(16))
    hashes *= np.uint32(0x85EBCA6B)
    hashes ^= hashes >> np.uint32(13)
    hashes *= np.uint32(0xC2B2AE35)
    hashes ^= hashes >> np.uint32(16)
    return hashes


def _least(
    sets: Ragged,
    pairs: Coefficients,
    permuted: Permuted,
    numbered: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
) -> NDArray[np.uint32]:
    """The minimum of `permuted` for each row and slot; `NO_VALUE` in empty rows.

    Values are first converted by `numbered`, if it is given, in batches.
    """
    sketches = np.full((len(sets), len(pairs[0])), NO_VALUE, np.uint32)
    for values, rows, starts in _pieces(sets):
        numbers = numbered(values) if numbered else values
        for slot, (a, b) in enumerate(zip(*pairs, strict=True)):
            least = np.minimum.reduceat(permuted(numbers, a, b), starts).astype(np.uint32)
            sketches[rows, slot] = np.minimum(sketches[rows, slot], least)
    return sketches


def _pieces(sets: Ragged) -> Iterator[tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]]:
    """Batches of values with the rows they belong to and the starts of these rows."""
    offsets = sets.offsets
    for start in range(0, int(offsets[-1]), _PIECE):
        stop = min(start + _PIECE, int(offsets[-1]))
        first = int(np.searchsorted(offsets, start, "right")) - 1
        last = int(np.searchsorted(offsets, stop, "left"))
        bounds = np.clip(offsets[first : last + 1], start, stop) - start
        some = np.flatnonzero(bounds[1:] > bounds[:-1])
        yield sets.values[start:stop], first + some, bounds[some]
