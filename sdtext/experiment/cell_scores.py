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
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.plan import BandCell, Cell
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.model import PartSpec
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.matchers import SetMatcher, VectorComparison, VectorMatcher, with_defaults
from sdtext.parts.registry import build

NOT_COMPARABLE = -1
"""Stands for the score of two documents that are not comparable."""

Ranks = NDArray[np.int64]
Floats = NDArray[np.float64]
Scores = NDArray[np.int16]

NEAR = 1e-6
"""In points of the score: floats are far more exact, so that whole numbers decide in between."""

_LOW_BITS = 30  # of a weight; sums of the rest, and of these bits, are exact as floats
_BLOCK = 1 << 16  # numbers of an array, so that it stays near the processor
Hashes = NDArray[np.uint64]
_MOST_SCORES = 1 << 25  # in memory at a time


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

    def slabs(self, cells: Sequence[Cell]) -> Slabs:
        """The ranks that each cell keeps. OptionError if the dictionary has no normalized IDF."""
        ranges = [self.dictionary.count_range(cell.min_idf, cell.max_idf) for cell in cells]
        low, high = np.array(ranges, np.int64).reshape(-1, 2).T
        starts = np.searchsorted(-self.counts, -high, "left")
        stops = np.maximum(np.searchsorted(-self.counts, -low, "right"), starts)
        return Slabs.of(starts, stops)


@dataclass(frozen=True, eq=False)
class Slabs:
    """The ranges of ranks of some cells, as places in `bounds`, the distinct bounds of them all.

    >>> slabs = Slabs.of(np.array([0, 2]), np.array([5, 5]))
    >>> slabs.bounds.tolist(), slabs.between(np.array([0, 7, 9]), 0).tolist()
    ([0, 2, 5], [9, 2])
    """

    bounds: Ranks
    starts: Ranks
    stops: Ranks

    @classmethod
    def of(cls, starts: Ranks, stops: Ranks) -> Slabs:
        """The slabs between the bounds of half-open ranges of ranks."""
        bounds = np.unique(np.concatenate([starts, stops]))
        return cls(bounds, np.searchsorted(bounds, starts), np.searchsorted(bounds, stops))

    @property
    def sizes(self) -> Ranks:
        """The number of terms in each range."""
        return self.bounds[self.stops] - self.bounds[self.starts]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def of_ranks(self, ranks: Ranks) -> Ranks:
        """The slab of each rank; below 0 or `len` where it is in none."""
        return np.searchsorted(self.bounds, ranks, "right") - 1

    def inside(self, ranks: Ranks) -> NDArray[np.bool_]:
        """Which ranks are in a slab."""
        slab = self.of_ranks(ranks)
        return (slab >= 0) & (slab < len(self))

    def between(self, running: NDArray[Any], axis: int) -> NDArray[Any]:
        """The sum over each range, from running sums at the bounds along an axis."""
        return np.asarray(running.take(self.stops, axis) - running.take(self.starts, axis))


@dataclass(frozen=True, eq=False)
class RankedWeights:
    """The weights of terms by rank, in two parts whose sums are exact as floats.

    None stands for weights of 1.
    """

    high: Floats | None
    low: Floats | None

    @classmethod
    def of(cls, matcher: SetMatcher, ranked: RankedDictionary) -> RankedWeights:
        numbers = matcher.weights(ranked.dictionary)
        if numbers is None:
            return cls(None, None)
        whole = np.array(numbers, np.int64)[ranked.order]
        mask = (1 << _LOW_BITS) - 1
        return cls((whole >> _LOW_BITS).astype(np.float64), (whole & mask).astype(np.float64))


@dataclass(frozen=True, eq=False)
class PairSums:
    """Sums of weights in two parts: the exact sum is `high` * 2**30 + `low`."""

    high: Floats | None
    low: Floats

    @classmethod
    def of(cls, numbers: NDArray[np.int64]) -> PairSums:
        """Whole numbers, a row of them for all cells."""
        return cls(None, numbers.astype(np.float64)[None])

    @cached_property
    def values(self) -> Floats:
        """The sums, correct to 15 digits."""
        return self.low if self.high is None else self.high * float(1 << _LOW_BITS) + self.low

    def exact(self, place: tuple[int, ...]) -> int:
        """The exact sum at a place."""
        low = int(self.low[place])
        return low if self.high is None else (int(self.high[place]) << _LOW_BITS) + low


