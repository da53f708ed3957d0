"""Words numbered in order of appearance, stored in a few arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.byte_string_hashes import hashes_of
from sdtext.kernels.arrays.ragged import Ragged, offsets_of

DROPPED = -1
"""The number of a dropped word."""

_MOST_WORDS = 1 << 19
_MOST_BYTES = 1 << 26  # of all words together


class WordNumbering:
    """Words (UTF-8) with their numbers, from 1, and their hashes.

    >>> numbering = WordNumbering()
    >>> numbering.numbers(["to", "be", "", "to"]), [bytes(word) for word in numbering.words]
    ([1, 2, -1, 1], [b'to', b'be'])
    """

    def __init__(self) -> None:
        self._numbers = {"": DROPPED}
        self._bytes = np.empty(1 << 16, np.uint8)
        self._offsets = np.zeros(1 << 12, np.int64)
        self._hashes = np.empty(1 << 12, np.uint64)
        self._count = 0

    def numbers(self, words: Sequence[str]) -> list[int]:
        """A number for each word, the same for the same word; that of "" is `DROPPED`."""
        known = self._numbers
        new = [word for word in dict.fromkeys(words) if word not in known]
        if new:
            added = self.add(words_in([word.encode("utf-8", "surrogatepass") for word in new]))
            known.update(zip(new, added.tolist(), strict=True))
        return [known[word] for word in words]

    def add(self, words: Ragged) -> NDArray[np.int32]:
        """New numbers for words, without a look-up of known ones.

        So a word may have several numbers; its hash and its bytes identify it.
        """
        before, after = self._count, self._count + len(words)
        start = int(self._offsets[before])
        end = start + int(words.offsets[-1])
        self._bytes = _grown(self._bytes, end)
        self._offsets = _grown(self._offsets, after + 1)
        self._hashes = _grown(self._hashes, after)
        self._bytes[start:end] = words.values
        self._offsets[before : after + 1] = words.offsets + start
        self._hashes[before:after] = hashes_of(words)
        self._count = after
        return np.arange(before + 1, after + 1, dtype=np.int32)

    @property
    def words(self) -> Ragged:
        """The words; that of number i is row i - 1."""
        offsets = self._offsets[: self._count + 1]
        return Ragged(self._bytes[: offsets[-1]], offsets)

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """The 64-bit hash of each word, as `hashes_of` gives it."""
        return self._hashes[: self._count]

    @property
    def is_full(self) -> bool:
        """Whether it has reached its maximum size and should be replaced."""
        return self._count > _MOST_WORDS or len(self.words.values) > _MOST_BYTES


def words_in(words: Sequence[bytes]) -> Ragged:
    """The words, each a row of bytes."""
    values = np.frombuffer(b"".join(words), np.uint8)
    return Ragged(values, offsets_of(np.fromiter(map(len, words), np.int64, len(words))))


def _grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    """The array, copied into a longer one if it is shorter than `length`."""
    if length <= len(array):
        return array
    grown = np.empty(max(length, 2 * len(array)), array.dtype)
    grown[: len(array)] = array
    return grown
