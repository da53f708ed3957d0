"""The windows of documents as sets and as bags, in memory for their distinct hashes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.arrays.shingle_sets import sorted_distinct
from sdtext.kernels.arrays.splitmix import mixed
from sdtext.kernels.windows.sliding import STEP, Windows, numbered

Hashes = NDArray[np.uint64]

_RUN = 1 << 21  # windows of several documents that are hashed before they are sorted
_TILE = 1 << 16  # numbers whose temporary arrays stay near the processor


def sets(windows: Windows) -> Ragged:
    """The hashes of each document's windows in order, each once."""
    return _gathered(windows, lambda some: sorted_distinct(some.in_order()), _set_of_one)


def bags(windows: Windows) -> Ragged:
    """The hashes of each document's windows in order, repeats numbered as by `numbered`."""
    return _gathered(windows, lambda some: sorted_distinct(numbered(some.in_order())), _bag_of_one)


def _gathered(
    windows: Windows,
    of_some: Callable[[Windows], Ragged],
    of_one: Callable[[Windows, Hashes], int],
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


def _set_of_one(windows: Windows, room: Hashes) -> int:
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
    for begin in range(0, len(values), _TILE):
        tile = values[begin : begin + _TILE]
        first = np.append(not count or tile[0] != values[count - 1], tile[1:] != tile[:-1])
        chosen = tile[first]
        values[count : count + len(chosen)] = chosen
        count += len(chosen)
    return count


def _bag_of_one(windows: Windows, room: Hashes) -> int:
    """How many windows one document has; their hashes as a bag are at the start of `room`."""
    end = 0
    for tile in windows.tiles():
        room[end : end + len(tile)] = tile
        end += len(tile)
    values = room[:end]
    values.sort()
    begin = 0  # of the equal values that the tile before ended with
    last = values[0]
    for start in range(0, end, _TILE):
        tile = values[start : start + _TILE]
        first = np.append(tile[0] != last, tile[1:] != tile[:-1])
        begins = np.maximum.accumulate(np.where(first, np.arange(start, start + len(tile)), begin))
        last, begin = tile[-1].copy(), int(begins[-1])
        ranks = (np.arange(start, start + len(tile)) - begins).astype(np.uint64)
        again = np.flatnonzero(ranks)
        tile[again] = mixed(tile[again] + ranks[again] * np.uint64(STEP))
    return _brought_down(values)
