"""Groups of equal documents, and the edges between them: what the rules choose from.

Equal documents are compared once. They have the same edges to all others, and share their fate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext.deduplication.order_of_keeping import missing_values, places_by
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.stored_documents import Scope
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.model import Problem
from sdtext.search.candidates.buckets import Rows, split
from sdtext.search.candidates.lsh import MOST_WORK, part_sizes
from sdtext.search.clusters import connected
from sdtext.search.results import Links
from sdtext.search.row_comparison import RowComparison
from sdtext.search.scoring import Scores
from sdtext.search.search_plan import plan_search

Value = TypeVar("Value")
Marks = NDArray[np.bool_]
EQUAL = 99, 1.0
"""The score and the similarity of equal documents."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Pairs of similar documents, given by their places in the order of keeping, as columns."""

    left: Rows
    right: Rows
    score: Rows
    similarity: NDArray[np.float64]

    def taken(self, places: Rows | Marks) -> Edges:
        """Those at `places`, which are numbers or marks."""
        sides = self.left[places], self.right[places]
        return Edges(*sides, self.score[places], self.similarity[places])

    @property
    def turned(self) -> Edges:
        """The same with left and right in each other's place."""
        return Edges(self.right, self.left, self.score, self.similarity)

    def at_least(self, minimum: int) -> Edges:
        """Those of that score or more."""
        return self.taken(self.score >= minimum)

    def joined_with(self, others: Sequence[Edges]) -> Edges:
        """These and the others."""
        edges = [self, *others]
        return Edges(
            np.concatenate([some.left for some in edges]),
            np.concatenate([some.right for some in edges]),
            np.concatenate([some.score for some in edges]),
            np.concatenate([some.similarity for some in edges]),
        )


@dataclass(frozen=True, eq=False)
class DocumentGroups:
    """Groups of equal documents, with their places in the order of keeping.

    All columns have an entry for each of the `ids`: its place, and that of the group's first.
    `are_duplicates` tells whether documents of a group are duplicates of one another.
    """

    ids: Rows
    places: Rows
    first: Rows
    are_duplicates: bool

    @property
    def detached(self) -> DocumentGroups:
        """The same groups without the documents."""
        return DocumentGroups(self.ids, self.places, self.first, self.are_duplicates)

    @cached_property
    def by_place(self) -> Rows:
        """The number of the document at each place."""
        return np.asarray(self.ids[np.argsort(self.places)])

    def places_of(self, ids: Rows) -> Rows:
        """The places of documents, by their numbers."""
        return np.asarray(self.places[np.searchsorted(self.ids, ids)])

    def linked_by(self, edges: Edges) -> list[int]:
        """The numbers of all documents with edges, or with others in their groups."""
        counts = np.bincount(self.first, minlength=len(self.ids))
        counts[np.concatenate([edges.left, edges.right])] += 2
        numbers: list[int] = self.ids[counts[self.first] > 1].tolist()
        return numbers

    def with_all_members(self, removed: Mapping[int, Value]) -> dict[int, Value]:
        """The same for all documents that are equal to these."""
        numbers = list(removed)
        firsts = self.places_of(np.array(numbers, np.int64))
        rows = dict(zip(firsts.tolist(), numbers, strict=True))
        here = np.isin(self.first, firsts)
        pairs = zip(self.ids[here].tolist(), self.first[here].tolist(), strict=True)
        return {number: removed[rows[first]] for number, first in pairs}

    def member_links(self, edges: Edges) -> Links:
        """The links of all documents of the groups that these edges connect, by their numbers.

        A document that is not the first of its group has one link: to the first, or if documents of
        a group are no duplicates, the most similar one of the first.
        """
        others = np.flatnonzero(self.first != self.places)
        places, firsts = self.places[others], self.first[others]
        if self.are_duplicates:
            more = Edges(firsts, places, *(np.full(len(others), equal) for equal in EQUAL))
        else:
            both = edges.joined_with([edges.turned])
            both = both.taken(np.lexsort((both.right, -both.similarity, both.left)))
            ids, best = np.unique(both.left, return_index=True)
            known = np.isin(firsts, ids)
            more = both.taken(best[np.searchsorted(ids, firsts[known])])
            more = Edges(places[known], more.right, more.score, more.similarity)
        joined = edges.joined_with([more])
        sides = self.by_place[joined.left], self.by_place[joined.right]
        return Links.of(sides, Scores(joined.score, joined.similarity), ordered=True)


