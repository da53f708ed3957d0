"""Search by sets of shingles: exact join or LSH bands for pairs, a scan or bands for a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem
from sdtext.parts.indexes import Bands
from sdtext.search.candidates.buckets import Rows
from sdtext.search.candidates.exact_join import exact_join, quick_join
from sdtext.search.candidates.identical_set_groups import Duplicates, ExpandedPairs, duplicates_in
from sdtext.search.candidates.intersections import (
    LeastCounts,
    PostingLists,
    common,
    common_with_all,
    count_type,
)
from sdtext.search.candidates.lsh import Candidates, ScoreBound, lsh_candidates
from sdtext.search.results import Curve, Links, QueryMatches
from sdtext.search.scoring import Estimates, Scores, least_equal_slots
from sdtext.search.search_explanations import describe_oversized, how_sets, oversized_problems
from sdtext.search.search_plan import SearchPlan
from sdtext.search.searchable import Table
from sdtext.text.document import Document
from sdtext.wording import shown

_MOST_INDEXED = 1 << 20  # shingles in posting lists, which take 40 MB at most
_MOST_KEPT = 1 << 22  # least numbers that rows must share with queries of earlier sizes
_NEAR = 1e-6  # of a number of shingles
Shingles = NDArray[np.uint64]
"""The shingles of a document: sorted, each once."""
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

    def encoded(self, documents: Sequence[Document]) -> Sequence[Shingles]:
        """The sorted distinct shingles of each document."""
        return [*self._encoder.sets_of([document.clean for document in documents])]

    def query(self, document: Document, shingles: Shingles) -> QueryMatches:
        """The documents that are similar to `document`, which has these shingles."""
        rows, scores = self.rows_like(document, shingles, self.plan.question.top)
        return QueryMatches(self.table.ids[rows], scores)

    def reset(self) -> None:
        """Drop caches, which may be half written."""
        self.__dict__.pop("_encoder", None)

    @cached_property
    def how(self) -> str:
        """How a query is searched for, in a sentence."""
        return how_sets(self.plan, self._bands, self._slots)

    @cached_property
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

    def _candidates(self, searched: NDArray[np.bool_]) -> tuple[Candidates, Bands | None]:
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
        self, document: Document, shingles: Shingles, top: int | None = None
    ) -> tuple[Rows, Scores]:
        """The rows whose shingles score enough with those of `document`, and the scores.

        With `top` there may be just the best of them, and at least one more than so many.
        """
        if not len(shingles):
            message = f"{shown(document.source)}: has no shingles, so nothing is similar to it"
            self.problems.append(Problem("warning", "no-shingles", message, document.source))
            return self._none[0], Scores(self._none[1], np.empty(0))
        if len(shingles) == 1:
            message = (
                f"{shown(document.source)}: has a single shingle; only documents that have the "
                "same one are similar"
            )
            self.problems.append(Problem("warning", "too-few-terms", message, document.source))
        least = self.plan.least_of_sets
        if self.plan.question.estimate:
            estimates = Estimates(self.table).with_query(_one_row(shingles))
            rows = np.flatnonzero((estimates > 0) & self.table.wanted)
            scores = self.plan.scorer.of_estimates(estimates[rows])
            enough = scores.score >= least
            return rows[enough], scores.taken(enough)
        rows, shared = (
            self._in_bands(shingles, self._bands) if self._bands else self._some(shingles)
        )
        sizes = shared, np.full(len(rows), len(shingles)), self.table.sizes[rows]
        places, scores = self.plan.scorer.at_least(least, sizes, top)
        return rows[places], scores

    def _some(self, shingles: Shingles) -> tuple[Rows, Rows]:
        """The searched rows that may share enough shingles, and how many they share."""
        least = self._least_shared_with(len(shingles))
        if not (self._is_asked_again and self._are_few):
            self.__dict__["_is_asked_again"] = True
            counts = [common_with_all(shingles, view.shingles) for view in self.table.views]
            shared = np.concatenate([self._none[1], *counts])
            rows = np.flatnonzero(shared >= least.each)
            return rows, shared[rows]
        if len(self._posting_lists) == 1:
            return self._posting_lists[0].rows_sharing(shingles, least)
        matches, counts, start = [self._none[0]], [self._none[1]], 0
        for lists, view in zip(self._posting_lists, self.table.views, strict=True):
            stop = start + len(view.shingles)
            rows, shared = lists.rows_sharing(shingles, least[start:stop])
            matches.append(rows + start)
            counts.append(shared)
            start = stop
        return np.concatenate(matches), np.concatenate(counts)

    def _least_shared_with(self, size: int) -> LeastCounts:
        """The least number of shingles that each row must share with a query of that size."""
        least = self._least_shared.get(size)
        if least is None:
            if len(self._least_shared) * len(self.table.sizes) >= _MOST_KEPT:
                self._least_shared.clear()
            least = self._least_shared[size] = self._new_least_shared(size)
        return least

    @cached_property
    def _least_shared(self) -> dict[int, LeastCounts]:
        """What each row must share with a query, by the sizes of earlier queries."""
        return {}

    def _new_least_shared(self, size: int) -> LeastCounts:
        """The least number of shingles that each row must share with a query of that size.

        A row that is not searched, or too small or too large, must share more than all.
        """
        sizes, which = self._distinct_sizes
        part, similarity = self.plan.scorer.part, self.plan.least_of_sets / 100
        smaller = np.minimum(sizes, size) if part.symmetric else size
        share = smaller * self.plan.share
        bound = np.maximum(share, part.least_common(similarity, np.array(float(size)), sizes))
        least = np.full(len(sizes) + 1, size + 1, count_type(size))
        least[:-1] = np.clip(np.ceil(bound - _NEAR), 1, size + 1)
        return LeastCounts(least[which])

    @cached_property
    def _distinct_sizes(self) -> tuple[Rows, Rows]:
        """The distinct sizes of rows, and which of them each row has: none if not searched."""
        sizes, which = np.unique(self.table.sizes, return_inverse=True)
        return sizes, np.where(self.table.wanted, which, len(sizes))

    @cached_property
    def _are_few(self) -> bool:
        return bool(self.table.sizes.sum() <= _MOST_INDEXED)

    @cached_property
    def _is_asked_again(self) -> bool:
        """Whether there was a query before, so that an index of the shingles is worth its time."""
        return False

    @cached_property
    def _posting_lists(self) -> list[PostingLists]:
        return [PostingLists.of(view.shingles) for view in self.table.views]

    def _in_bands(self, shingles: Shingles, bands: Bands) -> tuple[Rows, Rows]:
        """The rows that have a band in common with the query, and the shingles that they share."""
        query = _one_row(shingles)
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
    def _bands(self) -> Bands | None:
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

    def terms(self, documents: Sequence[Document]) -> list[list[str]]:
        """The terms of each document in their order."""
        block = self._encoder.tokens([document.clean for document in documents])
        return [block.terms_of(place) for place in range(len(documents))]


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


def _one_row(shingles: Shingles) -> Ragged:
    return Ragged(shingles, np.array([0, len(shingles)]))


def _equal_keys(known: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The rows with an equal key in any band; `known` as `Derivation.keys` gives them."""
    matches = [np.empty(0, np.uint64)]
    for (ordered, rows), key in zip(known, keys, strict=True):
        begin, end = np.searchsorted(ordered, key, "left"), np.searchsorted(ordered, key, "right")
        matches.append(rows[begin:end])
    return distinct(np.concatenate(matches))
