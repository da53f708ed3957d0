"""Scores of some documents with many others by matchers of vectors, such as surprise.

They need to know which terms two vectors have, not only sums over them, so that every range of IDF
is computed on its own, for many documents at once. The scores are those of `ScoreFingerprints`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.cell_scores import (
    NEAR,
    NOT_COMPARABLE,
    CellScorer,
    RankedDictionary,
    RankedDocuments,
    Ranks,
    Scores,
)
from sdtext.experiment.grid_cells import Cell
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.parts.matchers import VectorComparison, VectorMatcher
from sdtext.parts.registry import build

_MOST_SCORES = 1 << 25  # in memory at a time


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
