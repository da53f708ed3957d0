"""Sequences of symbols, letters or terms, which are hashed window by window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged


class Sliceable(Protocol):
    """A sequence of symbols that can be sliced."""

    def taken(self, places: slice | NDArray[np.int64]) -> Symbols:
        """The symbols at `places`; slices have no step."""


class Symbols(Sliceable, Protocol):
    """A sequence of symbols: letters, or terms."""

    def __len__(self) -> int: ...

    @property
    def keys(self) -> NDArray[np.uint64]:
        """A number for each symbol: the code point of a letter, the 64-bit hash of a term."""

    @property
    def numbers(self) -> NDArray[np.uint64]:
        """A number for each symbol as in the papers: a to z are 1 to 26, other letters above."""

    def spelled(self, starts: NDArray[np.int64], length: int) -> Iterator[bytes]:
        """The UTF-8 of each window of `length` symbols; one blank between terms."""


@dataclass(frozen=True, eq=False)
class Letters:
    """Code points (uint32) as symbols."""

    code_points: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.code_points)

    def taken(self, places: slice | NDArray[np.int64]) -> Letters:
        """The letters at `places`."""
        return Letters(self.code_points[places])

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The code points."""
        return self.code_points.astype(np.uint64)

    @property
    def numbers(self) -> NDArray[np.uint64]:
        """1 to 26 for a to z, 27 + code point for every other letter."""
        numbers = self.keys + np.uint64(27)
        plain = (self.code_points >= ord("a")) & (self.code_points <= ord("z"))
        numbers[plain] -= np.uint64(27 + ord("a") - 1)
        return numbers

    def spelled(self, starts: NDArray[np.int64], length: int) -> Iterator[bytes]:
        """The UTF-8 of each window."""
        text = self.code_points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        for start in starts.tolist():
            yield text[start : start + length].encode("utf-8", "surrogatepass")


@dataclass(frozen=True, eq=False)
class WordLetters:
    """The letters of words, concatenated and looked up on access.

    Word i is row `words[i]` of `spelling` (code points), and its letters start at `ends[i]`.

    >>> import numpy as np
    >>> spelling = Ragged.of([list(b"to"), list(b"be")], "uint32")
    >>> letters = WordLetters(spelling, np.array([1, 0, 1]), np.array([0, 2, 4, 6]))
    >>> bytes(letters.taken(slice(1, 5)).code_points.tolist())
    b'etob'
    """

    spelling: Ragged
    words: NDArray[np.integer[Any]]
    ends: NDArray[np.int64]

    def taken(self, places: slice | NDArray[np.int64]) -> Letters:
        """The letters at `places`."""
        if isinstance(places, slice):
            first = int(np.searchsorted(self.ends, places.start, "right")) - 1
            last = int(np.searchsorted(self.ends, places.stop, "left"))
            letters = self.spelling.taken(self.words[first:last]).values
            begin = int(self.ends[first])
            return Letters(letters[places.start - begin : places.stop - begin])
        owners = np.searchsorted(self.ends, places, "right") - 1
        starts = self.spelling.offsets[self.words[owners]]
        return Letters(self.spelling.values[starts + places - self.ends[owners]])


@dataclass(frozen=True, eq=False)
class HashedTerms:
    """Terms as symbols, known by their 64-bit hashes alone."""

    keys: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.keys)

    def taken(self, places: slice | NDArray[np.int64]) -> HashedTerms:
        """The terms at `places`."""
        return HashedTerms(self.keys[places])

    @property
    def numbers(self) -> NDArray[np.uint64]:
        """The hash of each term."""
        return self.keys

    def spelled(self, starts: NDArray[np.int64], length: int) -> Iterator[bytes]:
        """Not available: only hash functions with `by_numbers` accept hashed terms."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Terms:
    """Terms as symbols: places (from 0) among `words`, whose hashes are `hashes`."""

    places: NDArray[np.uint32]
    words: Ragged
    hashes: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.places)

    def taken(self, places: slice | NDArray[np.int64]) -> Terms:
        """The terms at `places`."""
        return Terms(self.places[places], self.words, self.hashes)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The hash of each term."""
        return self.hashes[self.places]

    @property
    def numbers(self) -> NDArray[np.uint64]:
        """The hash of each term."""
        return self.keys

    def spelled(self, starts: NDArray[np.int64], length: int) -> Iterator[bytes]:
        """The words of each window, one blank between them."""
        rows = self.words.taken(self.places)
        data, ends = rows.values.tobytes(), rows.offsets.tolist()
        words = [data[start:end] for start, end in pairwise(ends)]
        for start in starts.tolist():
            yield b" ".join(words[start : start + length])
