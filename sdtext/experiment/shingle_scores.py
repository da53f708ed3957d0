"""Scores of a document with many others by their shingles, for every index of sketches at once.

Candidates of an index are scored with all of their shingles, as `FindSimilar` scores them; others
have no score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.cell_scores import NOT_COMPARABLE, Measure, PairSums, Scores, scores_of
from sdtext.experiment.grid_cells import BandCell
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.model import PartSpec
from sdtext.parts.matchers import with_defaults
from sdtext.parts.registry import build

Hashes = NDArray[np.uint64]


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
