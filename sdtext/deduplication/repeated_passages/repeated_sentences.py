"""Repeated paragraphs and sentences: those of the same words, and those within repeated passages.

A passage is repeated if N words in a row stand earlier in the corpus. Of these only whole sentences
are removed. A sentence of up to N words is removed if N words around it, in its document, stand
earlier; a longer one, if all of it does. So the words of each sentence that is removed stand, in
their order, in a place that is kept.

With a distance, sentences follow that stand earlier with few words changed. A sentence is removed

- if it lies within N words of its document that are at most TAU edits from words of one document
  that stand earlier and are kept; a sentence of N words or more, if all of it is, and
- if it is itself at most TAU edits from such words, and less than half of its words are changed.

An edit is a word that is inserted, removed or replaced. The search is exact: of N words with at
most TAU edits, at least T runs of q words are unchanged where (TAU + 1) q is at most N + 1 - T, so
that it suffices to look where so many runs of q words stand earlier. There are two limits: a run
of q words that stands in more than a thousand places that are kept is looked up in the last
thousand of them, in fewer for a sentence of more than a thousand words; and a sentence of more than
262,144 words stays.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.deduplication.repeated_passages.corpus_words import CorpusWords, Numbers
from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
from sdtext.kernels.arrays.equal_rows import distinct, equal_ranges, equal_rows
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.passages.nearest_ranges import (
    BARRED,
    Alignment,
    Band,
    NearestRange,
    Text,
    Windows,
    near_windows,
)
from sdtext.kernels.passages.repeated_windows import Corpus, mark_repeated_windows

_LEAST_SHARE = 4  # T is at least this part of N
_MOST_PLACES = 1_000  # of a run of q words
_MOST_PAIRS = 1 << 20  # of places of runs, looked up at once
_READ = 1 << 20  # words at once
_PLACES, _WORDS = 1 << 9, 1 << 15  # of the sentences that are examined at once
_LONGEST = 1 << 18  # words of a sentence
_CELLS = 1 << 18  # of the windows that are compared at once
_FEW = 16  # runs whose chains are followed one by one
_AHEAD = 1 << 8  # windows that are compared before they are needed
_SHORT, _TEXTS = 1 << 9, 1 << 5  # words of a text that is remembered, and how many are
_SENTENCES = 1 << 17  # at once


@dataclass(frozen=True)
class NearRule:
    """Sentences within `words` words, of which at most `distance` are changed."""

    words: int
    distance: int

    @cached_property
    def runs(self) -> int:
        """The least number of unchanged runs in words that are near: T."""
        return max(self.words // _LEAST_SHARE, 1)

    @cached_property
    def run(self) -> int:
        """The length of a run: q."""
        return (self.words + 1 - self.runs) // (self.distance + 1)

    def own(self, words: int) -> int:
        """The most edits of a sentence of so many words."""
        return min(self.distance, (words - 1) // 2)


@dataclass(eq=False)
class KeptSentences:
    """What is known of each sentence of the corpus: whether and where its words are kept.

    `starts` and `stops` are the words that correspond to those of a removed sentence, and -1 for
    one that is kept; `edits` is the number of edits between both.
    """

    starts: Numbers
    stops: Numbers
    edits: Numbers

    @classmethod
    def of(cls, corpus: CorpusWords, sentences: Numbers, distances: Numbers) -> KeptSentences:
        """The sentences that are removed since their words stand some `distances` before them."""
        starts, stops = (np.full(len(corpus.bounds) - 1, -1, np.int64) for _ in range(2))
        starts[sentences] = corpus.bounds[sentences] - distances
        stops[sentences] = corpus.bounds[sentences + 1] - distances
        return cls(starts, stops, np.zeros(len(starts), np.int64))

    def remove(self, sentence: int, start: int, stop: int, edits: int = 0) -> None:
        """Remove a sentence, of which the words `[start, stop)` are kept, with so many edits."""
        self.starts[sentence], self.stops[sentence] = start, stop
        self.edits[sentence] = edits

    def keep(self, sentence: int) -> None:
        """Keep a sentence."""
        self.remove(sentence, -1, -1)

    def are_removed(self, first: int, last: int) -> NDArray[np.bool_]:
        """Which of a range of sentences are removed."""
        return np.asarray(self.starts[first:last] >= 0)

    def place(self, sentence: int) -> tuple[int, int]:
        """The words that correspond to those of a removed sentence, as a range."""
        return int(self.starts[sentence]), int(self.stops[sentence])


def remove_near_sentences(corpus: CorpusWords, rule: NearRule, kept: KeptSentences) -> None:
    """Add to what is removed the sentences that are near what stands earlier and is kept.

    A sentence that is removed already is examined again where its copy is removed now.
    """
    marks = corpus.temporary("run_marks", len(corpus.words))
    words = Corpus(corpus.words, corpus.bounds[corpus.documents])
    mark_repeated_windows(words, rule.run, lambda rank, _number: rank > 0, marks)
    _mark_first(marks)
    _drop_sparse(marks, rule)
    search = _Search(corpus, rule, kept, _KeptRuns.of(corpus))
    for document in _marked_documents(words.documents, marks):
        begin, stop = words.documents[document : document + 2].tolist()
        places = np.flatnonzero(marks[begin:stop]) + begin
        search.examine(document, places, marks[places] - 1)


def _mark_first(marks: Numbers) -> None:
    """Give all equal runs one positive mark: 1 + the place of the first of them."""
    for begin in range(0, len(marks), _READ):
        some = np.abs(marks[begin : begin + _READ])
        marks[begin : begin + _READ] = some
        some = some[some > 0]
        marks[some - 1] = some


def _drop_sparse(marks: Numbers, rule: NearRule) -> None:
    """Remove the marks of runs around which too few others are marked for near words."""
    reach, others = rule.words + rule.distance - rule.run, rule.runs - 1
    for begin in range(0, len(marks), _READ):
        low = max(begin - reach, 0)
        places = np.flatnonzero(marks[low : begin + _READ + reach]) + low
        ends = np.append(places, np.full(others, 1 << 60))[others:]
        near = np.append(0, np.cumsum(ends - places <= reach))
        first = np.maximum(np.arange(len(places)) - others, 0)
        is_sparse = near[1:] == near[first]
        inside = (places >= begin) & (places < begin + _READ)
        marks[places[is_sparse & inside]] = 0


def _marked_documents(documents: Numbers, marks: Numbers) -> Iterator[int]:
    """The documents that hold a mark, ascending."""
    last = -1
    for begin in range(0, len(marks), _READ):
        places = np.flatnonzero(marks[begin : begin + _READ]) + begin
        for document in np.unique(np.searchsorted(documents, places, "right") - 1).tolist():
            if document > last:
                yield document
            last = document


@dataclass(frozen=True, eq=False)
class _KeptRuns:
    """Where runs of words stand, as chains: `last` holds 1 + the last place of each run.

    A run is numbered by its first place in the corpus. `previous` holds 1 + the place before each
    place; 0 ends a chain.
    """

    last: Numbers
    previous: Numbers

    @classmethod
    def of(cls, corpus: CorpusWords) -> _KeptRuns:
        """No places."""
        names = "last_runs", "previous_runs"
        return cls(*(np.asarray(corpus.temporary(name, len(corpus.words))) for name in names))

    def add(self, places: Numbers, runs: Numbers) -> None:
        """Append ascending places of runs."""
        order = runs.argsort(kind="stable")
        places, runs = places[order], runs[order]
        before = self.last[runs]
        is_again = runs[1:] == runs[:-1]
        before[1:][is_again] = places[:-1][is_again] + 1
        self.previous[places] = before
        self.last[runs] = places + 1  # of equal runs the last place stays

    def earlier(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """The pairs of one of the places and an earlier one of the same run."""
        pairs, there = [(places[:0], places[:0])], self.previous[places]
        most = min(_MOST_PLACES, _MOST_PAIRS // max(len(places), 1) + 1)
        while most and len(places) > _FEW:
            places, there = places[there > 0], there[there > 0] - 1
            pairs.append((places, there))
            there = self.previous[there]
            most -= 1
        for place, last in zip(places.tolist(), there.tolist(), strict=True):
            chain = self._chain(last - 1, most)
            pairs.append((np.full(len(chain), place), np.array(chain, np.int64)))
        here, earlier = (np.concatenate(column) for column in zip(*pairs, strict=True))
        return here, earlier

    def _chain(self, place: int, most: int) -> list[int]:
        """A place and those before it at which the same run stands, at most so many."""
        chain, previous = list[int](), self.previous.item
        while place >= 0 and len(chain) < most:
            chain.append(place)
            place = previous(place) - 1
        return chain


@dataclass(eq=False)
class _Similar:
    """Runs of a document that stand in an earlier one, or before in this, at much the same offset.

    `places` are those of the runs, ascending, in the words `own` of the document, and `text` holds
    the words around the earlier runs; it `is_before` if it is of the same document. Otherwise
    `near` are the starts of near windows, ascending, as far as windows were `compared`.
    """

    own: tuple[int, int]
    places: Numbers
    band: Band
    text: tuple[int, int]
    is_before: bool
    near: list[int] = field(default_factory=list)
    compared: int = 0

    def likely(self, starts: Numbers, stops: Numbers, rule: NearRule) -> Numbers:
        """Those of the sentences `[starts, stops)` around which enough runs to be near are."""
        reach = np.maximum(rule.words, stops - starts)
        first, last = self.places.searchsorted((stops - reach, starts + reach))
        return np.flatnonzero(last - first >= rule.runs)

    def windows(self, starts: Numbers, rule: NearRule) -> Numbers:
        """Those of the starts of windows that hold enough runs to be near."""
        first, last = self.places.searchsorted((starts, starts + (rule.words + 1 - rule.run)))
        return np.asarray(starts[last - first >= rule.runs])


@dataclass(frozen=True, eq=False)
class _KeptWords:
    """The words of a corpus, and which of them are in removed sentences.

    `texts` are some short ones of documents in which nothing changes, by their ranges of words.
    """

    corpus: CorpusWords
    sentences: KeptSentences
    texts: dict[tuple[int, int], Text] = field(default_factory=dict)

    def words(self, begin: int, stop: int) -> Numbers:
        """The words of a range."""
        return self._words[begin:stop].astype(np.int64)

    def kept(self, begin: int, stop: int, text: tuple[int, int]) -> Numbers:
        """The words of a range; barred are those that are removed or not in the range `text`."""
        words = np.full(stop - begin, BARRED, np.int64)
        low, high = max(begin, text[0]), min(stop, text[1])
        if low < high:
            there = words[low - begin : high - begin]
            there[:] = self._words[low:high]
            if self.is_any_removed(low, high):
                there[self.removed(low, high)] = BARRED
        return words

    def text_of(self, similar: _Similar, begin: int, stop: int) -> Text:
        """The text of similar runs, at least its words in a range."""
        low, high = similar.text
        if similar.is_before or high - low > _SHORT:
            begin, stop = max(low, begin), min(high, stop)
            return Text(self.kept(begin, max(begin, stop), similar.text), begin)
        if similar.text not in self.texts:
            if len(self.texts) == _TEXTS:
                self.texts.clear()
            self.texts[similar.text] = Text(self.kept(low, high, similar.text), low)
        return self.texts[similar.text]

    def is_any_removed(self, begin: int, stop: int) -> bool:
        """Whether a word of a range is in a removed sentence."""
        first, last = self._sentences(begin, stop)
        return bool(self.sentences.are_removed(first, last).any())

    def removed(self, begin: int, stop: int) -> NDArray[np.bool_]:
        """Which words of a range are in removed sentences."""
        first, last = self._sentences(begin, stop)
        within: Numbers = np.clip(self.corpus.bounds[first : last + 1], begin, stop)
        return np.repeat(self.sentences.are_removed(first, last), np.diff(within))

    def _sentences(self, begin: int, stop: int) -> tuple[int, int]:
        """The sentences that hold the words of a range, as a range."""
        bounds = self.corpus.bounds
        return int(bounds.searchsorted(begin, "right")) - 1, int(bounds.searchsorted(stop))

    @cached_property
    def _words(self) -> NDArray[np.uint32]:
        return np.asarray(self.corpus.words)  # slices of memory maps take longer


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for sentences that are near earlier words, document by document."""

    corpus: CorpusWords
    rule: NearRule
    kept: KeptSentences
    kept_runs: _KeptRuns

    @cached_property
    def words(self) -> _KeptWords:
        """The words of the corpus, as long as they are kept."""
        return _KeptWords(self.corpus, self.kept)

    def examine(self, document: int, places: Numbers, runs: Numbers) -> None:
        """Decide which sentences of a document to remove; `runs` of words stand at `places`.

        A block of sentences is compared with what is kept before it, and with itself, so that
        memory does not grow with the document.
        """
        bounds, around = self.corpus.bounds, self.rule.words
        settled = 0
        for first, last in self._blocks(document, places):
            borders = bounds[first : last + 1]
            begin, stop = places.searchsorted((borders[0] - around, borders[-1] + around)).tolist()
            open_places, open_runs = places[settled:stop], runs[settled:stop]
            before = self.kept_runs.last[open_runs]
            self.kept_runs.add(open_places, open_runs)
            similar = [*self._similar(document, *self.kept_runs.earlier(places[begin:stop]))]
            self._decide_all((first, last), similar)
            self.kept_runs.last[open_runs] = before
            decided = int(places.searchsorted(borders[-1] - self.rule.run, "right"))
            self._add_kept(places[settled:decided], runs[settled:decided])
            settled = decided

    def _blocks(self, document: int, places: Numbers) -> Iterator[tuple[int, int]]:
        """The sentences of a document as ranges of a bounded number of words and of `places`."""
        first, last = self.corpus.documents[document : document + 2].tolist()
        starts = self.corpus.bounds[first:last]
        blocks = places.searchsorted(starts) // _PLACES, (starts - starts[0]) // _WORDS
        is_new = [block[1:] != block[:-1] for block in blocks]
        breaks = np.flatnonzero(is_new[0] | is_new[1]) + 1 + first
        yield from pairwise([first, *breaks.tolist(), last])

    def _add_kept(self, places: Numbers, runs: Numbers) -> None:
        """Append those of ascending places at which runs of kept words stand."""
        if not len(places):
            return
        begin, stop = int(places[0]), int(places[-1]) + self.rule.run
        if self.words.is_any_removed(begin, stop):
            barred = np.append(0, np.cumsum(self.words.removed(begin, stop)))
            is_kept = barred[places - begin] == barred[places - begin + self.rule.run]
            places, runs = places[is_kept], runs[is_kept]
        self.kept_runs.add(places, runs)

    def _similar(self, document: int, places: Numbers, there: Numbers) -> Iterator[_Similar]:
        """The pairs of places that may be of near words, grouped."""
        rule, bounds = self.rule, self.corpus.bounds
        documents = self.corpus.documents_of(bounds.searchsorted(there, "right") - 1)
        offsets = places - there
        is_apart = (documents < document) | (offsets >= rule.words - rule.distance)
        order = np.flatnonzero(is_apart)
        order = order[np.lexsort((places[order], offsets[order], documents[order]))]
        places, there, documents, offsets = (
            column[order] for column in (places, there, documents, offsets)
        )
        breaks = documents[1:] != documents[:-1]
        breaks |= offsets[1:] - offsets[:-1] > rule.distance
        own = self._words_of(document)
        borders = np.concatenate([[0], np.flatnonzero(breaks) + 1, [len(order)]])
        is_large = np.flatnonzero(borders[1:] - borders[:-1] >= rule.runs)
        for first, last in zip(
            borders[is_large].tolist(), borders[is_large + 1].tolist(), strict=True
        ):
            other, around = int(documents[first]), rule.words + rule.distance
            begin, stop = self._words_of(other)
            begin = max(begin, int(there[first:last].min()) - around)
            stop = min(stop, int(there[first:last].max()) + around)
            band = Band(int(offsets[first]), int(offsets[last - 1])).widened(rule.distance)
            of_group = distinct(places[first:last])
            yield _Similar(own, of_group, band, (begin, stop), is_before=other == document)

    def _decide_all(self, sentences: tuple[int, int], similar: list[_Similar]) -> None:
        """Decide which of a range of sentences of a document to remove."""
        first, last = sentences
        borders = self.corpus.bounds[first : last + 1]
        removed = np.flatnonzero(self.kept.are_removed(first, last))
        some = {place: list[_Similar]() for place in removed.tolist()}
        for each in similar:
            for place in each.likely(borders[:-1], borders[1:], self.rule).tolist():
                some.setdefault(place, []).append(each)
        for place in sorted(some):
            self._decide(first + place, some[place])

    def _decide(self, sentence: int, similar: list[_Similar]) -> None:
        start, stop = self.corpus.bounds[sentence : sentence + 2].tolist()
        if self._stays_removed(sentence):
            return
        if not 0 < stop - start <= _LONGEST or not self.corpus.columns["whole"][sentence]:
            return
        for each in similar:
            if near := self._near(start, stop, each):
                self.kept.remove(sentence, near.start, near.stop, near.edits)
                return

    def _stays_removed(self, sentence: int) -> bool:
        """Whether a sentence is removed, and its copy kept; else it is kept for now."""
        if self.kept.starts[sentence] < 0:
            return False
        if not self.words.is_any_removed(*self.kept.place(sentence)):
            return True
        self.kept.keep(sentence)
        return False

    def _near(self, start: int, stop: int, similar: _Similar) -> NearestRange | None:
        """The words that correspond to those of a sentence; None where it is to stay."""
        length, band = stop - start, similar.band
        is_short = length < self.rule.words
        if is_short:
            band = band.widened(self.rule.words + self.rule.distance)
        alignment, most = self._alignment(start, stop, similar, band), self.rule.own(length)
        if alignment.least > most or (
            is_short and not self._is_in_near_words(start, stop, similar)
        ):
            return None
        return alignment.nearest(most, band.before(length) if similar.is_before else None)

    def _is_in_near_words(self, start: int, stop: int, similar: _Similar) -> bool:
        """Whether words are in a window of their document that is near the text of similar runs."""
        length = self.rule.words
        begin, end = similar.own
        first, last = max(begin, stop - length), min(start, end - length)
        if similar.is_before:  # more is removed there with each sentence
            return bool(self._near_windows(np.arange(first, last + 1), similar))
        if similar.compared <= last:
            first_new = max(first, similar.compared)
            similar.compared = max(last + 1, min(first_new + _AHEAD, end - length + 1))
            similar.near += self._near_windows(np.arange(first_new, similar.compared), similar)
        return bisect_left(similar.near, first) < bisect_right(similar.near, last)

    def _near_windows(self, starts: Numbers, similar: _Similar) -> list[int]:
        """Those of the windows that are near the text of similar runs."""
        starts, band = similar.windows(starts, self.rule), similar.band
        length, most, near = self.rule.words, self.rule.distance, list[int]()
        ends = band.before(length) if similar.is_before else None
        number = _CELLS // band.width - length
        if number < 1:
            return [
                start
                for start in starts.tolist()
                if self._alignment(start, start + length, similar, band).nearest(most, ends)
            ]
        while len(starts):
            begin = int(starts[0])
            some = starts[: starts.searchsorted(begin + number)]
            stop = int(some[-1]) + length
            windows = Windows(self.words.words(begin, stop), some - begin, length)
            text = self.words.kept(begin - band.greatest, stop - band.least, similar.text)
            near += some[near_windows(windows, text, most, ends)].tolist()
            starts = starts[len(some) :]
        return near

    def _alignment(self, start: int, stop: int, similar: _Similar, band: Band) -> Alignment:
        """The words `[start, stop)` of a document beside the text of similar runs."""
        text = self.words.text_of(similar, start - band.greatest, stop - band.least)
        return Alignment(self.words.words(start, stop).tolist(), start, text, band)

    def _words_of(self, document: int) -> tuple[int, int]:
        """The words of a document, as a range."""
        units = self.corpus.documents
        begin, stop = self.corpus.bounds[units[document : document + 2]].tolist()
        return begin, stop


