"""Sliding windows over documents, each hashed to 64 bits: in order, as sets, as bags."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, offsets_of, sorted_distinct
from sdtext.kernels.arrays.splitmix import mixed
from sdtext.kernels.windows.symbols import Sliceable, WindowHash

_TILE = 1 << 15  # windows whose temporary arrays stay near the processor
_WHOLE = 1 << 20  # symbols of a document of short pieces that count for its one hash
STEP = 0x9E3779B97F4A7C15
"""What tells repeats apart: 2**64 divided by the golden ratio, made odd."""


Hashes = NDArray[np.uint64]
_RUN = 1 << 21  # windows of several documents that are hashed before they are sorted
_SORT_TILE = 1 << 16  # numbers whose temporary arrays stay near the processor


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
class SlidingWindows:
    """All windows of `length` symbols in the `pieces` of documents, and what hashes them.

    A document that has symbols but no piece as long as a window has one: all of it
    (its first 2**20 symbols, lest a document of short lines takes all memory).
    """

    symbols: Sliceable
    pieces: Pieces
    length: int
    hash: WindowHash

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


def sets(windows: SlidingWindows) -> Ragged:
    """The hashes of each document's windows in order, each once."""
    return _gathered(windows, lambda some: sorted_distinct(some.in_order()), _set_of_one)


def bags(windows: SlidingWindows) -> Ragged:
    """The hashes of each document's windows in order, repeats numbered as by `numbered`."""
    return _gathered(windows, lambda some: sorted_distinct(numbered(some.in_order())), _bag_of_one)


def _gathered(
    windows: SlidingWindows,
    of_some: Callable[[SlidingWindows], Ragged],
    of_one: Callable[[SlidingWindows, Hashes], int],
) -> Ragged:
    """A row for each document: several at a time by `of_some`, long ones alone by `of_one`."""
    counts = windows.counts()
    # Memory that is not written to takes no room; a document that is too short has one hash.
    found = np.empty(counts[-1] + len(windows.pieces), np.uint64)
    lengths = [np.empty(0, np.int64)]
    end = 0
    for first, last in _runs(counts):
        part = replace(windows, pieces=windows.pieces.between(first, last))
        if counts[last] - counts[first] > _RUN:
            lengths.append(np.array([of_one(part, found[end:])]))
        else:
            rows = of_some(part)
            found[end : end + len(rows.values)] = rows.values
            lengths.append(rows.lengths)
        end += int(lengths[-1].sum())
    found.resize(end, refcheck=False)
    return Ragged(found, offsets_of(np.concatenate(lengths)))


def _runs(counts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Documents in a row that have up to `_RUN` windows, or one that has more."""
    first = 0
    while first < len(counts) - 1:
        reach = int(np.searchsorted(counts, counts[first] + _RUN, "right")) - 1
        last = max(reach, first + 1)
        yield first, last
        first = last


def _set_of_one(windows: SlidingWindows, room: Hashes) -> int:
    """How many distinct hashes one document has; they are in order at the start of `room`.

    No more of the room is used than for some twice as many, as they are brought down to the
    distinct ones whenever they have doubled.
    """
    known = end = 0
    for tile in windows.tiles():
        room[end : end + len(tile)] = tile
        end += len(tile)
        if end > 2 * known + _RUN:
            known = end = _brought_down(room[:end])
    return _brought_down(room[:end])


def _brought_down(values: Hashes) -> int:
    """How many distinct values there are; they are then in order at the start of the array."""
    values.sort()
    count = 0
    for begin in range(0, len(values), _SORT_TILE):
        tile = values[begin : begin + _SORT_TILE]
        first = np.append(not count or tile[0] != values[count - 1], tile[1:] != tile[:-1])
        chosen = tile[first]
        values[count : count + len(chosen)] = chosen
        count += len(chosen)
    return count


def _bag_of_one(windows: SlidingWindows, room: Hashes) -> int:
    """How many windows one document has; their hashes as a bag are at the start of `room`."""
    end = 0
    for tile in windows.tiles():
        room[end : end + len(tile)] = tile
        end += len(tile)
    values = room[:end]
    values.sort()
    begin = 0  # of the equal values that the tile before ended with
    last = values[0]
    for start in range(0, end, _SORT_TILE):
        tile = values[start : start + _SORT_TILE]
        first = np.append(tile[0] != last, tile[1:] != tile[:-1])
        begins = np.maximum.accumulate(np.where(first, np.arange(start, start + len(tile)), begin))
        last, begin = tile[-1].copy(), int(begins[-1])
        ranks = (np.arange(start, start + len(tile)) - begins).astype(np.uint64)
        again = np.flatnonzero(ranks)
        tile[again] = mixed(tile[again] + ranks[again] * np.uint64(STEP))
    return _brought_down(values)
