"""Comparison of chosen rows of a table: by shingles, by their weights, or as token sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.search.candidates.buckets import Rows
from sdtext.search.candidates.identical_set_groups import duplicates_in
from sdtext.search.candidates.intersections import AllIntersections
from sdtext.search.scoring import Scores
from sdtext.search.search_plan import SearchPlan
from sdtext.search.searchable import Searchable, Table, segment_views
from sdtext.search.sequence_search import ComparedPairs, Sequences
from sdtext.search.weighted_search import WeightedSets

_NEAR = 1e-6  # in points of the score


@dataclass(frozen=True, eq=False)
class RowComparison:
    """Answers about some rows of a table, without a search for pairs."""

    table: Table
    plan: SearchPlan

    @classmethod
    def of(cls, searched: Searchable, plan: SearchPlan) -> RowComparison:
        """The comparison of the documents of a collection."""
        return cls(Table(segment_views(searched, plan.derivation), plan.derivation), plan)

    def rows(self, ids: Sequence[int] | Rows) -> Rows:
        """The rows of documents, by their numbers."""
        places = np.searchsorted(self.table.ids, ids, sorter=self._by_id)
        return np.asarray(self._by_id[places])

    def scores(self, left: Rows, right: Rows, minimum: int = 0) -> ComparedPairs:
        """The scores of pairs of rows; a score below `minimum` may be any other below it."""
        if self._verification:
            return self._verification.pairs(left, right, minimum)
        return ComparedPairs(self._scores_of_sets(left, right), {})

    def first_equals(self) -> Rows:
        """For each row the first one that is equal to it: itself where there is none before it."""
        first = duplicates_in(self.table).first
        if not self._sequences:
            return first
        seen: dict[tuple[int, str], int] = {}
        exact = np.arange(len(first))
        for row in np.flatnonzero(np.bincount(first, minlength=len(first))[first] > 1).tolist():
            text = "\n".join(self._sequences.terms(row))  # no term has a line end
            exact[row] = seen.setdefault((int(first[row]), text), row)
        return exact

    def all_scores(self, rows: Rows) -> Iterator[tuple[int, Callable[[], tuple[Rows, Scores]]]]:
        """Each of the rows, by its place there, with a function that compares it with those behind.

        It gives the places of those that reach the plan's minimum, with their scores. A matcher
        that is not symmetric is given the row behind first.
        """
        order = np.argsort(rows)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        sets = self.table.shingles(rows[order]).taken(back)
        for start, shared in AllIntersections(sets).blocks():
            for place, counts in enumerate(shared, start):
                yield place, partial(self._behind, rows, place, counts[place - start + 1 :])

    def _behind(self, rows: Rows, place: int, common: NDArray[Any]) -> tuple[Rows, Scores]:
        sizes, others = self.table.sizes, rows[place + 1 :]
        similarity = self.plan.scorer.similarity(common, sizes[others], sizes[rows[place]])
        near = np.flatnonzero(100 * similarity >= self.plan.least_of_sets - _NEAR)
        common, others = common[near].astype(np.int64), others[near]
        same = np.full(len(others), rows[place])
        scores = self.plan.scorer(common, sizes[others], sizes[same])
        least = self.plan.least_of_sets
        if self._verification:
            kept = scores.score >= least
            near, others, same = near[kept], others[kept], same[kept]
            scores = self._verification.pairs(same, others, self.plan.minimum).scores
            least = self.plan.minimum
        kept = scores.score >= least
        return near[kept] + place + 1, scores.taken(kept)

    def _scores_of_sets(self, left: Rows, right: Rows) -> Scores:
        sizes = self.table.sizes
        return self.plan.scorer(self.table.common(left, right), sizes[left], sizes[right])

    @property
    def _verification(self) -> Sequences | WeightedSets | None:
        """What scores the pairs that shingles select, where these do not score themselves."""
        return self._sequences or self._weights

    @cached_property
    def _weights(self) -> WeightedSets | None:
        weighs = self.plan.compares == "weights"
        return WeightedSets(self.plan.part, self.table) if weighs else None

    @cached_property
    def _sequences(self) -> Sequences | None:
        is_text = self.plan.compares == "sequences"
        return Sequences(self.plan.part, self.table) if is_text else None

    @cached_property
    def _by_id(self) -> Rows:
        return np.argsort(self.table.ids)
