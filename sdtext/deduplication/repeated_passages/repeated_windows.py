"""Windows of words that stand several times in a corpus: exact, in bounded memory.

All windows are hashed, some million hashes at a time are sorted, and windows of equal hashes are
compared word by word. Where two differ, all is done again with another hash function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import equal_ranges
from sdtext.kernels.arrays.integer_and_byte_hashes import draws, mixed
from sdtext.kernels.window_sums import polynomial_hashes

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]
WindowHash = Callable[[NDArray[Any]], Hashes]

_TILE = 1 << 18  # windows hashed at once
_WINDOWS_AT_ONCE = 1 << 24  # that are sorted at once

_READ = 1 << 22  # windows read at once
_SPARE = 8  # one part in so many is free where there are more hashes than expected
_MARKED_BITS = 24  # of 32
_UNMARKED_BITS = np.uint32(32 - _MARKED_BITS)


@dataclass(frozen=True, eq=False)
class Corpus:
    """The `words` of documents: those of document d are `[documents[d], documents[d + 1])`."""

    words: NDArray[Any]
    documents: Numbers


def window_hashes(length: int, seed: int, words: NDArray[Any]) -> Hashes:
    """The 64-bit hash of each window of `length` words.

    The first hash function is a polynomial modulo 2**64. It has collisions of its own for windows
    of more than a thousand words of a certain form, so that the others are modulo two primes.
    """
    start, base, second = (int(draw) for draw in draws(seed, 3))
    numbers = mixed(words.astype(np.uint64) + np.uint64(start))
    if seed == 0:
        return mixed(polynomial_hashes(numbers, length, base | 1, 1 << 64))
    low, high = (
        polynomial_hashes(numbers % np.uint64(prime), length, value % prime, prime).astype(
            np.uint64
        )
        for prime, value in ((4294967291, base), (4294967279, second))
    )
    return mixed(low | high << np.uint64(32))


def mark_repeated_windows(corpus: Corpus, length: int, marks: NDArray[np.int64]) -> None:
    """Mark the windows of `length` words that repeat an earlier one, in the zeros `marks`.

    The mark of a window at word w is 1 + the place of the first equal one. It is negative if that
    overlaps it.

    >>> marks = np.zeros(5, np.int64)
    >>> text = Corpus(np.array([7, 8, 9, 7, 8]), np.array([0, 3, 5]))
    >>> mark_repeated_windows(text, 2, marks)
    >>> marks.tolist()
    [0, 0, 0, 1, 0]
    """
    for seed in count():
        hashed = partial(window_hashes, length, seed)
        for windows, first, chosen in _copies(corpus, length, hashed):
            marks[windows] = np.where(chosen, first + 1, -first - 1)
        if all(equal_ranges(corpus.words, *run) for run in _runs(marks, length)):
            return
        marks[:] = 0


def _copies(
    corpus: Corpus, length: int, hash_of: WindowHash
) -> Iterator[tuple[Numbers, Numbers, NDArray[np.bool_]]]:
    """Windows with an earlier equal hash, the first of each, and whether they are chosen."""
    parts = len(corpus.words) // _WINDOWS_AT_ONCE + 1
    for part in range(parts):
        hashes, places = _hashes_of_part(corpus, length, hash_of, (part, parts))
        order = _likely_repeated(hashes)
        order = order[hashes[order].argsort(kind="stable")]
        hashes, places = hashes[order], places[order].astype(np.int64)
        begins = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)])
        sizes = np.diff(begins, append=len(hashes))
        first = np.repeat(places[begins], sizes)
        later = places > first
        yield places[later], first[later], (places - first >= length)[later]


def _likely_repeated(hashes: Hashes) -> Numbers:
    """The places of the hashes that are there more than once, and of a few others, ascending.

    Where two share their last 32 bits, all hashes with the first 24 of these are likely.
    """
    ordered = hashes.astype(np.uint32)
    ordered.sort()
    is_likely = np.zeros(1 << _MARKED_BITS, bool)
    is_likely[ordered[1:][ordered[1:] == ordered[:-1]] >> _UNMARKED_BITS] = True
    del ordered
    places = [np.empty(0, np.int64)]
    for begin in range(0, len(hashes), _TILE):
        some = hashes[begin : begin + _TILE].astype(np.uint32)
        places.append(np.flatnonzero(is_likely[some >> _UNMARKED_BITS]) + begin)
    return np.concatenate(places)


def _hashes_of_part(
    corpus: Corpus, length: int, hash_of: WindowHash, part: tuple[int, int]
) -> tuple[Hashes, NDArray[Any]]:
    """The hashes in one of several parts of all numbers, and the windows that have them."""
    number, parts = np.uint64(part[0]), np.uint64(part[1])
    last, size = max(len(corpus.words) - length + 1, 0), 0
    all_hashes = np.empty(last // part[1], np.uint64)
    all_places = np.empty(last // part[1], np.uint32 if last < 1 << 32 else np.int64)
    for begin in range(0, last, _TILE):
        stop = min(begin + _TILE, last)
        hashes = hash_of(corpus.words[begin : stop + length - 1])
        inside = _document_ends(corpus, begin, stop) - np.arange(begin, stop) >= length
        if part[1] > 1:
            inside &= (hashes >> np.uint64(32)) * parts >> np.uint64(32) == number
        chosen = np.flatnonzero(inside)
        first, size = size, size + len(chosen)
        if size > len(all_hashes):
            for column in (all_hashes, all_places):
                column.resize(size + size // _SPARE, refcheck=False)
        all_hashes[first:size], all_places[first:size] = hashes[chosen], chosen + begin
    return all_hashes[:size], all_places[:size]


def _document_ends(corpus: Corpus, begin: int, stop: int) -> Numbers:
    """The end of the document of each word in a range."""
    bounds = corpus.documents
    first = int(np.searchsorted(bounds, begin, "right")) - 1
    last = int(np.searchsorted(bounds, stop, "left"))
    within = np.clip(bounds[first : last + 1], begin, stop)
    return np.repeat(bounds[first + 1 : last + 1], np.diff(within))


def _runs(marks: NDArray[np.int64], length: int) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    """Runs of marked windows whose first copies follow each other, too.

    For each run the place of its first word, of the first copy of that, and the number of words.
    """
    for begin in range(0, len(marks), _READ):
        windows = np.flatnonzero(marks[begin : begin + _READ])
        first = np.abs(marks[begin : begin + _READ][windows]) - 1
        windows = windows + begin
        new = np.append(True, (np.diff(windows) != 1) | (np.diff(first) != 1))[: len(windows)]
        starts = np.flatnonzero(new)
        sizes = np.diff(starts, append=len(windows))
        yield windows[starts], first[starts], sizes + length - 1
