"""Repeated paragraphs and sentences: those of the same words, and those within repeated passages.

A passage is repeated if N words in a row stand earlier in the corpus. Of these only whole sentences
are removed. A sentence of up to N words is removed if N words around it, in its document, stand
earlier; a longer one, if all of it does. So the words of each sentence that is removed stand, in
their order, in a place that is kept.

Windows of N words are found exactly, in bounded memory: all are hashed, some million hashes at a
time are sorted, and windows of equal hashes are compared word by word. Where two differ, all is
done again with another hash function.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.deduplication.repeated_passages.corpus_words import CorpusWords, Numbers
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.kernels.arrays.equal_rows import equal_ranges, equal_rows
from sdtext.kernels.arrays.integer_and_byte_hashes import draws, mixed
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.window_sums import polynomial_hashes

Hashes = NDArray[np.uint64]
WindowHash = Callable[[NDArray[Any]], Hashes]

_SENTENCES = 1 << 17  # at once
_TILE = 1 << 18  # windows hashed at once
_WINDOWS_AT_ONCE = 1 << 24  # that are sorted at once
_READ = 1 << 22  # windows read at once
_SPARE = 8  # one part in so many is free where there are more hashes than expected
_MARKED_BITS = 24  # of 32
_UNMARKED_BITS = np.uint32(32 - _MARKED_BITS)


@dataclass(frozen=True, eq=False)
class Repeats:
    """What to remove, in the order of the corpus: a row for each passage.

    A passage is the units `[first, last)` of `documents`, with `words` words. The same words stand
    at `[kept_start, kept_end)`, in characters of the document `kept`.
    """

    documents: Numbers
    first: Numbers
    last: Numbers
    words: Numbers
    kept: Numbers
    kept_start: Numbers
    kept_end: Numbers

    def __len__(self) -> int:
        return len(self.first)


def find_repeats(corpus: CorpusWords, rules: Rules) -> Repeats:
    """The passages of the corpus that repeat an earlier one, by the rules."""
    if rules.unit == "passage":
        return _repeated_passages(corpus, rules)
    lengths = corpus.columns["unit_words"]
    units = np.flatnonzero((lengths >= rules.least_words) & corpus.columns["whole"])
    copies = equal_rows(Ragged(corpus.words, corpus.bounds), units)
    removed = np.flatnonzero(copies.rank >= 1)
    chosen, kept = units[removed], units[copies.first[removed]]
    return Repeats(
        corpus.documents_of(chosen),
        chosen,
        chosen + 1,
        lengths[chosen],
        corpus.documents_of(kept),
        corpus.columns["unit_starts"][kept].astype(np.int64),
        corpus.columns["unit_ends"][kept].astype(np.int64),
    )


def _repeated_passages(corpus: CorpusWords, rules: Rules) -> Repeats:
    """The runs of sentences of the corpus within words that stand earlier."""
    words = Ragged(corpus.words, corpus.bounds[corpus.documents])
    marks = corpus.temporary("marks", len(corpus.words))
    mark_repeated_windows(words, rules.least_words, marks)
    number = len(corpus.bounds) - 1
    parts = [
        _removable(words, corpus, np.arange(at, min(at + _SENTENCES, number)), rules, marks)
        for at in range(0, number, _SENTENCES)
    ]
    sentences = np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])
    distances = np.concatenate([np.empty((0, 3), np.int64), *(part[1] for part in parts)])
    final = _kept_distances(corpus, sentences, distances)
    return _as_passages(corpus, sentences[final > 0], final[final > 0])


def _removable(
    words: Ragged, corpus: CorpusWords, sentences: Numbers, rules: Rules, marks: Numbers
) -> tuple[Numbers, Numbers]:
    """Those of some sentences that may be removed, and how far before the same words stand.

    Each has up to three distances in words, 0 where there is none.
    """
    length = rules.least_words
    starts, stops = corpus.bounds[sentences], corpus.bounds[sentences + 1]
    documents = corpus.documents_of(sentences)
    begins, ends = words.offsets[documents], words.offsets[documents + 1]
    is_long = stops - starts > length
    low = np.where(is_long, starts, np.maximum(stops - length, begins))
    high = np.where(is_long, stops - length, np.minimum(starts, ends - length))
    offset = max(int(starts[0]) - length, 0)
    chosen = np.flatnonzero(marks[offset : int(stops[-1])] > 0) + offset
    first, last = np.searchsorted(chosen, low), np.searchsorted(chosen, high, "right")
    fits = (last > first) & (stops > starts) & corpus.columns["whole"][sentences]
    fits &= ~is_long | (last - first == high - low + 1)
    rows = np.flatnonzero(fits)
    places = [chosen[first[rows]], chosen[last[rows] - 1], chosen[(first[rows] + last[rows]) // 2]]
    distances = np.stack([place - marks[place] + 1 for place in places], axis=1)
    distances[~is_long[rows], 2] = 0
    for row in np.flatnonzero(is_long[rows]).tolist():
        start, stop = starts[rows[row]], stops[rows[row]]
        for column, distance in enumerate(distances[row].tolist()):
            if not _stands(words, start, stop, distance):
                distances[row, column] = 0
    some = np.flatnonzero(distances.any(axis=1))
    return sentences[rows[some]], distances[some]


def _stands(words: Ragged, start: int, stop: int, distance: int) -> bool:
    """Whether all of a sentence stands so far before, in one document."""
    there = start - distance
    document = np.searchsorted(words.offsets, there, "right")
    if stop - start > distance or words.offsets[document] < stop - distance:
        return False
    left, right, size = (np.array([each]) for each in (start, there, stop - start))
    return bool(equal_ranges(words.values, left, right, size))


def _kept_distances(corpus: CorpusWords, sentences: Numbers, distances: Numbers) -> Numbers:
    """How far before the same words are kept, for sentences that may be removed; 0 if nowhere.

    Words that stand in no such sentence are kept. Otherwise they stand in sentences before, for
    which that is decided.
    """
    starts, stops = corpus.bounds[sentences], corpus.bounds[sentences + 1]
    final = np.zeros(len(sentences), np.int64)
    for column in distances.T[::-1]:
        is_kept = np.searchsorted(starts, stops - column) == np.searchsorted(
            stops, starts - column, "right"
        )
        final = np.where(is_kept & (column > 0), column, final)
    moves = np.zeros(len(corpus.bounds) - 1, np.int64)  # of each sentence of the corpus
    moves[sentences] = final
    for row in np.flatnonzero(final == 0).tolist():
        span = int(starts[row]), int(stops[row])
        found = _moved_distances(corpus, moves, span, filter(None, distances[row].tolist()))
        final[row] = moves[sentences[row]] = next(found, 0)
    return final


def _moved_distances(
    corpus: CorpusWords, moves: Numbers, span: tuple[int, int], distances: Iterator[int]
) -> Iterator[int]:
    """The distances at which all words of a sentence are kept together, in one document."""
    bounds = corpus.bounds
    for distance in distances:
        start, stop = (end - distance for end in span)
        first = int(np.searchsorted(bounds, start, "right")) - 1
        last = int(np.searchsorted(bounds, stop, "left"))
        there = moves[first:last][bounds[first:last] < bounds[first + 1 : last + 1]]
        move = int(there[0])
        if (there == move).all():
            units = np.searchsorted(bounds, (start - move, stop - move - 1), "right") - 1
            if len({*corpus.documents_of(units).tolist()}) == 1:
                yield distance + move


def _as_passages(corpus: CorpusWords, sentences: Numbers, distances: Numbers) -> Repeats:
    """Sentences that follow each other, and so do their copies, as one passage each."""
    starts, stops = corpus.bounds[sentences], corpus.bounds[sentences + 1]
    there, there_end = starts - distances, stops - distances
    documents = corpus.documents_of(sentences)
    kept = corpus.documents_of(np.searchsorted(corpus.bounds, there, "right") - 1)
    goes_on = np.zeros(len(sentences), bool)
    goes_on[1:] = (starts[1:] == stops[:-1]) & (there[1:] == there_end[:-1])
    for column in (documents, kept):
        goes_on[1:] &= column[1:] == column[:-1]
    first = np.flatnonzero(~goes_on)
    last = np.append(first[1:], len(sentences))[: len(first)] - 1
    return Repeats(
        documents[first],
        sentences[first],
        sentences[last] + 1,
        stops[last] - starts[first],
        kept[first],
        _at_unit(corpus, there[first], "starts"),
        _at_unit(corpus, there_end[last] - 1, "ends"),
    )


def _at_unit(corpus: CorpusWords, words: Numbers, column: str) -> Numbers:
    """The offsets at which words start or end; those of their sentence, where it does so, too."""
    units = np.searchsorted(corpus.bounds, words, "right") - 1
    border = corpus.bounds[units] if column == "starts" else corpus.bounds[units + 1] - 1
    own, of_unit = corpus.columns[column][words], corpus.columns[f"unit_{column}"][units]
    return np.where(border == words, of_unit, own).astype(np.int64)


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


def mark_repeated_windows(corpus: Ragged, length: int, marks: NDArray[np.int64]) -> None:
    """Mark the windows of `length` words that repeat an earlier one, in the zeros `marks`.

    The rows of `corpus` are the words of its documents. The mark of a window at word w is 1 + the
    place of the first equal one. It is negative if that overlaps it.

    >>> marks = np.zeros(5, np.int64)
    >>> text = Ragged.of([[7, 8, 9], [7, 8]])
    >>> mark_repeated_windows(text, 2, marks)
    >>> marks.tolist()
    [0, 0, 0, 1, 0]
    """
    for seed in count():
        hashed = partial(window_hashes, length, seed)
        for windows, first, chosen in _copies(corpus, length, hashed):
            marks[windows] = np.where(chosen, first + 1, -first - 1)
        if all(equal_ranges(corpus.values, *run) for run in _runs(marks, length)):
            return
        marks[:] = 0


def _copies(
    corpus: Ragged, length: int, hash_of: WindowHash
) -> Iterator[tuple[Numbers, Numbers, NDArray[np.bool_]]]:
    """Windows with an earlier equal hash, the first of each, and whether they are chosen."""
    parts = len(corpus.values) // _WINDOWS_AT_ONCE + 1
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
    """The places of the hashes that are there more than once, and of a few others, ascending."""
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
    corpus: Ragged, length: int, hash_of: WindowHash, part: tuple[int, int]
) -> tuple[Hashes, NDArray[Any]]:
    """The hashes in one of several parts of all numbers, and the windows that have them."""
    number, parts = np.uint64(part[0]), np.uint64(part[1])
    last, size = max(len(corpus.values) - length + 1, 0), 0
    all_hashes = np.empty(last // part[1], np.uint64)
    all_places = np.empty(last // part[1], np.uint32 if last < 1 << 32 else np.int64)
    for begin in range(0, last, _TILE):
        stop = min(begin + _TILE, last)
        hashes = hash_of(corpus.values[begin : stop + length - 1])
        inside = _document_ends(corpus.offsets, begin, stop) - np.arange(begin, stop) >= length
        if part[1] > 1:
            inside &= (hashes >> np.uint64(32)) * parts >> np.uint64(32) == number
        chosen = np.flatnonzero(inside)
        first, size = size, size + len(chosen)
        if size > len(all_hashes):
            for column in (all_hashes, all_places):
                column.resize(size + size // _SPARE, refcheck=False)
        all_hashes[first:size], all_places[first:size] = hashes[chosen], chosen + begin
    return all_hashes[:size], all_places[:size]


def _document_ends(bounds: Numbers, begin: int, stop: int) -> Numbers:
    """The end of the document of each word in a range."""
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
