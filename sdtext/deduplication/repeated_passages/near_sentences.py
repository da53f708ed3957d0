"""Near-repeated passages: sentences within N words that stand earlier with few words changed.

A sentence is removed

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

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.deduplication.repeated_passages.corpus_words import CorpusWords, Numbers
from sdtext.kernels.passages.nearest_ranges import Text, nearest_ranges
from sdtext.kernels.passages.repeated_windows import Corpus, mark_repeated_windows

_LEAST_SHARE = 4  # T is at least this part of N
_MOST_PLACES = 1_000  # of a run of q words
_MOST_PAIRS = 1 << 20  # of places of runs, looked up at once
_READ = 1 << 20  # words at once
_PLACES, _WORDS = 1 << 9, 1 << 15  # of the sentences that are examined at once
_LONGEST = 1 << 18  # words of a sentence
_CELLS = 1 << 20  # of the windows that are compared at once


@dataclass(frozen=True)
class NearRule:
    """Sentences within `words` words, of which at most `distance` are changed."""

    words: int
    distance: int

    @property
    def runs(self) -> int:
        """The least number of unchanged runs in words that are near: T."""
        return max(self.words // _LEAST_SHARE, 1)

    @property
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
    one that is kept.
    """

    starts: Numbers
    stops: Numbers

    @classmethod
    def of(cls, corpus: CorpusWords, sentences: Numbers, distances: Numbers) -> KeptSentences:
        """The sentences that are removed since their words stand some `distances` before them."""
        starts, stops = (np.full(len(corpus.bounds) - 1, -1, np.int64) for _ in range(2))
        starts[sentences] = corpus.bounds[sentences] - distances
        stops[sentences] = corpus.bounds[sentences + 1] - distances
        return cls(starts, stops)

    def remove(self, sentence: int, start: int, stop: int) -> None:
        """Remove a sentence, of which the words `[start, stop)` are kept."""
        self.starts[sentence], self.stops[sentence] = start, stop

    def keep(self, sentence: int) -> None:
        """Keep a sentence."""
        self.remove(sentence, -1, -1)

    def is_removed(self, sentence: int) -> bool:
        """Whether a sentence is removed."""
        return bool(self.starts[sentence] >= 0)


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
        order = np.argsort(runs, kind="stable")
        places, runs = places[order], runs[order]
        is_new = np.append(True, runs[1:] != runs[:-1])[: len(runs)]
        before = np.append(0, places[:-1] + 1)[: len(runs)]
        self.previous[places] = np.where(is_new, self.last[runs], before)
        self.last[runs] = places + 1  # of equal runs the last place stays

    def earlier(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """The pairs of one of the places and an earlier one of the same run."""
        pairs = [(places[:0], places[:0])]
        there = self.previous[places]
        for _ in range(min(_MOST_PLACES, _MOST_PAIRS // max(len(places), 1) + 1)):
            places, there = places[there > 0], there[there > 0] - 1
            if not len(places):
                break
            pairs.append((places, there))
            there = self.previous[there]
        return np.concatenate([pair[0] for pair in pairs]), np.concatenate(
            [pair[1] for pair in pairs]
        )


@dataclass(eq=False)
class _Similar:
    """Runs of a document that stand in an earlier one, or before in this, at much the same offset.

    `places` are those of the runs, ascending, `band` the least and the greatest offset, and
    `text` holds the words around the earlier runs as a range of words. `near` are the starts of
    near windows of the document, once they are known and do not change.
    """

    document: int
    places: Numbers
    band: tuple[int, int]
    text: tuple[int, int]
    near: Numbers | None = None

    def likely(self, starts: Numbers, stops: Numbers, rule: NearRule) -> NDArray[np.bool_]:
        """Whether enough runs to be near are around each of the sentences `[starts, stops)`."""
        reach = np.maximum(rule.words, stops - starts)
        first, last = np.searchsorted(self.places, (stops - reach, starts + reach))
        return np.asarray(last - first >= rule.runs)

    def windows(self, starts: Numbers, rule: NearRule) -> Numbers:
        """Those of the starts of windows that hold enough runs to be near."""
        first, last = (
            np.searchsorted(self.places, starts + more) for more in (0, rule.words + 1 - rule.run)
        )
        return starts[last - first >= rule.runs]


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for sentences that are near earlier words, document by document."""

    corpus: CorpusWords
    rule: NearRule
    kept: KeptSentences
    kept_runs: _KeptRuns

    def examine(self, document: int, places: Numbers, runs: Numbers) -> None:
        """Decide which sentences of a document to remove; `runs` of words stand at `places`.

        A block of sentences is compared with what is kept before it, and with itself, so that
        memory does not grow with the document.
        """
        bounds, around = self.corpus.bounds, self.rule.words
        settled = 0
        for first, last in self._blocks(document, places):
            stop = np.searchsorted(places, bounds[last] + around)
            open_places, open_runs = places[settled:stop], runs[settled:stop]
            before = self.kept_runs.last[open_runs]
            self.kept_runs.add(open_places, open_runs)
            begin = np.searchsorted(places, bounds[first] - around)
            similar = [*self._similar(document, *self.kept_runs.earlier(places[begin:stop]))]
            borders = bounds[first : last + 1]
            likely = [each.likely(borders[:-1], borders[1:], self.rule) for each in similar]
            columns = np.array(likely, bool).reshape(len(similar), last - first)
            for sentence in range(first, last):
                chosen = np.flatnonzero(columns[:, sentence - first])
                self._decide(sentence, document, [similar[place] for place in chosen])
            self.kept_runs.last[open_runs] = before
            decided = int(np.searchsorted(places, bounds[last] - self.rule.run, "right"))
            self._add_kept(places[settled:decided], runs[settled:decided])
            settled = decided

    def _blocks(self, document: int, places: Numbers) -> Iterator[tuple[int, int]]:
        """The sentences of a document as ranges of a bounded number of words and of `places`."""
        first, last = self.corpus.documents[document : document + 2].tolist()
        starts = self.corpus.bounds[first:last]
        blocks = np.searchsorted(places, starts) // _PLACES, (starts - starts[0]) // _WORDS
        breaks = np.flatnonzero(np.diff(blocks[0]) | np.diff(blocks[1])) + 1 + first
        yield from pairwise([first, *breaks.tolist(), last])

    def _add_kept(self, places: Numbers, runs: Numbers) -> None:
        """Append those of ascending places at which runs of kept words stand."""
        if len(places):
            begin = int(places[0])
            barred = np.append(0, np.cumsum(self._barred(begin, int(places[-1]) + self.rule.run)))
            is_kept = barred[places - begin] == barred[places - begin + self.rule.run]
            self.kept_runs.add(places[is_kept], runs[is_kept])

    def _similar(self, document: int, places: Numbers, there: Numbers) -> Iterator[_Similar]:
        """The pairs of places that may be of near words, grouped."""
        rule, bounds = self.rule, self.corpus.bounds
        units = np.searchsorted(bounds, there, "right") - 1
        documents, offsets = self.corpus.documents_of(units), places - there
        is_apart = (documents < document) | (offsets >= rule.words - rule.distance)
        order = np.flatnonzero(is_apart)
        order = order[np.lexsort((places[order], offsets[order], documents[order]))]
        places, there, documents, offsets = (
            column[order] for column in (places, there, documents, offsets)
        )
        breaks = (np.diff(documents) != 0) | (np.diff(offsets) > rule.distance)
        for some in np.split(np.arange(len(order)), np.flatnonzero(breaks) + 1):
            if len(some) < rule.runs:
                continue
            other, around = int(documents[some[0]]), rule.words + rule.distance
            begin, stop = bounds[self.corpus.documents[other : other + 2]].tolist()
            begin = max(begin, int(there[some].min()) - around)
            stop = min(stop, int(there[some].max()) + around)
            band = int(offsets[some[0]]) - rule.distance, int(offsets[some[-1]]) + rule.distance
            yield _Similar(other, np.unique(places[some]), band, (begin, stop))

    def _decide(self, sentence: int, document: int, similar: list[_Similar]) -> None:
        start, stop = self.corpus.bounds[sentence : sentence + 2].tolist()
        if self._stays_removed(sentence, similar):
            return
        if not 0 < stop - start <= _LONGEST or not self.corpus.columns["whole"][sentence]:
            return
        for each in similar:
            if near := self._near(start, stop, document, each):
                self.kept.remove(sentence, *near)
                return

    def _stays_removed(self, sentence: int, similar: list[_Similar]) -> bool:
        """Whether a sentence is removed, and its copy kept; else it is kept for now."""
        if not self.kept.is_removed(sentence):
            return False
        if not self._barred(self.kept.starts[sentence], self.kept.stops[sentence]).any():
            return True
        self.kept.keep(sentence)
        for each in similar:
            each.near = None
        return False

    def _near(
        self, start: int, stop: int, document: int, similar: _Similar
    ) -> tuple[int, int] | None:
        """The words that correspond to those of a sentence; None where it is to stay."""
        most, own = self.rule.own(stop - start), self._words(start, stop)
        band, around = similar.band, self.rule.words + self.rule.distance
        is_short = stop - start < self.rule.words
        if is_short:
            band = band[0] - around, band[1] + around
        begin, end = similar.text
        text = self._text(max(begin, start - band[1]), min(end, stop - band[0] + 1))
        if stop - start - np.isin(own, text.words[~text.barred]).sum() > most:
            return None
        if is_short and not self._is_in_near_words(start, stop, document, similar):
            return None
        is_before = similar.document == document
        near = nearest_ranges(own[None, :], np.array([start]), text, band, is_before=is_before)
        return (int(near.starts[0]), int(near.ends[0])) if near.edits[0] <= most else None

    def _is_in_near_words(self, start: int, stop: int, document: int, similar: _Similar) -> bool:
        """Whether words of a document are in a window that is near the text of similar runs."""
        length = self.rule.words
        begin, end = self.corpus.bounds[self.corpus.documents[document : document + 2]].tolist()
        first, last = max(begin, stop - length), min(start, end - length)
        if similar.document == document:  # of which more is removed with each sentence
            return len(self._near_windows(np.arange(first, last + 1), similar, is_before=True)) > 0
        if similar.near is None:
            begin = max(begin, int(similar.places[0]) - length)
            barred = self._barred(begin, min(end, int(similar.places[-1]) + 2 * length))
            barred = np.append(0, np.cumsum(barred))
            is_open = barred[length:] - barred[:-length] < length
            starts = np.flatnonzero(is_open) + begin
            similar.near = self._near_windows(starts, similar, is_before=False)
        return bool(np.searchsorted(similar.near, first) < np.searchsorted(similar.near, last + 1))

    def _near_windows(self, starts: Numbers, similar: _Similar, *, is_before: bool) -> Numbers:
        """Those of the windows that are near the text of similar runs."""
        rule, text = self.rule, self._text(*similar.text)
        near = [starts[:0]]
        starts = similar.windows(starts, rule)
        number = max(_CELLS // (similar.band[1] - similar.band[0] + rule.words), 1)
        for begin in range(0, len(starts), number):
            some = starts[begin : begin + number]
            words = self._words(int(some[0]), int(some[-1]) + rule.words)
            windows = words[some[:, None] - some[0] + np.arange(rule.words)]
            found = nearest_ranges(windows, some, text, similar.band, is_before=is_before)
            near.append(some[found.edits <= rule.distance])
        return np.concatenate(near)

    def _text(self, begin: int, stop: int) -> Text:
        return Text(self._words(begin, stop), self._barred(begin, stop), begin)

    def _words(self, begin: int, stop: int) -> Numbers:
        return np.asarray(self.corpus.words)[begin:stop].astype(np.int64)

    def _barred(self, begin: int, stop: int) -> NDArray[np.bool_]:
        """Which words of a range are in removed sentences."""
        bounds = self.corpus.bounds
        first = int(np.searchsorted(bounds, begin, "right")) - 1
        last = int(np.searchsorted(bounds, stop, "left"))
        within: Numbers = np.clip(bounds[first : last + 1], begin, stop)
        sizes = within[1:] - within[:-1]
        return np.repeat(self.kept.starts[first:last] >= 0, sizes)