@dataclass(frozen=True, eq=False)
class _Block:
    """Some documents: for each rank the documents that hold the term, marked with its slab."""

    slabs: Slabs
    documents: int
    postings: Ragged

    @classmethod
    def of(cls, rows: Ragged, terms: int, slabs: Slabs) -> _Block:
        """The block of documents whose terms are given as `rows` of ranks below `terms`."""
        order = np.argsort(rows.values, kind="stable")
        ranks = rows.values[order].astype(np.int64)
        # Terms outside all slabs have no postings.
        kept = slabs.inside(ranks)
        places = slabs.of_ranks(ranks) * len(rows) + rows.owners[order]
        offsets = offsets_of(np.bincount(ranks[kept], minlength=terms))
        return cls(slabs, len(rows), Ragged(places[kept], offsets))

    def sums(self, ranks: Ranks, weights: RankedWeights) -> PairSums:
        """The sums over the terms of `ranks` in each cell and document: (cells, documents)."""
        taken = self.postings.taken(ranks)
        parts = (
            None if part is None else self._between(taken.values, part[ranks].repeat(taken.lengths))
            for part in (weights.high, weights.low)
        )
        high, low = parts
        return PairSums(high, self._between(taken.values, None) if low is None else low)

    def _between(self, places: Ranks, weights: Floats | None) -> Floats:
        shape = (len(self.slabs), self.documents)
        sums = np.bincount(places, weights, shape[0] * shape[1]).reshape(shape)
        running = np.zeros((shape[0] + 1, shape[1]))
        np.cumsum(sums, axis=0, out=running[1:])
        return self.slabs.between(running, 0)


@dataclass(frozen=True, eq=False)
class RankedDocuments:
    """The documents of a trial, and the cells and matchers by which others are compared with them.

    `rows` are the ranks of the terms of each document.
    """

    ranked: RankedDictionary
    rows: Ragged
    cells: tuple[Cell, ...]
    matchers: tuple[PartSpec, ...]
    min_terms: int = MIN_TERMS


