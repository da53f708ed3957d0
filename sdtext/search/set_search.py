"""Search by sets of shingles: exact join or LSH bands for pairs, a scan or bands for a query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.errors import UnreadableError, shown
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem
from sdtext.parts.indexes import Banding
from sdtext.reading.own_process_limits import within_limits
from sdtext.reading.sandbox.pool import ProcessLimits
from sdtext.search.candidates.buckets import Rows
from sdtext.search.candidates.exact_join import exact_join, quick_join
from sdtext.search.candidates.identical_sets import Duplicates, ExpandedPairs, duplicates_in
from sdtext.search.candidates.intersections import PostingLists, common, common_with_all
from sdtext.search.candidates.lsh import Candidates, ScoreBound, lsh_candidates
from sdtext.search.results import Curve, Links, QueryMatches
from sdtext.search.scoring import Estimates, Scores, least_equal_slots
from sdtext.search.search_explanations import describe_oversized, how_sets, oversized_problems
from sdtext.search.search_plan import SearchPlan
from sdtext.search.searchable import Table
from sdtext.text.document import Document

_MOST_INDEXED = 1 << 20  # shingles in posting lists, which take 16 bytes each
MOST_SCANNED = 1 << 23
"""The most stored shingles that are all compared with a query, which takes some 30 ms."""


@dataclass(frozen=True, eq=False)
class BySets:
    """Search by shingles; with `exhaustive` a query is compared with all documents."""

    table: Table
    plan: SearchPlan
    exhaustive: bool = False
    problems: list[Problem] = field(default_factory=list)

    def pairs(self) -> Links:
        """The similar pairs."""
        pairs = self.scored_pairs()
        kept = pairs.scores.score >= self.plan.minimum
        ids = self.table.ids[pairs.left[kept]], self.table.ids[pairs.right[kept]]
        ordered = self.plan.symmetric and not self.table.two_sided
        links = Links.of(ids, pairs.scores.taken(kept), ordered=ordered)
        links = replace(links, incomplete=self.table.ids[pairs.incomplete])
        return links.described(pairs.problems, pairs.how, pairs.curve)

    def query(self, document: Document, limits: ProcessLimits) -> QueryMatches:
        """The documents that are similar to `document`, whose shingles are made within `limits`."""
        rows, scores = self.rows_like(document, self.plan.minimum, limits)
        return QueryMatches(self.table.ids[rows], scores)

    @property
    def how(self) -> str:
        """How a query is searched for, in a sentence."""
        return how_sets(self.plan, self._bands, self._slots)

    @property
    def curve(self) -> Curve:
        """The probability of finding a document by its bands; empty where all are compared."""
        return tuple(self._bands.curve(self._slots)) if self._bands else ()

    def scored_pairs(self) -> ScoredPairs:
        """The pairs of rows that score enough by their shingles.

        Of documents with the same shingles, the search compares the first alone.
        """
        table, plan = self.table, self.plan
        duplicates = duplicates_in(table)
        candidates, bands = self._candidates(table.wanted & duplicates.are_first)
        expanded = duplicates.expanded(candidates.left, candidates.right)
        left, right, scores = self._scored_pairs(candidates, duplicates, expanded)
        kept = scores.score >= plan.least_of_sets
        groups = expanded.short if table.two_sided else duplicates.oversized
        incomplete = np.zeros(len(table.wanted), bool)
        incomplete[
            np.concatenate((candidates.incomplete, expanded.short, duplicates.oversized))
        ] = True
        return ScoredPairs(
            left[kept],
            right[kept],
            scores.taken(kept),
            tuple(oversized_problems(candidates, len(groups))),
            how_sets(plan, bands, table.slots) + describe_oversized(candidates),
            tuple(bands.curve(table.slots)) if bands else (),
            np.flatnonzero(incomplete[duplicates.first]),
        )

    def _candidates(self, searched: NDArray[np.bool_]) -> tuple[Candidates, Banding | None]:
        """The candidate pairs, and the bands that gave them; None where all were compared."""
        table, plan = self.table, self.plan
        bands = plan.bands_for(table.slots)
        if bands is None:
            return exact_join(table, plan, searched), None
        if plan.allows_join and (candidates := quick_join(table, plan, searched)):
            return candidates, None
        bound = ScoreBound(
            plan.scorer, plan.least_of_sets, bands.similarity, plan.question.estimate
        )
        return lsh_candidates(table, bands, bound, searched), bands

    def _scored_pairs(
        self, candidates: Candidates, duplicates: Duplicates, expanded: ExpandedPairs
    ) -> tuple[Rows, Rows, Scores]:
        """All pairs, those of equal documents included, with their scores by shingles."""
        table, plan, estimate = self.table, self.plan, self.plan.question.estimate
        shared = self._shared(candidates)[expanded.source]
        columns: list[tuple[Rows, Rows, NDArray[Any]]] = [(expanded.left, expanded.right, shared)]
        for ones, others in () if table.two_sided else duplicates.within():
            same = np.ones(len(ones)) if estimate else table.sizes[ones]
            columns.append((ones, others, same))
            if not plan.symmetric:
                columns.append((others, ones, same))
        left, right, shared = (np.concatenate(column) for column in zip(*columns, strict=True))
        if estimate:
            return left, right, plan.scorer.of_estimates(shared)
        return left, right, plan.scorer(shared, table.sizes[left], table.sizes[right])

    def _shared(self, candidates: Candidates) -> NDArray[Any]:
        """The intersection size of each pair; for an estimate, its Jaccard similarity."""
        left, right = candidates.left, candidates.right
        if self.plan.question.estimate:
            return Estimates(self.table).pairs(left, right)
        if candidates.common is None:
            return self.table.common(left, right)
        counts, rest = candidates.common.copy(), np.flatnonzero(candidates.common < 0)
        counts[rest] = self.table.common(left[rest], right[rest])
        return counts

    def rows_like(
        self, document: Document, minimum: int, limits: ProcessLimits
    ) -> tuple[Rows, Scores]:
        """The rows that score `minimum` with `document` by their shingles, as `query` does."""
        with self._encoding(document, limits) as encoder:
            query = encoder.sets(encoder.block([document.clean]))
        if not len(query.values):
            message = f"{shown(document.source)}: has no shingles, so nothing is similar to it"
            self.problems.append(Problem("warning", "no-shingles", message, document.source))
        rows, scores = self._scored_rows(query, minimum)
        kept = scores.score >= minimum
        return rows[kept], scores.taken(kept)

    def _scored_rows(self, query: Ragged, minimum: int) -> tuple[Rows, Scores]:
        """The rows that may score `minimum`, with their scores."""
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
        enough = self.plan.scorer.reaches(minimum, shared, sizes, self.table.sizes[rows])
        rows, shared, sizes = rows[enough], shared[enough], sizes[enough]
        return rows, self.plan.scorer(shared, sizes, self.table.sizes[rows])

    def _some(self, shared: NDArray[Any]) -> tuple[Rows, NDArray[Any]]:
        """The searched rows that share anything, and how much."""
        rows = np.flatnonzero((shared > 0) & self.table.wanted)
        return rows, shared[rows]

    def _common(self, query: Ragged) -> Rows:
        """The number of shingles that each row shares with the query."""
        if self._is_asked_again and self.table.sizes.sum() <= _MOST_INDEXED:
            counts = [lists.common_with(query.values) for lists in self._posting_lists]
        else:
            counts = [common_with_all(query.values, view.shingles) for view in self.table.views]
            self.__dict__["_is_asked_again"] = True
        return np.concatenate([self._none[1], *counts])

    @cached_property
    def _is_asked_again(self) -> bool:
        """Whether there was a query before, so that an index of the shingles is worth its time."""
        return False

    @cached_property
    def _posting_lists(self) -> list[PostingLists]:
        return [PostingLists.of(view.shingles) for view in self.table.views]

    def _in_bands(self, query: Ragged, bands: Banding) -> tuple[Rows, Rows]:
        """The rows that have a band in common with the query, and the shingles that they share."""
        sketch = self.plan.derivation.sketcher(query)
        keys = bands.keys(sketch)[0]
        matches, shared = [self._none[0]], [self._none[1]]
        for start, view in zip(self.table.starts.tolist(), self.table.views, strict=False):
            rows = view.rows_at(_equal_keys(view.keys(bands), keys))
            rows = rows[self.table.wanted[rows + start]]
            equal = np.count_nonzero(view.sketches[rows] == sketch, axis=1)
            rows = rows[equal >= least_equal_slots(self._slots, bands.similarity)]
            matches.append(rows + start)
            shared.append(common(query, view.shingles, (np.zeros_like(rows), rows)))
        return np.concatenate(matches), np.concatenate(shared)

    @property
    def _none(self) -> tuple[Rows, Rows]:
        return np.empty(0, np.int64), np.empty(0, np.int64)

    @cached_property
    def _bands(self) -> Banding | None:
        """The bands for a query; None where all documents are compared."""
        few = self.table.sizes.sum() <= MOST_SCANNED
        if few or self.exhaustive or self.plan.question.estimate:
            return None
        bands = self.plan.bands_for(self._slots)
        # Bands of one row match nearly all documents, which costs more than comparing all.
        return bands if bands and bands.layout(self._slots)[1] > 1 else None

    @property
    def _slots(self) -> int:
        return self.table.slots

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.plan.recipe)

    @contextmanager
    def _encoding(self, document: Document, limits: ProcessLimits) -> Iterator[Encoder]:
        """The encoder, for as long as `limits` allow."""
        try:
            with within_limits(limits, shown(document.source)):
                yield self._encoder
        except UnreadableError:
            self.__dict__.pop("_encoder", None)  # its caches may be half written
            raise

    def terms(self, document: Document, limits: ProcessLimits) -> list[str]:
        """The terms of a document in their order."""
        with self._encoding(document, limits) as encoder:
            return encoder.tokens([document.clean]).terms_of(0)


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Pairs of rows with their scores by shingles, and how they were searched for.

    `incomplete` has the rows of which pairs were left out, since there are too many.
    """

    left: Rows
    right: Rows
    scores: Scores
    problems: tuple[Problem, ...]
    how: str
    curve: Curve
    incomplete: Rows


def _equal_keys(known: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The rows with an equal key in any band; `known` as `Derivation.keys` gives them."""
    matches = [np.empty(0, np.uint64)]
    for (ordered, rows), key in zip(known, keys, strict=True):
        begin, end = np.searchsorted(ordered, key, "left"), np.searchsorted(ordered, key, "right")
        matches.append(rows[begin:end])
    return np.unique(np.concatenate(matches))