@dataclass(frozen=True, eq=False)
class EqualGroups(DocumentGroups):
    """Groups of documents that are equal by what the `comparison` compares.

    With a `scope`, documents of a group also have the same value; across values, they are no
    duplicates of one another.
    """

    comparison: RowComparison
    scope: Scope | None = None
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, documents: Workspace, rules: Rules) -> EqualGroups:
        """The groups of the documents by the recipe."""
        plan = plan_search(documents.collection, rules.question)
        comparison = RowComparison.of(documents.collection, plan)
        ids, places = documents.ids, places_by(documents, rules.order)
        if rules.is_contained:
            places = _largest_first(comparison, ids, places)
        group = comparison.first_equals()[comparison.rows(ids)]
        scope = Scope.of(documents, rules.pairs_in)
        if scope:
            number = len(scope.numbers) + len(ids)
            alone = np.where(scope.codes < 0, len(scope.numbers) + np.arange(len(ids)), scope.codes)
            group = np.unique(group * number + alone, return_inverse=True)[1]
        least = np.full(max(len(comparison.table.ids), len(ids)), len(ids))
        np.minimum.at(least, group, places)
        problems = (*missing_values(documents, rules.order), *(scope.problems() if scope else ()))
        are_duplicates = scope is None or scope.is_within
        return cls(ids, places, least[group], are_duplicates, comparison, scope, problems)

    @cached_property
    def others(self) -> list[int]:
        """The numbers of all documents but the first of each group, and those out of scope."""
        out = self.scope.codes < 0 if self.scope else np.zeros(len(self.ids), bool)
        others: list[int] = self.ids[(self.first != self.places) | out].tolist()
        return others

    def edges_of(self, pairs: Links) -> Edges:
        """The links as edges, whether or not they count.

        Of a matcher that is not symmetric, only those of a later document in an earlier one, which
        has as many shingles or more. If the earlier one is in the later, this is in that, too.
        """
        sides = self.places_of(pairs.left), self.places_of(pairs.right)
        edges = Edges(*sides, pairs.score, pairs.similarity)
        return edges if self.comparison.plan.symmetric else edges.taken(sides[0] > sides[1])

    def counting(self, edges: Edges) -> Edges:
        """The edges that count in the scope."""
        if self.scope is None:
            return edges
        left, right = self._codes_by_place[edges.left], self._codes_by_place[edges.right]
        return edges.taken(self.scope.allows(left, right))

    @cached_property
    def _codes_by_place(self) -> Rows:
        codes = np.empty(len(self.ids), np.int64)
        if self.scope:
            codes[self.places] = self.scope.codes
        return codes


def _largest_first(comparison: RowComparison, ids: Rows, places: Rows) -> Rows:
    """The places in the order of the numbers of shingles, then in that of `places`."""
    sizes = comparison.table.sizes[comparison.rows(ids)]
    ordered = np.empty_like(places)
    ordered[np.lexsort((places, -sizes))] = np.arange(len(places))
    return ordered


@dataclass(eq=False)
class IncompletePlaces:
    """Documents of which pairs were left out; `split` is how many components are too large.

    These are compared in parts.
    """

    groups: EqualGroups
    places: Rows
    split: int = 0

    @classmethod
    def of(
        cls, groups: EqualGroups, pairs: Links, without: Collection[int] = ()
    ) -> IncompletePlaces:
        """Those of a search, without documents that are removed anyway."""
        incomplete = pairs.incomplete
        if without:
            incomplete = incomplete[~np.isin(incomplete, [*without])]
        return cls(groups, groups.places_of(incomplete))

    def edges_of(self, places: Rows) -> Iterator[tuple[int, Callable[[], Edges]]]:
        """Each of the places, with a function for its edges to later ones."""
        comparison = self.groups.comparison
        rows = comparison.rows(self.groups.by_place[places])
        (most,) = part_sizes(comparison.table, [rows], MOST_WORK)
        self.split += len(rows) > most
        for part in split(np.arange(len(rows)), most):
            for place, find in comparison.all_scores(rows[part]):
                yield int(places[part[place]]), partial(self._edges, places[part], place, find)

    def _edges(self, places: Rows, place: int, find: Callable[[], tuple[Rows, Scores]]) -> Edges:
        others, scores = find()
        left = np.full(len(others), places[place])
        return self.groups.counting(Edges(left, places[others], scores.score, scores.similarity))


@dataclass(eq=False)
class ConnectingEdges:
    """The edges that count, with as many of those that were left out as connect more documents."""

    groups: EqualGroups
    pairs: Links
    incomplete: IncompletePlaces = field(init=False)

    def __post_init__(self) -> None:
        self.incomplete = IncompletePlaces.of(self.groups, self.pairs)

    @cached_property
    def edges(self) -> Edges:
        """Those edges. Where all pairs count, none that connects more was left out."""
        edges = self.groups.edges_of(self.pairs)
        known, missing = self.groups.counting(edges), self.incomplete.places
        if self.groups.scope is None or not len(missing):
            return known
        labels = connected(len(self.groups.ids), edges.left, edges.right)
        missing = missing[np.argsort(labels[missing], kind="stable")]
        borders = np.flatnonzero(np.diff(labels[missing])) + 1
        further = [self._connecting(np.sort(some)) for some in np.split(missing, borders)]
        return known.joined_with([edges for some in further for edges in some])

    def _connecting(self, places: Rows) -> list[Edges]:
        """Edges among these places that connect all that any edges do."""
        labels = np.arange(len(places))
        kept = []
        for place, find in self.incomplete.edges_of(places):
            edges = find()
            here, others = (np.searchsorted(places, side) for side in (place, edges.right))
            apart, first = np.unique(labels[others], return_index=True)
            is_new = apart != labels[here]
            kept.append(edges.taken(first[is_new]))
            labels[np.isin(labels, apart[is_new])] = labels[here]
        return kept