@dataclass(frozen=True, eq=False)
class CellScorer(RankedDocuments):
    """Scores documents with the documents of a trial by matchers of sets."""

    @cached_property
    def slabs(self) -> Slabs:
        """The ranks that each cell keeps."""
        return self.ranked.slabs(self.cells)

    def __call__(self, ranks: Ranks) -> Iterator[tuple[int, int, Scores]]:
        """The scores of a document with all others, block by block.

        For each matcher and each block of documents: the number of the matcher, the place of the
        first document of the block, and scores of shape (cells, documents).
        """
        ranks = ranks[self.slabs.inside(ranks)]
        for start, block in self._blocks:
            yield from block.scores(ranks, start)

    @cached_property
    def _blocks(self) -> list[tuple[int, _ScoredBlock]]:
        parts = [with_defaults(build("matchers", spec)) for spec in self.matchers]
        measures = [Measure(part, RankedWeights.of(part, self.ranked)) for part in parts]
        size = max(16, _BLOCK // max(1, len(self.cells)))
        blocks = []
        for start in range(0, len(self.rows), size):
            rows = self.rows.taken(np.arange(start, min(start + size, len(self.rows))))
            block = _Block.of(rows, len(self.ranked.counts), self.slabs)
            blocks.append((start, _ScoredBlock(block, rows, measures, self.min_terms)))
        return blocks


@dataclass(frozen=True, eq=False)
class Measure:
    """A matcher with the weights of terms, and the exact scores that it has already given."""

    part: SetMatcher
    weights: RankedWeights = RankedWeights(None, None)
    known: dict[tuple[int, int, int], int] = field(default_factory=dict)

    @property
    def is_weighted(self) -> bool:
        return self.weights.low is not None

    def exact(self, common: int, left: int, right: int) -> int:
        """The score by whole numbers alone."""
        triple = (common, left, right)
        if triple not in self.known:
            if len(self.known) >= _MOST_KNOWN:
                self.known.clear()
            self.known[triple] = self.part(*triple).score
        return self.known[triple]


_MOST_KNOWN = 1 << 18  # scores


@dataclass(frozen=True, eq=False)
class _ScoredBlock:
    """A block of documents with the sums over their own terms."""

    block: _Block
    rows: Ragged
    measures: Sequence[Measure]
    min_terms: int

    @cached_property
    def _own(self) -> list[PairSums]:
        """For each measure the sums of each document over its own terms: (cells, documents)."""
        return [self._own_sums(measure.weights) for measure in self.measures]

    @cached_property
    def _counts(self) -> Floats:
        """The number of terms of each document in each cell."""
        return self._own_sums(RankedWeights(None, None)).values

    def _own_sums(self, weights: RankedWeights) -> PairSums:
        slabs, ranks = self.block.slabs, self.rows.values
        kept = slabs.inside(ranks)
        places = slabs.of_ranks(ranks[kept]) * len(self.rows) + self.rows.owners[kept]
        parts = (
            None if part is None else self.block._between(places, part[ranks[kept]])  # noqa: SLF001
            for part in (weights.high, weights.low)
        )
        high, low = parts
        return PairSums(high, self.block._between(places, None) if low is None else low)  # noqa: SLF001

    def scores(self, ranks: Ranks, start: int) -> Iterator[tuple[int, int, Scores]]:
        """The scores of the document of these ranks, as `CellScorer` gives them."""
        document = _DocumentRanks(self.block.slabs, ranks)
        plain = RankedWeights(None, None)
        common, left = self.block.sums(ranks, plain), document.sums(plain)
        few = (self._counts < self.min_terms) | (left.values < self.min_terms)
        equal = (common.values == left.values) & (common.values == self._counts)
        equal &= common.values > 0
        for number, (measure, right) in enumerate(zip(self.measures, self._own, strict=True)):
            sums = (common, left, right)
            if measure.is_weighted:
                weights = measure.weights
                sums = (self.block.sums(ranks, weights), document.sums(weights), right)
            scores = scores_of(measure, *sums)
            scores[few | (sums[1].values == 0) | (right.values == 0)] = NOT_COMPARABLE
            if measure.part.symmetric:
                scores[equal] = 99
            yield number, start, scores


@dataclass(frozen=True)
class _DocumentRanks:
    """The terms of one document by their ranks."""

    slabs: Slabs
    ranks: Ranks

    def sums(self, weights: RankedWeights) -> PairSums:
        """The sums over its terms in each cell, of shape (cells, 1)."""
        high = None if weights.high is None else self._between(weights.high)
        return PairSums(high, self._between(weights.low))

    def _between(self, weights: Floats | None) -> Floats:
        given = None if weights is None else weights[self.ranks]
        sums = np.bincount(self.slabs.of_ranks(self.ranks), given, len(self.slabs))
        running = np.concatenate([[0.0], np.cumsum(sums)])
        return self.slabs.between(running, 0)[:, None]


def scores_of(measure: Measure, common: PairSums, left: PairSums, right: PairSums) -> Scores:
    """The exact score of each pair; that of pairs without any weight is arbitrary."""
    sides = np.maximum(left.values, 1.0), np.maximum(right.values, 1.0)
    points = 100 * measure.part.similarities(common.values, *sides)
    scores = np.minimum(points - NEAR, 99).astype(np.int16)
    upper = np.minimum(points + NEAR, 99).astype(np.int16)
    near = np.flatnonzero(scores != upper)
    if len(near):
        scores.ravel()[near] = _exact(measure, (common, left, right), near)
    return scores


def _exact(measure: Measure, sums: Sequence[PairSums], near: NDArray[np.int64]) -> list[int]:
    """The scores of the pairs at flat places, by whole numbers."""
    common, left, right = sums
    shape = common.low.shape
    rows, columns = np.unravel_index(near, shape)
    if measure.is_weighted:
        return [
            measure.exact(common.exact(place), left.exact((place[0], 0)), right.exact(place))
            for place in zip(rows.tolist(), columns.tolist(), strict=True)
        ]
    triples = np.stack(
        [common.low[rows, columns], left.low[rows, 0], right.low[rows, columns]], axis=1
    )
    distinct, places = np.unique(triples.astype(np.int64), axis=0, return_inverse=True)
    known = [measure.exact(*triple) for triple in distinct.tolist()]
    return [known[place] for place in places.ravel().tolist()]


@dataclass(frozen=True, eq=False)
class ShingleScorer:
    """Scores documents with the documents of a trial, by some matchers, with some indexes.

    `rows` are the hashes of the distinct shingles of each document, in order.
    """

    rows: Ragged
    fingerprint: PartSpec
    cells: tuple[BandCell, ...]
    matchers: tuple[PartSpec, ...]

    def __call__(self, queries: Sequence[Hashes]) -> Iterator[tuple[int, int, int, Scores]]:
        """The scores of documents with all others, as `DictionaryScorer` gives them."""
        for place, shingles in enumerate(queries):
            for number, scores in self._scores(shingles):
                yield place, number, 0, scores

    def _scores(self, shingles: Hashes) -> Iterator[tuple[int, Scores]]:
        candidates = self._candidates(shingles) & (self.rows.lengths > 0) & (len(shingles) > 0)
        sums = [self._common(shingles), np.full(1, len(shingles)), self.rows.lengths]
        common, left, right = (PairSums.of(numbers) for numbers in sums)
        for number, measure in enumerate(self._measures):
            scores = scores_of(measure, common, left, right)
            yield number, np.where(candidates, scores, np.int16(NOT_COMPARABLE))

    @cached_property
    def _measures(self) -> list[Measure]:
        return [Measure(with_defaults(build("matchers", spec))) for spec in self.matchers]

    def _common(self, shingles: Hashes) -> NDArray[np.int64]:
        """The number of common shingles with each document."""
        if not len(self._vocabulary):
            return np.zeros(len(self.rows), np.int64)
        places = np.searchsorted(self._vocabulary, shingles)
        places[places == len(self._vocabulary)] = 0
        known = places[self._vocabulary[places] == shingles]
        return np.bincount(self._postings.taken(known).values, minlength=len(self.rows))

    @cached_property
    def _vocabulary(self) -> Hashes:
        return np.unique(self.rows.values)

    @cached_property
    def _postings(self) -> Ragged:
        """For each shingle of the vocabulary the documents that have it."""
        order = np.argsort(self.rows.values, kind="stable")
        counts = np.unique(self.rows.values, return_counts=True)[1]
        return Ragged(self.rows.owners[order], offsets_of(counts))

    def _candidates(self, shingles: Hashes) -> NDArray[np.bool_]:
        """Which documents are candidates in each cell."""
        candidates = np.zeros((len(self.cells), len(self.rows)), np.bool_)
        query = Ragged(shingles, np.array([0, len(shingles)]))
        sketch = self._sketch(query) if self._sketch else None
        for cell, (index, keys) in enumerate(self._keys):
            if index is None or sketch is None:
                candidates[cell] = True
            elif index.bands * index.rows <= sketch.shape[1]:
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
            index = build("indexes", cell.index) if cell.slots else None
            fits = index is not None and sketches is not None and cell.slots <= sketches.shape[1]
            keys.append((index, index.keys(sketches) if index and fits else None))
        return keys


@dataclass(frozen=True, eq=False)
class DictionaryScorer(RankedDocuments):
    """Scores documents with the documents of a trial by matchers of all kinds."""

    def __call__(self, queries: Sequence[Ranks]) -> Iterator[tuple[int, int, int, Scores]]:
        """The scores of documents with all others: for each block of them and each matcher.

        The number of the query, that of the matcher, the place of the first document of the block,
        and scores of shape (cells, documents).
        """
        if numbers := self._numbers_of("sets"):
            for place, ranks in enumerate(queries):
                for number, start, scores in self._sets(ranks):
                    yield place, numbers[number], start, scores
        size = max(1, _MOST_SCORES // max(1, len(self.cells) * len(self.rows)))
        for number in self._numbers_of("vectors"):
            for start in range(0, len(queries), size):
                batch = queries[start : start + size]
                by_cell = [cell.scores(self._parts[number], batch) for cell in self._cells]
                for place, scores in enumerate(np.stack(by_cell, axis=1)):
                    yield start + place, number, 0, scores

    @cached_property
    def _parts(self) -> list[VectorMatcher]:
        return [build("matchers", matcher) for matcher in self.matchers]

    def _numbers_of(self, compares: str) -> list[int]:
        kinds = [getattr(part, "compares", "sets") for part in self._parts]
        return [number for number, kind in enumerate(kinds) if kind == compares]

    @cached_property
    def _sets(self) -> CellScorer:
        matchers = tuple(self.matchers[number] for number in self._numbers_of("sets"))
        return CellScorer(self.ranked, self.rows, self.cells, matchers, self.min_terms)

    @cached_property
    def _cells(self) -> list[_CellVectors]:
        slabs = self.ranked.slabs(self.cells)
        ranges = zip(slabs.bounds[slabs.starts], slabs.bounds[slabs.stops], strict=True)
        return [
            _CellVectors(self.ranked, self.rows, cell, (int(low), int(high)), self.min_terms)
            for cell, (low, high) in zip(self.cells, ranges, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class _CellVectors:
    """The vectors of the documents over the terms of a cell, those from a rank to another."""

    ranked: RankedDictionary
    rows: Ragged
    cell: Cell
    kept: tuple[int, int]
    min_terms: int
    comparisons: dict[VectorMatcher, VectorComparison] = field(default_factory=dict)

    def scores(self, matcher: VectorMatcher, queries: Sequence[Ranks]) -> Scores:
        """The scores of documents with all others, of shape (queries, documents)."""
        shape = len(queries), len(self.rows)
        low, high = self.kept
        if low == high:
            return np.full(shape, NOT_COMPARABLE, np.int16)
        left = Ragged.of([self._inside(row) for row in queries], "int64")
        right = Ragged.of([self._inside(row) for row in self.rows], "int64")
        packed = self._packed(left), self._packed(right)
        common, counts = self._sums(left, right)
        points = 100 * self._over(matcher).similarities(common, *packed)
        scores = np.minimum(points - NEAR, 99).astype(np.int16)
        near = np.argwhere(scores != np.minimum(points + NEAR, 99).astype(np.int16))
        for query, document in near.tolist():
            sides = packed[0][query].tobytes(), packed[1][document].tobytes()
            match = self._over(matcher).similarity(int(common[query, document]), *sides)
            scores[query, document] = match.score
        sizes = left.lengths[:, None], right.lengths[None]
        least = max(self.min_terms, matcher.least_terms)
        weightless = [self._weight_sums(side) == 0 for side in (left, right)]
        no_score = (np.minimum(*sizes) < least) | weightless[0][:, None] | weightless[1][None]
        scores[no_score] = NOT_COMPARABLE
        if matcher.symmetric:
            scores[(counts == sizes[0]) & (counts == sizes[1]) & (counts > 0)] = 99
        return scores

    def _over(self, matcher: VectorMatcher) -> VectorComparison:
        if matcher not in self.comparisons:
            trimmed = self.ranked.dictionary.trim(self.cell.min_idf, self.cell.max_idf)
            self.comparisons[matcher] = matcher.over(trimmed)
        return self.comparisons[matcher]

    def _inside(self, ranks: Ranks) -> Ranks:
        low, high = self.kept
        return ranks[(ranks >= low) & (ranks < high)]

    def _packed(self, rows: Ragged) -> NDArray[np.uint8]:
        """The vectors of rows of ranks: a term's place in the trimmed dictionary is its bit."""
        low, high = self.kept
        bits = np.zeros((len(rows), high - low), np.uint8)
        bits[rows.owners, self._places[rows.values - low]] = 1
        return np.packbits(bits, axis=1, bitorder="little")

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """The place in the trimmed dictionary of the term of each rank that is kept."""
        low, high = self.kept
        return np.argsort(np.argsort(self.ranked.order[low:high]))

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """The weight of the term of each rank."""
        weights = np.array(self.ranked.dictionary.weights(), np.float64)
        return weights[self.ranked.order]

    def _weight_sums(self, rows: Ragged) -> NDArray[np.float64]:
        return np.asarray(
            np.bincount(rows.owners, self._weights[rows.values], len(rows)), np.float64
        )

    def _sums(self, left: Ragged, right: Ragged) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The sums of the weights of the common terms of each pair, and their numbers."""
        order = np.argsort(right.values, kind="stable")
        lengths = np.bincount(right.values, minlength=len(self.ranked.order))
        postings = Ragged(right.owners[order], offsets_of(lengths))
        sums = np.zeros((len(left), len(right)))
        counts = np.zeros(sums.shape, np.int64)
        for query, ranks in enumerate(left):
            taken = postings.taken(ranks)
            weights = self._weights[ranks].repeat(taken.lengths)
            sums[query] = np.bincount(taken.values, weights, len(right))
            counts[query] = np.bincount(taken.values, minlength=len(right))
        return sums, counts
