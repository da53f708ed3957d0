"""Scores of documents with many others, for every cell of the grid at once.

Sums over terms: the terms of a dictionary are ranked by falling document frequency, so that a range
of normalized IDF is a range of ranks. Common terms are counted once for each slab of ranks between
two bounds of ranges; what a pair has in common in a range is then a difference of two running sums.
The scores are those of `ScoreFingerprints` with the trimmed dictionary of the range.

Vectors: matchers such as surprise need to know which terms two vectors have, not only sums over
them, so that every range of IDF is computed on its own, for many documents at once.

Shingles: for every index of sketches at once. Candidates of an index are scored with all of their
shingles, as `FindSimilar` scores them; others have no score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.plan import Cell
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.model import PartSpec, Similarity
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.matchers import VectorComparison
from sdtext.parts.registry import build
from sdtext.search.scoring import Scorer, exact_scores

NOT_COMPARABLE = -1
"""Stands for the score of two documents that are not comparable."""

Ranks = NDArray[np.int64]
Floats = NDArray[np.float64]
Scores = NDArray[np.int16]
Hashes = NDArray[np.uint64]
QueryScores = tuple[int, int, Scores]
"""The number of the query, that of the matcher, and scores of shape (cells, documents)."""

_MOST_SCORES = 1 << 25  # in memory at a time


def postings_of(rows: Ragged, terms: int) -> Ragged:
    """For each of so many terms the documents that have it, whose terms are the `rows`."""
    order = np.argsort(rows.values, kind="stable")
    return Ragged(rows.owners[order], offsets_of(np.bincount(rows.values, minlength=terms)))


@dataclass(frozen=True, eq=False)
class RankedDictionary:
    """A dictionary whose terms are ranked by falling document frequency.

    `order` has the place in the dictionary of the term of each rank, `counts` its frequency.
    """

    dictionary: Dictionary
    order: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, dictionary: Dictionary) -> RankedDictionary:
        """The ranks of the terms of `dictionary`."""
        counts = np.asarray(dictionary.counts, np.int64)
        order = np.argsort(-counts, kind="stable")
        return cls(dictionary, order, counts[order])

    @cached_property
    def ranks(self) -> Ranks:
        """The rank of the term at each place of the dictionary."""
        ranks = np.empty(len(self.order), np.int64)
        ranks[self.order] = np.arange(len(self.order))
        return ranks

    def ranges(self, cells: Sequence[Cell]) -> Ranks:
        """The first rank that each cell keeps, and the one behind its last: of shape (cells, 2).

        OptionError if the dictionary has no normalized IDF.
        """
        counts = [self.dictionary.count_range(cell.low, cell.high) for cell in cells]
        low, high = np.array(counts, np.int64).reshape(-1, 2).T
        starts = np.searchsorted(-self.counts, -high, "left")
        stops = np.maximum(np.searchsorted(-self.counts, -low, "right"), starts)
        return np.stack([starts, stops], axis=1)


@dataclass(frozen=True, eq=False)
class _Measure:
    """A matcher of sets, with the weights of terms by rank, as floats and exact: 1 if None.

    `own` has the sums of each document over its own terms: (cells, documents).
    """

    number: int
    scorer: Scorer
    weights: Floats | None
    exact: NDArray[np.object_] | None
    own: Floats


@dataclass(frozen=True, eq=False)
class DictionaryScorer:
    """Scores documents with the documents of a trial, by matchers of sets and of vectors.

    `rows` are the ranks of the terms of each document.
    """

    ranked: RankedDictionary
    rows: Ragged
    cells: tuple[Cell, ...]
    matchers: tuple[PartSpec, ...]
    min_terms: int = MIN_TERMS

    def __call__(self, queries: Sequence[Ranks]) -> Iterator[QueryScores]:
        """The scores of documents, as ranks of their terms, with all others."""
        if self._measures:
            for place, ranks in enumerate(queries):
                for number, scores in self._of_sets(ranks):
                    yield place, number, scores
        size = max(1, _MOST_SCORES // max(1, len(self.cells) * len(self.rows)))
        for number, spec in enumerate(self.matchers):
            if _compares_vectors(spec):
                for start in range(0, len(queries), size):
                    batch = queries[start : start + size]
                    by_cell = [self._of_vectors(spec, cell, batch) for cell in self.cells]
                    for place, scores in enumerate(np.stack(by_cell, axis=1), start):
                        yield place, number, scores

    @cached_property
    def _ranges(self) -> Ranks:
        return self.ranked.ranges(self.cells)

    @cached_property
    def _bounds(self) -> Ranks:
        """The distinct bounds of the ranges: a slab of ranks is between each two."""
        return np.unique(self._ranges)

    @cached_property
    def _postings(self) -> Ragged:
        """For each rank the documents that have the term, as places slab * documents + document."""
        slabs = np.searchsorted(self._bounds, np.arange(len(self.ranked.order)), "right") - 1
        postings = postings_of(self.rows, len(self.ranked.order))
        return Ragged(slabs[postings.owners] * len(self.rows) + postings.values, postings.offsets)

    @cached_property
    def _measures(self) -> list[_Measure]:
        measures = []
        for number, spec in enumerate(self.matchers):
            if not _compares_vectors(spec):
                scorer = Scorer(spec)
                numbers = scorer.part.weights(self.ranked.dictionary)
                exact = None if numbers is None else np.array(numbers, object)[self.ranked.order]
                weights = None if exact is None else exact.astype(np.float64)
                measures.append(_Measure(number, scorer, weights, exact, self._own(weights)))
        return measures

    def _own(self, weights: Floats | None) -> Floats:
        return self._sums(np.arange(len(self.ranked.order)), weights)[0]

    @cached_property
    def _counts(self) -> Floats:
        """The number of terms of each document in each cell."""
        return self._own(None)

    def _sums(self, ranks: Ranks, weights: Floats | None) -> tuple[Floats, Floats]:
        """The sums over some terms in each cell: those that each document has, and all of them."""
        bounds, slabs = self._bounds, max(len(self._bounds) - 1, 0)
        ranks = ranks[(ranks >= bounds[0]) & (ranks < bounds[-1])]
        taken = self._postings.taken(ranks)
        given = None if weights is None else weights[ranks]
        repeated = None if given is None else given.repeat(taken.lengths)
        of_documents = np.bincount(taken.values, repeated, slabs * len(self.rows))
        whole = np.bincount(np.searchsorted(bounds, ranks, "right") - 1, given, slabs)
        starts, stops = np.searchsorted(bounds, self._ranges).T
        sides = []
        for sums in (of_documents.reshape(slabs, len(self.rows)), whole[:, None]):
            running = np.zeros((slabs + 1, sums.shape[1]))
            np.cumsum(sums, axis=0, out=running[1:])
            sides.append(np.asarray(running[stops] - running[starts]))
        return sides[0], sides[1]

    def _of_sets(self, ranks: Ranks) -> Iterator[tuple[int, Scores]]:
        """The scores of a document with all others by each matcher of sets."""
        common_terms, terms = self._sums(ranks, None)
        few = (self._counts < self.min_terms) | (terms < self.min_terms)
        equal = (common_terms == terms) & (common_terms == self._counts) & (common_terms > 0)
        for measure in self._measures:
            common, left = common_terms, terms
            if measure.weights is not None:
                common, left = self._sums(ranks, measure.weights)
            sides = np.maximum(left, 1.0), np.maximum(measure.own, 1.0)
            similarity = measure.scorer.similarity(common, *sides)
            scores = self._exact(measure, ranks, similarity, (common, *sides))
            scores[few | (left <= 0) | (measure.own <= 0)] = NOT_COMPARABLE
            if measure.scorer.part.symmetric:
                scores[equal] = 99
            yield measure.number, scores

    def _exact(
        self, measure: _Measure, ranks: Ranks, similarity: Floats, sums: tuple[Floats, ...]
    ) -> Scores:
        """The exact scores: where floats are too near a whole one, whole numbers decide."""
        common, left, right = sums
        known: dict[tuple[float, float, float], Similarity] = {}

        def exact(place: int) -> Similarity:
            cell, document = divmod(place, len(self.rows))
            triple = common[cell, document], left[cell, 0], right[cell, document]
            if measure.exact is None:
                if triple not in known:
                    known[triple] = measure.scorer.exact(*triple)
                return known[triple]
            start, stop = self._ranges[cell]
            ones, others = (
                row[(row >= start) & (row < stop)] for row in (ranks, self.rows[document])
            )
            both = np.intersect1d(ones, others, assume_unique=True)
            totals = [sum(measure.exact[side].tolist()) for side in (both, ones, others)]
            return measure.scorer.part(totals[0], max(totals[1], 1), max(totals[2], 1))

        return exact_scores(similarity.ravel(), exact).score.reshape(similarity.shape).astype("i2")

    @cached_property
    def _comparisons(self) -> dict[tuple[PartSpec, Cell], VectorComparison]:
        """What compares the vectors of a cell, as far as it was needed."""
        return {}

    def _of_vectors(self, spec: PartSpec, cell: Cell, queries: Sequence[Ranks]) -> Scores:
        """The scores of documents with all others in a cell, of shape (queries, documents)."""
        shape = len(queries), len(self.rows)
        low, high = self._ranges[self.cells.index(cell)].tolist()
        if low == high:
            return np.full(shape, NOT_COMPARABLE, np.int16)
        # A term's place in the trimmed dictionary is its bit.
        places = np.argsort(np.argsort(self.ranked.order[low:high]))
        matcher: Any = build("matchers", spec)
        if (spec, cell) not in self._comparisons:
            trimmed = self.ranked.dictionary.trim(cell.low, cell.high)
            self._comparisons[spec, cell] = matcher.over(trimmed)
        over = self._comparisons[spec, cell]
        weights = np.array(self.ranked.dictionary.weights(), np.float64)[self.ranked.order]
        rows, packed, lengths, totals = [], [], [], []
        for side in (queries, self.rows):
            inside = Ragged.of([row[(row >= low) & (row < high)] for row in side], "int64")
            bits = np.zeros((len(inside), high - low), np.uint8)
            bits[inside.owners, places[inside.values - low]] = 1
            rows.append(inside)
            packed.append(np.packbits(bits, axis=1, bitorder="little"))
            lengths.append(inside.lengths)
            totals.append(np.bincount(inside.owners, weights[inside.values], len(inside)))
        postings = postings_of(rows[1], len(self.ranked.order))
        common, counts = np.zeros(shape), np.zeros(shape, np.int64)
        for query, ranks in enumerate(rows[0]):
            taken = postings.taken(ranks)
            repeated = weights[ranks].repeat(taken.lengths)
            common[query] = np.bincount(taken.values, repeated, shape[1])
            counts[query] = np.bincount(taken.values, minlength=shape[1])

        def exact(place: int) -> Similarity:
            query, document = divmod(place, shape[1])
            sides = packed[0][query].tobytes(), packed[1][document].tobytes()
            return over.similarity(int(common[query, document]), *sides)

        similarity = np.asarray(over.similarities(common, *packed))
        scores = exact_scores(similarity.ravel(), exact).score.reshape(shape).astype(np.int16)
        sizes = lengths[0][:, None], lengths[1][None]
        least = max(self.min_terms, matcher.least_terms)
        scores[np.minimum(*sizes) < least] = NOT_COMPARABLE
        scores[(totals[0] == 0)[:, None] | (totals[1] == 0)[None]] = NOT_COMPARABLE
        if matcher.symmetric:
            scores[(counts == sizes[0]) & (counts == sizes[1]) & (counts > 0)] = 99
        return scores


def _compares_vectors(spec: PartSpec) -> bool:
    return getattr(build("matchers", spec), "compares", "sets") == "vectors"


@dataclass(frozen=True, eq=False)
class ShingleScorer:
    """Scores documents with the documents of a trial, by some matchers, with some indexes.

    `rows` are the hashes of the distinct shingles of each document, in order.
    """

    rows: Ragged
    fingerprint: PartSpec
    cells: tuple[Cell, ...]
    matchers: tuple[PartSpec, ...]

    def __call__(self, queries: Sequence[Hashes]) -> Iterator[QueryScores]:
        """The scores of documents, as hashes of their shingles, with all others."""
        scorers = [Scorer(spec) for spec in self.matchers]
        vocabulary, places = np.unique(self.rows.values, return_inverse=True)
        postings = postings_of(Ragged(places.ravel(), self.rows.offsets), len(vocabulary))
        sizes = np.maximum(self.rows.lengths, 1)
        for place, shingles in enumerate(queries):
            known = np.flatnonzero(np.isin(vocabulary, shingles, assume_unique=True))
            common = np.bincount(postings.taken(known).values, minlength=len(self.rows))
            size = np.full(len(self.rows), max(len(shingles), 1))
            candidates = self._candidates(shingles) & (self.rows.lengths > 0) & (len(shingles) > 0)
            for number, scorer in enumerate(scorers):
                scores = scorer(common, size, sizes).score.astype(np.int16)
                yield place, number, np.where(candidates, scores, np.int16(NOT_COMPARABLE))

    def _candidates(self, shingles: Hashes) -> NDArray[np.bool_]:
        """Which documents are candidates in each cell: (cells, documents)."""
        candidates = np.zeros((len(self.cells), len(self.rows)), np.bool_)
        query = Ragged(shingles, np.array([0, len(shingles)]))
        sketch = self._sketch(query) if self._sketch else None
        for cell, (index, keys) in enumerate(self._keys):
            if index is None or sketch is None:
                candidates[cell] = True
            elif keys is not None:
                candidates[cell] = (keys == index.keys(sketch)).any(axis=1)
        return candidates

    @cached_property
    def _sketch(self) -> Any:
        """The part that makes sketches; None where shingles themselves are the fingerprint."""
        is_sketch = self.fingerprint.name == "minhash"
        return build("fingerprints", self.fingerprint) if is_sketch else None

    @cached_property
    def _keys(self) -> list[tuple[Any, Any]]:
        """The index of each cell that has bands, and the keys of all documents by it."""
        sketches = self._sketch(self.rows) if self._sketch else None
        keys: list[tuple[Any, Any]] = []
        for cell in self.cells:
            index = build("indexes", cell.index) if cell.index and cell.slots else None
            fits = index is not None and sketches is not None and cell.slots <= sketches.shape[1]
            keys.append((index, index.keys(sketches) if index and fits else None))
        return keys
