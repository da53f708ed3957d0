"""Sliding windows over letters or terms of documents, each hashed to 64 bits, and their sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.integer_and_byte_hashes import POWERS
from sdtext.kernels.arrays.ragged import Ragged, offsets_of, row_batches, sorted_distinct
from sdtext.kernels.window_sums import polynomial_hashes

_TILE = 1 << 15  # windows at once, so that temporary arrays stay in the cache
_WHOLE = 1 << 20  # symbols that are hashed of a document without a whole window
_RUN = 1 << 21  # windows of several documents that are hashed before they are sorted


@dataclass(frozen=True, eq=False)
class Letters:
    """Code points (uint32) as symbols."""

    code_points: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.code_points)

    def take(self, places: slice | NDArray[np.int64]) -> Letters:
        """The letters at these places."""
        return Letters(self.code_points[places])

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The code points."""
        return self.code_points.astype(np.uint64)

    def spelled(self, starts: NDArray[np.int64], length: int) -> Iterator[bytes]:
        """The letters of each window in UTF-8."""
        text = self.code_points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        for start in starts.tolist():
            yield text[start : start + length].encode("utf-8", "surrogatepass")


@dataclass(frozen=True, eq=False)
class WordLetters:
    """The letters of words, concatenated and looked up on access.

    Word i is row `words[i]` of `spelling` (code points), and its letters start at `ends[i]`.

    >>> spelling = Ragged.of([list(b"to"), list(b"be")], "uint32")
    >>> letters = WordLetters(spelling, np.array([1, 0, 1]), np.array([0, 2, 4, 6]))
    >>> bytes(letters.take(slice(1, 5)).code_points.tolist())
    b'etob'
    """

    spelling: Ragged
    words: NDArray[np.integer[Any]]
    ends: NDArray[np.int64]

    def take(self, places: slice | NDArray[np.int64]) -> Letters:
        """The letters at these places; a slice is looked up word by word."""
        if isinstance(places, slice):
            first = int(np.searchsorted(self.ends, places.start, "right")) - 1
            last = int(np.searchsorted(self.ends, places.stop, "left"))
            letters = self.spelling.take(self.words[first:last]).values
            begin = int(self.ends[first])
            return Letters(letters[places.start - begin : places.stop - begin])
        owners = np.searchsorted(self.ends, places, "right") - 1
        starts = self.spelling.offsets[self.words[owners]]
        return Letters(self.spelling.values[starts + places - self.ends[owners]])


@dataclass(frozen=True, eq=False)
class Terms:
    """Terms as symbols: their 64-bit hashes; for hashes that spell, also `places` among `words`."""

    keys: NDArray[np.uint64]
    places: NDArray[np.uint32] | None = None
    words: Ragged | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, places: slice | NDArray[np.int64]) -> Terms:
        """The terms at these places in the sequence."""
        own = self.places
        return Terms(self.keys[places], None if own is None else own[places], self.words)

    def spelled(self, starts: NDArray[np.int64], length: int) -> Iterator[bytes]:
        """The words of each window, one blank between them."""
        assert self.words is not None  # noqa: S101 (else the hash is `by_numbers`)
        assert self.places is not None  # noqa: S101 (as above)
        rows = self.words.take(self.places)
        data, ends = rows.values.tobytes(), rows.offsets.tolist()
        words = [data[start:end] for start, end in pairwise(ends)]
        for start in starts.tolist():
            yield b" ".join(words[start : start + length])


