"""Scores of some documents with many others, by shingles and by matchers of vectors.

Shingles: for every index of sketches at once. Candidates of an index are scored with all of their
shingles, as `FindSimilar` scores them; others have no score.

Vectors: matchers such as surprise need to know which terms two vectors have, not only sums over
them, so that every range of IDF is computed on its own, for many documents at once. The scores are
those of `ScoreFingerprints`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.cell_scores import (
    NEAR,
    NOT_COMPARABLE,
    CellScorer,
    Measure,
    PairSums,
    RankedDictionary,
    RankedDocuments,
    Ranks,
    Scores,
    scores_of,
)
from sdtext.experiment.grid_cells import BandCell, Cell
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.model import PartSpec
from sdtext.parts.matchers import VectorComparison, VectorMatcher, with_defaults
from sdtext.parts.registry import build

Hashes = NDArray[np.uint64]
_MOST_SCORES = 1 << 25  # in memory at a time


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
