"""The documents that links connect, at the minimum of the search and at any higher one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from sdtext.deduplication.equal_groups import (
    ConnectingEdges,
    DocumentGroups,
    Edges,
    EqualGroups,
)
from sdtext.deduplication.order_of_keeping import missing_values, places_by
from sdtext.deduplication.rules_and_removals import RemovedDocument, Rules, refused_in
from sdtext.deduplication.stored_documents import StoredMatches, similar_to_stored
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.model import Problem
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates.buckets import Sides
from sdtext.search.clusters import connected
from sdtext.search.find import links
from sdtext.search.results import Curve, Links

_MOST = 99


@dataclass(frozen=True, eq=False)
class LinkedDocuments:
    """The edges of documents in `groups`, and what is removed for `stored` ones.

    `are_all` tells whether no edge was left out, as if there were too many.
    """

    groups: DocumentGroups
    edges: Edges
    stored: StoredMatches
    how: str = ""
    curve: Curve = ()
    problems: tuple[Problem, ...] = ()
    are_all: bool = True

    def removed_for_stored(self, minimum: int) -> dict[int, RemovedDocument]:
        """The documents that score this much with a stored one, by their numbers."""
        rows = self.stored.removed.items()
        return {number: row for number, row in rows if row.score >= minimum}

    def links(self, minimum: int) -> Links:
        """The links of that score or more between documents that are not removed for stored ones.

        They are those of all documents of a group, not only of the first.
        """
        removed = np.array([*self.removed_for_stored(minimum)], np.int64)
        places = self.groups.places_of(removed)
        edges = self.edges.at_least(minimum)
        edges = edges.taken(~(np.isin(edges.left, places) | np.isin(edges.right, places)))
        members = self.groups.member_links(edges)
        here = ~np.isin(members.left, removed)
        sides = members.left[here], members.right[here]
        return Links(*sides, members.score[here], members.similarity[here])

    def first_of(self, found: Links) -> Sides:
        """The documents that links connect with one before them in the order of keeping.

        Each with the first one that it is connected with, by their numbers.
        """
        sides = np.concatenate([found.left, found.right])
        places, ends = np.unique(self.groups.places_of(sides), return_inverse=True)
        first = connected(len(places), *ends.reshape(2, -1))
        others = np.flatnonzero(first != np.arange(len(places)))
        by_place = self.groups.by_place
        return by_place[places[others]], by_place[places[first[others]]]

    def minimums(self, least: int) -> list[int]:
        """The `least` minimum, and those above at which fewer documents are linked."""
        rows = self.stored.removed.values()
        scores = {*self.edges.score.tolist(), *(row.score for row in rows)}
        return [least, *sorted(score + 1 for score in scores if least <= score < _MOST)]

    @property
    def detached(self) -> LinkedDocuments:
        """The same without the documents, so that it can be kept."""
        return replace(self, groups=self.groups.detached)


def search_links(documents: Workspace, rules: Rules, run: Run) -> LinkedDocuments:
    """The links of documents that score the minimum of the rules.

    If the rules retain them, those of documents that are removed for stored ones are there, too,
    unless there are too many. In a scope, what pairs out of it connect is nothing to these.
    """
    equal = EqualGroups.of(documents, rules) if rules.scope else None
    scope, others = (equal.scope, equal.others) if equal else (None, [])
    stored = similar_to_stored(documents, rules, run, scope, others)

    def pairs_without(removed: Iterable[int]) -> Links:
        return links(documents.collection, rules.question, without=[*others, *removed], run=run)

    pairs = pairs_without(() if rules.retains else stored.removed)
    if rules.retains and stored.removed and len(pairs.incomplete):
        pairs = pairs_without(stored.removed)
    groups, edges = _edges_of(documents, rules, pairs, equal)
    noted = equal.problems if equal else missing_values(documents, rules.order)
    removed = groups.with_all_members(stored.removed)
    partners = groups.with_all_members(stored.partners)
    return LinkedDocuments(
        groups,
        edges,
        replace(stored, removed=removed, partners=partners),
        pairs.how,
        pairs.curve,
        (*noted, *stored.problems, *pairs.problems, *refused_in(documents, pairs)),
        not len(pairs.incomplete),
    )


def _edges_of(
    documents: Workspace, rules: Rules, pairs: Links, equal: EqualGroups | None
) -> tuple[DocumentGroups, Edges]:
    """The groups of documents, and the pairs as edges: without `equal` ones, each is a group."""
    if equal:
        return equal, ConnectingEdges(equal, pairs).edges
    places = places_by(documents, rules.order)
    groups = DocumentGroups(documents.ids, places, places, are_duplicates=True)
    sides = groups.places_of(pairs.left), groups.places_of(pairs.right)
    return groups, Edges(*sides, pairs.score, pairs.similarity)
