"""What is like a document by its shingles: all are looked at, or those with a band in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.encoder import Encoder
from sdtext.errors import shown
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Document, Problem
from sdtext.parts.indexes import Banding
from sdtext.search.buckets import Rows
from sdtext.search.estimates import Estimates
from sdtext.search.plan import Plan
from sdtext.search.question import Curve
from sdtext.search.scoring import Scores, least_agreeing
from sdtext.search.table import Table
from sdtext.search.telling import how
from sdtext.search.verification import common, common_with_all

MOST_SCANNED = 1 << 23
"""Up to so many stored shingles all are compared with a query (some 30 ms): none is missed."""


@dataclass(frozen=True, eq=False)
class ByShingles:
    """Looks by shingles; with `all` at all documents, however many there are."""

    table: Table
    plan: Plan
    all: bool = False
    problems: list[Problem] = field(default_factory=list)

    @property
    def how(self) -> str:
        """How it looks, in a sentence."""
        return how(self.plan, self._bands, self._slots)

    @property
    def curve(self) -> Curve:
        """How likely a document is found by its bands; empty where all are looked at."""
        return tuple(self._bands.curve(self._slots)) if self._bands else ()

    def __call__(self, document: Document) -> tuple[Rows, Scores]:
        rows, scores = self.alike(document, self.plan.minimum)
        return self.table.ids[rows], scores

    def alike(self, document: Document, minimum: int) -> tuple[Rows, Scores]:
        """The rows that score `minimum` by their shingles."""
        query = self._encoder.sets(self._encoder.block([document.clean]))
        if not len(query.values):
            message = f"{shown(document.source)}: has no shingles, so nothing is similar to it"
            self.problems.append(Problem("warning", "no-shingles", message, document.source))
        rows, scores = self._scored(query)
        kept = scores.score >= minimum
        return rows[kept], scores.taken(kept)

    def _scored(self, query: Ragged) -> tuple[Rows, Scores]:
        """The rows that may be alike, and how much they are."""
        if not len(query.values):
            rows, shared = self._none
        elif self.plan.question.estimate:
            rows, shared = self._some(Estimates(self.table).with_query(query))
            return rows, self.plan.scorer.of_estimates(shared)
        elif self._bands is None:
            rows, shared = self._some(self._common(query))
        else:
            rows, shared = self._in_bands(query, self._bands)
        sizes = np.full(len(rows), len(query.values))
        return rows, self.plan.scorer(shared, sizes, self.table.sizes[rows])

    def _some(self, shared: NDArray[Any]) -> tuple[Rows, NDArray[Any]]:
        """The rows that are searched and share anything, and what."""
        rows = np.flatnonzero((shared > 0) & self.table.wanted)
        return rows, shared[rows]

    def _common(self, query: Ragged) -> Rows:
        """How many shingles of the query each row has."""
        counts = [common_with_all(query.values, piece.shingles) for piece in self.table.pieces]
        return np.concatenate([self._none[1], *counts])

    def _in_bands(self, query: Ragged, bands: Banding) -> tuple[Rows, Rows]:
        """The rows that have a band in common with the query, as in `candidates`."""
        sketch = self.plan.making.sketcher(query)
        keys = bands.keys(sketch)[0]
        met, shared = [self._none[0]], [self._none[1]]
        for start, piece in zip(self.table.starts.tolist(), self.table.pieces, strict=False):
            rows = piece.named(_equal_keys(piece.keys(bands), keys))
            rows = rows[self.table.wanted[rows + start]]
            agreeing = np.count_nonzero(piece.sketches[rows] == sketch, axis=1)
            rows = rows[agreeing >= least_agreeing(self._slots, bands.similarity)]
            met.append(rows + start)
            shared.append(common(query, piece.shingles, (np.zeros_like(rows), rows)))
        return np.concatenate(met), np.concatenate(shared)

    @property
    def _none(self) -> tuple[Rows, Rows]:
        return np.empty(0, np.int64), np.empty(0, np.int64)

    @cached_property
    def _bands(self) -> Banding | None:
        """The bands, None where all is compared."""
        few = self.table.sizes.sum() <= MOST_SCANNED
        if few or self.all or self.plan.question.estimate:
            return None
        bands = self.plan.bands_for(self._slots)
        # Bands of one row meet nearly all documents, and cost more than looking at all.
        return bands if bands and bands.layout(self._slots)[1] > 1 else None

    @property
    def _slots(self) -> int:
        return self.table.slots

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.plan.recipe)

    def terms(self, document: Document) -> list[str]:
        """The terms of a document in their order."""
        return self._encoder.tokens([document.clean]).terms_of(0)


def _equal_keys(known: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The rows with an equal key in any band; `known` as `Making.keys` gives them."""
    found = [np.empty(0, np.uint64)]
    for (ordered, rows), key in zip(known, keys, strict=True):
        begin, end = np.searchsorted(ordered, key, "left"), np.searchsorted(ordered, key, "right")
        found.append(rows[begin:end])
    return np.unique(np.concatenate(found))
