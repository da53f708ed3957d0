"""Hashes of 64-bit integers (SplitMix64) and of byte strings, on arrays.

SplitMix64: deterministic random numbers and a 64-bit mixing function.

G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
Draw i (from 1) of `seed` is the mixing of seed + i · 0x9e3779b97f4a7c15, all modulo 2**64.

64-bit hashes of rows of bytes: of words, and of spans between white space.

The hash of a row of n bytes, seen as groups w_0, w_1, … of 8 (little-endian, the last one filled
up with zeros), all modulo 2**64:

    mixed(n · LENGTH + Σ_j shuffled(w_j xor seed) · POWERS**j),
    shuffled(w) = v xor v >> 29, v = (w xor w >> 32) · GROUP

where `mixed` is the end of SplitMix64. Rows of one length up to 8 never share a hash.
"""

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.c_library import KERNELS

_STEP = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, made odd
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
_WORD = (1 << 64) - 1
POWERS = 0xD1342543DE82EF95  # of G. Steele, S. Vigna: Computationally easy, spectrally good
"""The base of all sums of powers modulo 2**64; odd, so that no power of it is 0."""

_GROUP = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, made odd
_LENGTH = 0xAF251AF3B0F025B5  # odd and without a pattern; any such number does


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix each number: a bijection in which every output bit depends on every input bit."""
    bits = values ^ (values >> np.uint64(30))
    bits *= np.uint64(_FIRST)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(_SECOND)
    bits ^= bits >> np.uint64(31)
    return bits


def mixed_plain(value: int) -> int:
    """`mixed` of one number, in plain Python.

    >>> hex(mixed_plain(1))
    '0x5692161d100b05e5'
    """
    value = (value ^ value >> 30) * _FIRST & _WORD
    value = (value ^ value >> 27) * _SECOND & _WORD
    return value ^ value >> 31


def draws(seed: int, count: int) -> NDArray[np.uint64]:
    """The first `count` draws of `seed`, a number from 0 to 2**64 - 1.

    >>> [hex(draw) for draw in draws(0, 2).tolist()]
    ['0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4']
    """
    steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_STEP)
    return mixed(steps + np.uint64(seed))


def draws_plain(seed: int, count: int) -> list[int]:
    """`draws` in plain Python."""
    return [mixed_plain(seed + step * _STEP & _WORD) for step in range(1, count + 1)]


def hashes_of(rows: Ragged) -> NDArray[np.uint64]:
    """The hash of each row of bytes.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> words = Ragged.of([list(b"hash"), list(b"fingerprints")], "uint8")
    >>> hashes_of(words).tolist() == [hash_plain(b"hash"), hash_plain(b"fingerprints")]
    True
    """
    return span_hashes(rows.values, rows.offsets[:-1], rows.lengths)


def span_hashes(
    data: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64], seed: int = 0
) -> NDArray[np.uint64]:
    """The hash of each span `data[start : start + length]`."""
    if "span_hashes" not in KERNELS:
        spans = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        plain = [hash_plain(data[start:end].tobytes(), seed) for start, end in spans]
        return np.array(plain, np.uint64)
    hashes = np.empty(len(starts), np.uint64)
    contiguous = (np.ascontiguousarray(column) for column in (data, starts, lengths))
    KERNELS["span_hashes"](*contiguous, seed, hashes)
    return hashes


def hash_plain(row: bytes, seed: int = 0) -> int:
    """The hash of one row of bytes."""
    total = len(row) * _LENGTH
    for place in range(0, max(1, len(row)), 8):
        group = int.from_bytes(row[place : place + 8], "little") ^ seed
        group = (group ^ group >> 32) * _GROUP & _WORD
        total += (group ^ group >> 29) * pow(POWERS, place // 8, 1 << 64)
    return mixed_plain(total & _WORD)