Symbols = Letters | Terms
"""A sequence of symbols. Among `keys` each has the code point of a letter, or the 64-bit hash of a
term. `spelled` gives the UTF-8 of each window of `length` symbols, one blank between terms. `take`
takes places, or a slice without a step.
"""
WindowHash = Callable[[Symbols, int, NDArray[np.int64]], NDArray[np.uint64]]
"""The hash of the windows of a length that begin at these places, which ascend."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Spans of symbols (documents, lines or words); no window crosses their bounds.

    Piece i has the `lengths[i]` symbols from `starts[i]`; document i has the pieces
    `[documents[i], documents[i + 1])`.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    documents: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SlidingWindows:
    """All windows of `length` symbols in the `pieces` of documents, and their hash function.

    A document that has symbols but no piece as long as a window has a single window: all of it
    (its first 2**20 symbols, which bounds memory for documents of short lines).
    """

    symbols: Symbols | WordLetters
    pieces: Pieces
    length: int
    hash: WindowHash

    def counts(self) -> NDArray[np.int64]:
        """The number of windows before each document; too short documents have none."""
        return self._ends()[self.pieces.documents]

    def tiles(self) -> Iterator[NDArray[np.uint64]]:
        """The hashes of the windows in order, in batches, without those of too short documents."""
        ends, places = self._ends(), np.arange(_TILE)
        for begin in range(0, int(ends[-1]), _TILE):
            end = min(begin + _TILE, int(ends[-1]))
            first = int(np.searchsorted(ends, begin, "right")) - 1
            last = int(np.searchsorted(ends, end, "left"))
            within = ends[first : last + 1].copy()
            within[0], within[-1] = begin, end
            shifts = self.pieces.starts[first:last] - ends[first:last] + begin
            starts = places[: end - begin] + np.repeat(shifts - shifts[0], within[1:] - within[:-1])
            near = slice(int(shifts[0]), int(shifts[0] + starts[-1]) + self.length)
            yield self.hash(self.symbols.take(near), self.length, starts)

    def in_order(self) -> Ragged:
        """The hashes of the windows in order, a row for each document."""
        offsets = self.counts()
        values = np.empty(offsets[-1], np.uint64)
        for number, tile in enumerate(self.tiles()):
            values[number * _TILE : number * _TILE + len(tile)] = tile
        short = np.flatnonzero((np.diff(offsets) == 0) & (np.diff(self.pieces.documents) > 0))
        if not len(short):
            return Ragged(values, offsets)
        hashes = np.insert(values, offsets[short], self._whole_hashes(short))
        return Ragged(hashes, offsets + np.searchsorted(short, np.arange(len(offsets))))

    def _ends(self) -> NDArray[np.int64]:
        """The number of windows before each piece."""
        return offsets_of(np.maximum(self.pieces.lengths - (self.length - 1), 0))

    def _whole_hashes(self, chosen: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The hash of all symbols of each of the chosen documents."""
        pieces = self.pieces
        lasts = pieces.documents[chosen + 1] - 1
        starts = pieces.starts[pieces.documents[chosen]]
        lengths = np.minimum(pieces.starts[lasts] + pieces.lengths[lasts] - starts, _WHOLE)
        hashes = np.empty(len(chosen), np.uint64)
        for length in distinct(lengths).tolist():
            same = np.flatnonzero(lengths == length)
            places = (starts[same, None] + np.arange(length)).reshape(-1)
            symbols = self.symbols.take(places)
            hashes[same] = self.hash(symbols, length, np.arange(len(same)) * length)
        return hashes


def sets(windows: SlidingWindows) -> Ragged:
    """The distinct hashes of each document's windows, sorted: of short documents together."""
    counts, pieces = windows.counts(), windows.pieces
    # Memory that is not written to is never allocated; a too short document has one hash.
    hashes = np.empty(counts[-1] + len(counts) - 1, np.uint64)
    lengths = [np.empty(0, np.int64)]
    end = 0
    for first, last in row_batches(counts, _RUN):
        documents = pieces.documents[first : last + 1]
        here = slice(documents[0], documents[-1])
        some = Pieces(pieces.starts[here], pieces.lengths[here], documents - documents[0])
        part = replace(windows, pieces=some)
        if counts[last] - counts[first] > _RUN:
            lengths.append(np.array([_set_of_one(part, hashes[end:])]))
        else:
            rows = sorted_distinct(part.in_order())
            hashes[end : end + len(rows.values)] = rows.values
            lengths.append(rows.lengths)
        end += int(lengths[-1].sum())
    hashes.resize(end, refcheck=False)
    return Ragged(hashes, offsets_of(np.concatenate(lengths)))


def _set_of_one(windows: SlidingWindows, buffer: NDArray[np.uint64]) -> int:
    """The number of distinct hashes of one document; they are sorted at the start of `buffer`.

    About twice as many entries of the buffer are used at most, since the hashes are reduced to the
    distinct ones whenever they have doubled.
    """
    known = end = 0
    for tile in windows.tiles():
        buffer[end : end + len(tile)] = tile
        end += len(tile)
        if end > 2 * known + _RUN:
            known = end = _deduplicated(buffer[:end])
    return _deduplicated(buffer[:end])


def _deduplicated(values: NDArray[np.uint64]) -> int:
    """The number of distinct values, which are moved, sorted, to the start of the array."""
    different = distinct(values)
    values[: len(different)] = different
    return len(different)


def mixed_hashes(symbols: Symbols, length: int, starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The 64-bit key of each window: mixed(Σ_j key_j · POWERS**j), modulo 2**64."""
    return polynomial_hashes(symbols.keys, length, POWERS, 1 << 64, starts, mix=True)
