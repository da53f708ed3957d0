"""The scores of queries with all documents of a collection, for many questions at once.

Bit vectors: the ranges of normalized IDF to which a dictionary is trimmed overlap. Terms are ranked
by document frequency, so that a range of IDF is a range of ranks. Common terms are counted once for
each slab of ranks between two bounds of ranges; what a pair has in common in a range is a
difference of two running sums. Matchers that need to know which terms two vectors have, such as
surprise, compare the vectors of every range.

Shingles: what a query shares with the documents is counted once for all indexes and matchers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.packed_bits import packed_rows, set_bits
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec, Similarity
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.indexes import Bands
from sdtext.parts.matchers.surprise import SurpriseOver
from sdtext.parts.registry import build
from sdtext.search.bit_vector_scoring import NOT_COMPARABLE, ScoreMatrix, Weighting
from sdtext.search.bit_vector_search import packed_vectors
from sdtext.search.find import comparison_of
from sdtext.search.scoring import exact_scores
from sdtext.search.search_plan import Question, plan_search
from sdtext.search.searchable import Searchable, segment_views
from sdtext.search.set_search import Shingles

IdfRange = tuple[float, float]
"""The least and the greatest normalized IDF of the terms that are kept."""
QueryScores = tuple[int, int, ScoreMatrix]
"""The number of the query, that of the matcher, and the scores: a row for each range or index."""

_Floats = NDArray[np.float64]
_Numbers = NDArray[np.int64]
_Sums = tuple[_Floats, _Floats]
"""Sums over the bits of a query in each range: those that each document has, and all of them."""

_MOST_SCORES = 1 << 20  # of queries that are compared at once


def ranked_ranges(
    dictionary: Dictionary, ranges: Sequence[IdfRange | None]
) -> tuple[_Numbers, _Numbers]:
    """The bits of a dictionary by falling document frequency, and the places there of each range.

    In this order sums of light terms are not differences of those of heavy ones. Places are the
    first, and the one behind the last: of shape (ranges, 2). None is the range of all terms. Raises
    OptionError if the dictionary has no normalized IDF.
    """
    counts = np.asarray(dictionary.counts, np.int64)
    order = np.argsort(-counts, kind="stable")
    everything = 0, counts.max(initial=0)
    bounds = [dictionary.count_range(*each) if each else everything for each in ranges]
    low, high = np.array(bounds, np.int64).reshape(-1, 2).T
    starts = np.searchsorted(-counts[order], -high, "left")
    stops = np.searchsorted(-counts[order], -low, "right")
    return order, np.stack([starts, np.maximum(starts, stops)], axis=1)


@dataclass(frozen=True, eq=False)
class ScoresInRanges:
    """Scores over the dictionary of a collection, trimmed to each of some ranges; None: as it is.

    The collection has one bit vector of each document; the matchers are of sets or of vectors. The
    scores are those of fingerprints with the trimmed dictionaries. Ranges with the same terms
    have one row of scores: that of range i is `row_of[i]`.
    """

    searched: Searchable
    ranges: Sequence[IdfRange | None]
    matchers: Sequence[PartSpec]
    min_terms: int = MIN_TERMS

    def __call__(self, queries: Sequence[NDArray[np.uint8]]) -> Iterator[QueryScores]:
        """The scores of packed vectors over the whole dictionary with all documents."""
        step = max(1, _MOST_SCORES // max(1, len(self._kept) * len(self._documents)))
        for start in range(0, len(queries), step):
            batch = np.stack(queries[start : start + step])
            for place, number, scores in self._of_batch(batch):
                yield start + place, number, scores

    @property
    def row_of(self) -> _Numbers:
        """The row of scores of each range."""
        return np.asarray(self._distinct[2].ravel())

    def _of_batch(self, queries: NDArray[np.uint8]) -> Iterator[QueryScores]:
        bits = set_bits(queries)
        of_vectors: dict[int, list[tuple[_Sums, _Sums]]] = {}
        for place, own in enumerate(bits):
            postings = self._postings.take(own)
            counts = self._sums(own, postings, None)
            for number, weighting in enumerate(self._weightings):
                weights = weighting.floats
                sums = counts if weights is None else self._sums(own, postings, weights)
                if weighting.over:
                    of_vectors.setdefault(number, []).append((counts, sums))
                    continue
                sides = np.maximum(sums[1], 1.0), np.maximum(self._own[number], 1.0)
                similarity = weighting.scorer.similarity(sums[0], *sides)
                yield place, number, self._scores(number, queries[place], similarity, counts, sums)
        for number, pairs in of_vectors.items():
            similarity = np.stack([sums[0] for _, sums in pairs])
            for row in np.flatnonzero(np.diff(self._kept)).tolist():
                vectors = (self._vectors(side, row) for side in (bits, self._documents))
                over = self._over(number, row)
                similarity[:, row] = over.similarities(similarity[:, row], *vectors)
            for place, (counts, sums) in enumerate(pairs):
                scores = self._scores(number, queries[place], similarity[place], counts, sums)
                yield place, number, scores

    def _scores(
        self, number: int, query: NDArray[np.uint8], similarity: _Floats, counts: _Sums, sums: _Sums
    ) -> ScoreMatrix:
        """The scores of a query with all documents by a matcher."""
        weighting, own = self._weightings[number], self._own[number]
        cached = cache(weighting.scorer.exact)

        def exact(place: int) -> Similarity:
            row, document = divmod(place, len(self._documents))
            common, left, right = sums[0][row, document], sums[1][row, 0], own[row, document]
            if weighting.numbers is None:
                return cached(common, left, right)
            sides = np.stack([query, self._packed[document]]) & self._masks[row]
            if weighting.over:
                vectors = self._vectors(set_bits(sides), row)
                over, (one, other) = self._over(number, row), map(bytes, vectors)
                return over.similarity(int(common), one, other)
            return weighting.similarity(sides[0].tobytes(), sides[1].tobytes())

        equal = weighting.equal(*counts, self._counts)
        similarity[equal] = 0.0  # these need no exact score
        scores = exact_scores(similarity.ravel(), exact).score.reshape(similarity.shape)
        comparable = weighting.comparable(counts[1], sums[1])
        scores[~(comparable & weighting.comparable(self._counts, own))] = NOT_COMPARABLE
        scores[equal] = 99
        return scores.astype(np.int16)

    def _sums(self, bits: _Numbers, postings: Ragged, weights: _Floats | None) -> _Sums:
        """The sums of the weights of some bits, whose postings these are."""
        slabs, number = len(self._bounds), len(self._documents)
        each = None if weights is None else weights[bits]
        repeated = None if each is None else each.repeat(postings.lengths)
        common = np.bincount(postings.values, repeated, slabs * number).reshape(slabs, number)
        whole = np.bincount(self._slabs[bits], each, slabs)[:, None]
        starts, stops = self._bounds.searchsorted(self._kept).T
        running, total = (np.cumsum(sums, 0, np.float64) for sums in (common, whole))
        return running[stops] - running[starts], total[stops] - total[starts]

    @property
    def _dictionary(self) -> Dictionary:
        return self.searched.dictionaries[0]

    @cached_property
    def _weightings(self) -> list[Weighting]:
        specs, dictionary = self.matchers, self._dictionary
        return [Weighting.of(spec, dictionary, self.min_terms) for spec in specs]

    @cached_property
    def _ranked(self) -> tuple[_Numbers, _Numbers]:
        return ranked_ranges(self._dictionary, self.ranges)

    @cached_property
    def _distinct(self) -> Any:
        return np.unique(self._ranked[1], axis=0, return_index=True, return_inverse=True)

    @property
    def _kept(self) -> _Numbers:
        """The ranks of the terms in each row of scores."""
        return np.asarray(self._distinct[0])

    @cached_property
    def _bounds(self) -> _Numbers:
        """All bounds of ranges: slab i of ranks ends at bound i, and slab 0 is empty."""
        return np.unique([0, len(self._ranked[0]), *self._kept.ravel()])

    @cached_property
    def _slabs(self) -> _Numbers:
        """The slab of each bit."""
        slabs = np.empty(len(self._ranked[0]), np.int64)
        slabs[self._ranked[0]] = self._bounds.searchsorted(np.arange(len(slabs)), "right")
        return slabs

    @cached_property
    def _packed(self) -> NDArray[np.uint8]:
        plan = plan_search(self.searched, Question(min_terms=self.min_terms))
        views = segment_views(self.searched, plan.derivation)
        return np.concatenate([packed_vectors(view.segment, plan)[view.wanted] for view in views])

    @cached_property
    def _documents(self) -> Ragged:
        """The bits of each document."""
        return set_bits(self._packed)

    @cached_property
    def _postings(self) -> Ragged:
        """For each bit the documents that have it, as places slab * documents + document."""
        rows = self._documents.inverted(len(self._slabs))
        return Ragged(self._slabs[rows.owners] * len(self._documents) + rows.values, rows.offsets)

    @cached_property
    def _own(self) -> list[_Floats]:
        """The sums of the weights of each document in each range, by matcher."""
        bits, postings = np.arange(len(self._slabs)), self._postings
        return [self._sums(bits, postings, each.floats)[0] for each in self._weightings]

    @cached_property
    def _counts(self) -> _Floats:
        """The number of bits of each document in each range."""
        return self._sums(np.arange(len(self._slabs)), self._postings, None)[0]

    @cached_property
    def _masks(self) -> NDArray[np.uint8]:
        """The bits of each range, packed."""
        bits = [self._ranked[0][start:stop] for start, stop in self._kept.tolist()]
        return packed_rows(Ragged.of(bits, "int64"), len(self._slabs))

    def _vectors(self, bits: Ragged, row: int) -> NDArray[np.uint8]:
        """The packed vectors over the trimmed dictionary of a range."""
        start, stop = self._kept[row].tolist()
        places = np.full(len(self._slabs), -1)
        places[np.sort(self._ranked[0][start:stop])] = np.arange(stop - start)
        return packed_rows(bits.renumbered(places), stop - start)

    @cached_property
    def _over(self) -> Callable[[int, int], SurpriseOver]:
        """What compares vectors by a matcher in a range, over the trimmed dictionary."""

        @cache
        def over(number: int, row: int) -> SurpriseOver:
            kept = self.ranges[self._distinct[1][row]]
            dictionary = self._dictionary.trim(*kept) if kept else self._dictionary
            over: SurpriseOver = build("matchers", self.matchers[number]).over(dictionary)
            return over

        return over


@dataclass(frozen=True, eq=False)
class ScoresByIndexes:
    """Scores by shingles, where each of some indexes selects candidates; None selects all.

    Candidates of an index are scored with all of their shingles, as `similar` scores them; others
    are not comparable, nor is any with bands that exceed its sketches.
    """

    searched: Searchable
    indexes: Sequence[PartSpec | None]
    matchers: Sequence[PartSpec]

    def __call__(self, queries: Sequence[Shingles]) -> Iterator[QueryScores]:
        """The scores of sorted distinct shingles with all documents."""
        plans = [plan_search(self.searched, Question(matcher=str(spec))) for spec in self.matchers]
        strategy = comparison_of(self.searched, plans[0])
        sizes = np.maximum(strategy.table.sizes, 1)
        parts = [build("indexes", spec) if spec else None for spec in self.indexes]
        indexes = [part if isinstance(part, Bands) else None for part in parts]
        for place, shingles in enumerate(queries):
            candidates = np.zeros((len(self.indexes), len(sizes)), np.bool_)
            for row, bands in zip(candidates, indexes, strict=True):
                if len(shingles):
                    row[strategy.candidates_in(bands, shingles)] = True
            common = strategy.common_with(shingles)
            size = np.full(len(sizes), max(len(shingles), 1))
            for number, plan in enumerate(plans):
                scores = plan.scorer(common, size, sizes).score.astype(np.int16)
                yield place, number, np.where(candidates, scores, np.int16(NOT_COMPARABLE))

    @property
    def row_of(self) -> _Numbers:
        """The row of scores of each index."""
        return np.arange(len(self.indexes))
