"""Repeated paragraphs and sentences: those of the same words, and those within repeated passages.

A passage is repeated if N words in a row stand earlier in the corpus. Of these only whole sentences
are removed. A sentence of up to N words is removed if N words around it, in its document, stand
earlier; a longer one, if all of it does. So the words of each sentence that is removed stand, in
their order, in a place that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sdtext.deduplication.repeated_passages.corpus_words import CorpusWords, Numbers
from sdtext.deduplication.repeated_passages.repeated_windows import Corpus, mark_repeated_windows
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.kernels.arrays.equal_rows import equal_ranges, equal_rows
from sdtext.kernels.arrays.ragged import Ragged

_SENTENCES = 1 << 17  # at once


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
    words = Corpus(corpus.words, corpus.bounds[corpus.documents])
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
    words: Corpus, corpus: CorpusWords, sentences: Numbers, rules: Rules, marks: Numbers
) -> tuple[Numbers, Numbers]:
    """Those of some sentences that may be removed, and how far before the same words stand.

    Each has up to three distances in words, 0 where there is none.
    """
    length = rules.least_words
    starts, stops = corpus.bounds[sentences], corpus.bounds[sentences + 1]
    documents = corpus.documents_of(sentences)
    begins, ends = words.documents[documents], words.documents[documents + 1]
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


def _stands(words: Corpus, start: int, stop: int, distance: int) -> bool:
    """Whether all of a sentence stands so far before, in one document."""
    there = start - distance
    document = np.searchsorted(words.documents, there, "right")
    if stop - start > distance or words.documents[document] < stop - distance:
        return False
    left, right, size = (np.array([each]) for each in (start, there, stop - start))
    return bool(equal_ranges(words.words, left, right, size))


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
