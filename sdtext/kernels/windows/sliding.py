"""Windows of a few symbols that slide over documents, each hashed to 64 bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.arrays.splitmix import mixed
from sdtext.kernels.windows.symbols import Hash, Slidable

_TILE = 1 << 15  # windows whose temporary arrays stay near the processor
_WHOLE = 1 << 20  # symbols of a document of short pieces that count for its one hash
STEP = 0x9E3779B97F4A7C15
"""What tells repeats apart: 2**64 divided by the golden ratio, made odd."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """The stretches of symbols that no window leaves: documents, lines or words.

    Piece i has the `lengths[i]` symbols from `starts[i]`; document i has the pieces from
    `documents[i]` to before `documents[i + 1]`.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    documents: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.documents) - 1

    def between(self, first: int, last: int) -> Pieces:
        """The pieces of the documents from `first` to before `last`."""
        documents = self.documents[first : last + 1]
        chosen = slice(documents[0], documents[-1])
        return Pieces(self.starts[chosen], self.lengths[chosen], documents - documents[0])


@dataclass(frozen=True, eq=False)
class Windows:
    """All windows of `length` symbols in the `pieces` of documents, and what hashes them.

    A document that has symbols but no piece as long as a window has one: all of it
    (its first 2**20 symbols, lest a document of short lines takes all memory).
    """

    symbols: Slidable
    pieces: Pieces
    length: int
    hash: Hash

    def counts(self) -> NDArray[np.int64]:
        """How many windows there are before each document; one that is too short has none."""
        return self._ends()[self.pieces.documents]

    def tiles(self) -> Iterator[NDArray[np.uint64]]:
        """The hashes of the windows in their order, some at a time; too short documents aside."""
        ends = self._ends()
        for begin in range(0, int(ends[-1]), _TILE):
            starts = _window_starts(self.pieces, ends, begin, min(begin + _TILE, int(ends[-1])))
            near = self.symbols.taken(slice(int(starts[0]), int(starts[-1]) + self.length))
            yield self.hash(near, self.length, starts - starts[0])

    def in_order(self) -> Ragged:
        """The hash of each window, each document a row."""
        offsets = self.counts()
        values = np.empty(offsets[-1], np.uint64)
        for number, tile in enumerate(self.tiles()):
            values[number * _TILE : number * _TILE + len(tile)] = tile
        short = np.flatnonzero((np.diff(offsets) == 0) & (np.diff(self.pieces.documents) > 0))
        if not len(short):
            return Ragged(values, offsets)
        found = np.insert(values, offsets[short], self._whole_hashes(short))
        return Ragged(found, offsets + np.searchsorted(short, np.arange(len(offsets))))

    def _ends(self) -> NDArray[np.int64]:
        """How many windows there are before each piece."""
        return offsets_of(np.maximum(self.pieces.lengths - (self.length - 1), 0))

    def _whole_hashes(self, chosen: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The hash of all symbols of each of the chosen documents."""
        pieces = self.pieces
        lasts = pieces.documents[chosen + 1] - 1
        starts = pieces.starts[pieces.documents[chosen]]
        lengths = np.minimum(pieces.starts[lasts] + pieces.lengths[lasts] - starts, _WHOLE)
        made = np.empty(len(chosen), np.uint64)
        for length in np.unique(lengths).tolist():
            same = np.flatnonzero(lengths == length)
            places = (starts[same, None] + np.arange(length)).reshape(-1)
            symbols = self.symbols.taken(places)
            made[same] = self.hash(symbols, length, np.arange(len(same)) * length)
        return made


def _window_starts(
    pieces: Pieces, ends: NDArray[np.int64], begin: int, end: int
) -> NDArray[np.int64]:
    """Where the windows from number `begin` to before `end` start; before piece i are `ends[i]`."""
    first = int(np.searchsorted(ends, begin, "right")) - 1
    last = int(np.searchsorted(ends, end, "left"))
    within = np.clip(ends[first : last + 1], begin, end)
    shifts = pieces.starts[first:last] - ends[first:last]
    return np.arange(begin, end) + np.repeat(shifts, within[1:] - within[:-1])


def numbered(shingles: Ragged) -> Ragged:
    """The rows with repeats made to differ: the second 7 of a row is another number, as the third.

    The first of equal numbers stays as it is, so that the rows as sets are those of bags.

    >>> rows = numbered(Ragged.of([[7, 8, 7], [7]]))
    >>> [len(set(row.tolist())) for row in rows], rows[1].tolist()
    ([3, 1], [7])
    """
    step = np.uint64(STEP)
    values = shingles.values[: shingles.offsets[-1]]
    owners = shingles.owners
    order = np.lexsort((values, owners))
    first = np.ones(len(values), bool)
    first[1:] = (values[order[1:]] != values[order[:-1]]) | (
        owners[order[1:]] != owners[order[:-1]]
    )
    begins = np.flatnonzero(first)
    ranks = np.arange(len(values)) - np.repeat(begins, np.diff(np.append(begins, len(values))))
    again = np.flatnonzero(ranks)
    made = values.copy()
    made[order[again]] = mixed(values[order[again]] + ranks[again].astype(np.uint64) * step)
    return Ragged(made, shingles.offsets)
