"""Repeated paragraphs and sentences: those of the same words, and those within repeated passages.

A passage is repeated if N words in a row stand earlier in the corpus. Of these only whole sentences
are removed. A sentence of up to N words is removed if N words around it, in its document, stand
earlier; a longer one, if all of it does. So the words of each sentence that is removed stand, in
their order, in a place that is kept. With a distance, sentences near such words follow
(`near_sentences`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sdtext.deduplication.repeated_passages.corpus_words import CorpusWords, Numbers
from sdtext.deduplication.repeated_passages.near_sentences import (
    KeptSentences,
    NearRule,
    remove_near_sentences,
)
from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
from sdtext.kernels.arrays.equal_rows import equal_ranges, equal_rows
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.passages.repeated_windows import Corpus, mark_repeated_windows

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


def repeated_units(corpus: CorpusWords, rules: PassageRules) -> Repeats:
    """The units of the corpus that repeat an earlier one, as the rules say."""
    lengths = corpus.columns["unit_words"]
    units = np.flatnonzero((lengths >= rules.least_words) & corpus.columns["whole"])
    copies = equal_rows(Ragged(corpus.words, corpus.bounds), units)
    removed = np.flatnonzero(rules.removes(copies.rank, copies.number))
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


def repeated_passages_in(corpus: CorpusWords, rules: PassageRules) -> Repeats:
    """The runs of sentences of the corpus within words that stand earlier, as the rules say."""
    words = Corpus(corpus.words, corpus.bounds[corpus.documents])
    marks = corpus.temporary("marks", len(corpus.words))
    mark_repeated_windows(words, rules.least_words, rules.removes, marks)
    candidates = _RemovableSentences.of(words, corpus, rules.least_words, marks)
    sentences, distances = _resolved(corpus, candidates)
    kept = KeptSentences.of(corpus, sentences, distances)
    if rules.distance:
        remove_near_sentences(corpus, NearRule(rules.least_words, rules.distance), kept)
    return _as_passages(corpus, kept)


@dataclass(frozen=True, eq=False)
class _RemovableSentences:
    """Sentences that may be removed, ascending, and how far before the same words stand.

    `distances` has a row for each sentence with up to three numbers of words, 0 where there is
    none.
    """

    sentences: Numbers
    distances: Numbers

    @classmethod
    def of(
        cls, words: Corpus, corpus: CorpusWords, length: int, marks: Numbers
    ) -> _RemovableSentences:
        """The sentences within windows that are marked as chosen."""
        parts = [
            _candidates_among(words, corpus, np.arange(first, last), length, marks)
            for first, last in pairwise(
                [*range(0, len(corpus.bounds) - 1, _SENTENCES), len(corpus.bounds) - 1]
            )
        ]
        sentences = np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])
        distances = [np.empty((0, 3), np.int64), *(part[1] for part in parts)]
        return cls(sentences, np.concatenate(distances))


def _candidates_among(
    words: Corpus, corpus: CorpusWords, sentences: Numbers, length: int, marks: Numbers
) -> tuple[Numbers, Numbers]:
    starts, stops = corpus.bounds[sentences], corpus.bounds[sentences + 1]
    documents = corpus.documents_of(sentences)
    begins, ends = words.documents[documents], words.documents[documents + 1]
    is_long = stops - starts > length
    low = np.where(is_long, starts, np.maximum(stops - length, begins))
    high = np.where(is_long, stops - length, np.minimum(starts, ends - length))
    offset = max(int(starts[0]) - length, 0) if len(starts) else 0
    chosen = np.flatnonzero(marks[offset : int(stops[-1])] > 0) + offset if len(starts) else low[:0]
    first, last = np.searchsorted(chosen, low), np.searchsorted(chosen, high, "right")
    fits = (last > first) & (stops > starts) & corpus.columns["whole"][sentences]
    fits &= ~is_long | (last - first == high - low + 1)
    rows = np.flatnonzero(fits)
    places = [chosen[first[rows]], chosen[last[rows] - 1], chosen[(first[rows] + last[rows]) // 2]]
    distances = np.stack([place - marks[place] + 1 for place in places], axis=1)
    distances[~is_long[rows], 2] = 0
    _drop_partial(words, distances, starts[rows], stops[rows], rows=np.flatnonzero(is_long[rows]))
    some = np.flatnonzero(distances.any(axis=1))
    return sentences[rows[some]], distances[some]


def _drop_partial(
    words: Corpus, distances: Numbers, starts: Numbers, stops: Numbers, *, rows: Numbers
) -> None:
    """Set the distances to 0 at which not all of a long sentence stands, in one document."""
    for row in rows.tolist():
        start, stop = starts[row], stops[row]
        for column, distance in enumerate(distances[row].tolist()):
            there = start - distance
            document = np.searchsorted(words.documents, there, "right")
            is_inside = stop - start <= distance and words.documents[document] >= stop - distance
            left, right, size = (np.array([each]) for each in (start, there, stop - start))
            if not (is_inside and equal_ranges(words.words, left, right, size)):
                distances[row, column] = 0


def _resolved(corpus: CorpusWords, candidates: _RemovableSentences) -> tuple[Numbers, Numbers]:
    """The sentences to remove, and how far before the same words are kept.

    Words that stand in no candidate are kept. Otherwise they stand in sentences before, for which
    that is decided.
    """
    sentences = candidates.sentences
    starts, stops = corpus.bounds[sentences], corpus.bounds[sentences + 1]
    final = np.zeros(len(sentences), np.int64)
    for distances in candidates.distances.T[::-1]:
        left, right = starts - distances, stops - distances
        is_kept = np.searchsorted(starts, right) == np.searchsorted(stops, left, "right")
        final = np.where(is_kept & (distances > 0), distances, final)
    earlier = _Earlier(corpus, np.zeros(len(corpus.bounds) - 1, np.int64))
    earlier.moves[sentences] = final
    for row in np.flatnonzero(final == 0).tolist():
        sentence = int(sentences[row])
        final[row] = earlier.distance(sentence, candidates.distances[row].tolist())
        earlier.moves[sentence] = final[row]
    return sentences[final > 0], final[final > 0]


@dataclass(frozen=True)
class _Earlier:
    """How far before the words of each sentence are kept; 0 for one that is kept itself."""

    corpus: CorpusWords
    moves: Numbers

    def distance(self, sentence: int, distances: list[int]) -> int:
        """The distance at which all words of a sentence are kept in one document; 0 if none is."""
        start, stop = self.corpus.bounds[sentence : sentence + 2].tolist()
        for distance in filter(None, distances):
            moved = self._moved(start - distance, stop - distance)
            if moved >= 0 and self._is_in_one(start - distance - moved, stop - distance - moved):
                return distance + moved
        return 0

    def _moved(self, start: int, stop: int) -> int:
        """How far before the words of a range are kept: 0 for there; -1 if not all together."""
        bounds = self.corpus.bounds
        first = int(np.searchsorted(bounds, start, "right")) - 1
        last = int(np.searchsorted(bounds, stop, "left"))
        is_filled = bounds[first:last] < bounds[first + 1 : last + 1]
        moves = self.moves[first:last][is_filled]
        return int(moves[0]) if (moves == moves[0]).all() else -1

    def _is_in_one(self, start: int, stop: int) -> bool:
        bounds = self.corpus.bounds
        units = np.searchsorted(bounds, (start, stop - 1), "right") - 1
        first, last = self.corpus.documents_of(units).tolist()
        return bool(first == last)


def _as_passages(corpus: CorpusWords, kept_words: KeptSentences) -> Repeats:
    """Sentences that follow each other, and so do their copies, as one passage each."""
    sentences = np.flatnonzero(kept_words.starts >= 0)
    starts, stops = corpus.bounds[sentences], corpus.bounds[sentences + 1]
    there, there_end = kept_words.starts[sentences], kept_words.stops[sentences]
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