@dataclass(frozen=True, eq=False)
class Repeats:
    """What to remove, in the order of the corpus: a row for each passage.

    A passage is the units `[first, last)` of `documents`, with `words` words. The same words, or
    near ones by their `similarity`, stand at `[kept_start, kept_end)`, in characters of the
    document `kept`.
    """

    documents: Numbers
    first: Numbers
    last: Numbers
    words: Numbers
    kept: Numbers
    kept_start: Numbers
    kept_end: Numbers
    similarity: NDArray[np.float64]

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
        np.ones(len(chosen)),
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
    words = stops[last] - starts[first]
    longest = np.maximum(words, there_end[last] - there[first])
    edits = np.append(0, np.cumsum(kept_words.edits[sentences]))
    return Repeats(
        documents[first],
        sentences[first],
        sentences[last] + 1,
        words,
        kept[first],
        _at_unit(corpus, there[first], "starts"),
        _at_unit(corpus, there_end[last] - 1, "ends"),
        1 - (edits[last + 1] - edits[first]) / longest,
    )


def _at_unit(corpus: CorpusWords, words: Numbers, column: str) -> Numbers:
    """The offsets at which words start or end; those of their sentence, where it does so, too."""
    units = np.searchsorted(corpus.bounds, words, "right") - 1
    border = corpus.bounds[units] if column == "starts" else corpus.bounds[units + 1] - 1
    own, of_unit = corpus.columns[column][words], corpus.columns[f"unit_{column}"][units]
    return np.where(border == words, of_unit, own).astype(np.int64)
