"""Rules over clusters of similar documents: keep one of each (`cluster`), or keep none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sdtext.deduplication.equal_groups import (
    ConnectingEdges,
    DocumentGroups,
    Edges,
    EqualGroups,
)
from sdtext.deduplication.order_of_keeping import missing_values, places_by
from sdtext.deduplication.rules_and_removals import (
    TOO_MANY_PAIRS,
    Choice,
    DuplicateCluster,
    RemovedDocument,
    Rules,
    refuse_again,
    refused_in,
    relevant,
)
from sdtext.deduplication.stored_documents import StoredMatches, similar_to_stored
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import counted, shown
from sdtext.model import Problem
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates.buckets import Rows, Sides
from sdtext.search.clusters import Cluster, clusters, connected
from sdtext.search.find import links
from sdtext.search.results import Curve, Links
from sdtext.search.row_comparison import RowComparison
from sdtext.search.search_explanations import refused_pairs
from sdtext.search.search_plan import SearchPlan, plan_search
from sdtext.search.sequence_search import ComparedPairs

_MOST = 99


def choose_by_cluster(documents: Workspace, rules: Rules, run: Run) -> Choice:
    """The documents to remove: all but one of each cluster of similar ones."""
    linked = _search_links(documents, rules, run)
    plan = plan_search(documents.collection, rules.question)
    is_known = rules.retains and linked.are_all
    minimums = linked.minimums(plan.minimum) if is_known else [plan.minimum]
    firsts = [linked.first_of(linked.links(minimum)) for minimum in minimums]
    numbers, kept = (np.concatenate(side) for side in zip(*firsts, strict=True))
    stored = np.array([*linked.stored.removed], np.int64)
    names = documents.names(np.unique(np.concatenate([numbers, kept, stored])).tolist())
    compared = _KeptScores.of(documents, plan, numbers, kept)
    choice = _choose(linked, compared, names, plan.minimum)
    again = refuse_again(TOO_MANY_PAIRS)
    if is_known:
        again = partial(_choose, linked.detached, compared, names)
    return replace(
        choice,
        problems=tuple(relevant((*linked.problems, *choice.problems))),
        how=linked.how,
        curve=linked.curve,
        covered=linked.stored.covered,
        again=again if rules.retains else None,
    )


@dataclass(frozen=True, eq=False)
class _KeptScores:
    """The scores of documents with those that are kept instead, linked or not.

    `codes` has a number for each pair, in ascending order.
    """

    codes: Rows
    pairs: Sequence[tuple[int, int]]
    compared: ComparedPairs

    @classmethod
    def of(cls, documents: Workspace, plan: SearchPlan, numbers: Rows, kept: Rows) -> _KeptScores:
        """The scores of these documents, each with the one kept instead."""
        codes, first = np.unique(_codes(numbers, kept), return_index=True)
        left, right = np.minimum(numbers, kept)[first], np.maximum(numbers, kept)[first]
        comparison = RowComparison.of(documents.collection, plan)
        compared = comparison.scores(comparison.rows(left), comparison.rows(right))
        return cls(codes, [*zip(left.tolist(), right.tolist(), strict=True)], compared)

    def between(self, numbers: Rows, kept: Rows) -> ComparedPairs:
        """The scores of these documents, each with the one kept instead."""
        places = np.searchsorted(self.codes, _codes(numbers, kept))
        here = {*places.tolist()} & {*self.compared.refused}
        refused = {place: self.compared.refused[place] for place in sorted(here)}
        return ComparedPairs(self.compared.scores.taken(places), refused)

    def names_of(self, place: int, names: Mapping[int, str]) -> str:
        """The names of the documents of a pair that was refused."""
        return " and ".join(shown(names[number]) for number in self.pairs[place])


def _codes(numbers: Rows, kept: Rows) -> Rows:
    return numbers << 32 | kept


def _choose(
    linked: _LinkedDocuments, compared: _KeptScores, names: Mapping[int, str], minimum: int
) -> Choice:
    """The choice at a minimum, with the warnings about pairs of removed and kept documents."""
    found = linked.links(minimum)
    numbers, kept = linked.first_of(found)
    partners = dict(zip(numbers.tolist(), kept.tolist(), strict=True))
    pairs = compared.between(numbers, kept)
    scores, similarities = pairs.scores.score.tolist(), pairs.scores.similarity.tolist()
    places = {number: place for place, number in enumerate(partners)}
    removed = {
        number: replace(row, document=names[number])
        for number, row in linked.removed_for_stored(minimum).items()
    }
    rows = []
    for cluster_number, cluster in enumerate(clusters(found), 1):
        first = partners.get(cluster.members[0], cluster.members[0])
        rows.append(_row(cluster_number, cluster, names, names[first]))
        for number in cluster.members:
            if number != first:
                place = places[number]
                removed[number] = RemovedDocument(
                    names[number], names[first], scores[place], similarities[place], cluster_number
                )
    problems = (
        *refused_pairs(pairs.refused, lambda place: compared.names_of(place, names)),
        *_chains(sum(score < minimum for score in scores), pairs, len(removed), minimum),
    )
    return Choice(
        dict(sorted(removed.items())),
        tuple(rows),
        problems,
        partners={**linked.stored.partners, **partners},
    )


def _row(place: int, cluster: Cluster, names: Mapping[int, str], kept: str) -> DuplicateCluster:
    members = tuple(names[number] for number in cluster.members)
    # Six digits: a sum of many has errors in its last ones.
    weakest, mean = round(cluster.weakest, 6), round(cluster.mean, 6)
    return DuplicateCluster(place, len(members), kept, weakest, mean, members)


def _chains(below: int, pairs: ComparedPairs, removed: int, minimum: int) -> Iterator[Problem]:
    """A warning where documents are not similar to the one that is kept."""
    far = below - (len(pairs.refused) if below else 0)
    if far:
        yield Problem(
            "warning",
            "chain",
            f"{far:,} of {counted(removed, 'removed document')} "
            f"{'scores' if far == 1 else 'score'} below {minimum} with the document kept "
            "instead; the removed rows list them (they are linked through other documents)",
        )


@dataclass(frozen=True, eq=False)
class _LinkedDocuments:
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
    def detached(self) -> _LinkedDocuments:
        """The same without the documents, so that it can be kept."""
        return replace(self, groups=self.groups.detached)


def _search_links(documents: Workspace, rules: Rules, run: Run) -> _LinkedDocuments:
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
    return _LinkedDocuments(
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


def choose_none(documents: Workspace, rules: Rules, run: Run) -> Choice:
    """The documents to remove: all that have a duplicate, here or in the collection `against`."""
    groups = EqualGroups.of(documents, rules)
    matches = similar_to_stored(documents, rules, run, groups.scope, groups.others)
    pairs = links(documents.collection, rules.question, without=groups.others, run=run)
    edges = ConnectingEdges(groups, pairs).edges
    copies = _ClusteredCopies.of(groups.member_links(edges))
    stored = groups.with_all_members(matches.removed)
    partners = groups.with_all_members(matches.partners)
    names = documents.names(sorted({*stored, *copies.partners}))
    again = refuse_again(TOO_MANY_PAIRS)
    if not len(pairs.incomplete):
        again = partial(_choose_again, groups.detached, edges, names, (stored, partners))
    problems = (*groups.problems, *matches.problems, *pairs.problems, *refused_in(documents, pairs))
    return replace(
        copies.choice(names, stored, partners),
        problems=tuple(relevant(problems)),
        how=pairs.how,
        curve=pairs.curve,
        covered=matches.covered,
        again=again if rules.retains else None,
    )


def _choose_again(
    groups: DocumentGroups,
    edges: Edges,
    names: Mapping[int, str],
    stored: tuple[Mapping[int, RemovedDocument], Mapping[int, int]],
    minimum: int,
) -> Choice:
    copies = _ClusteredCopies.of(groups.member_links(edges.at_least(minimum)))
    removed = {number: row for number, row in stored[0].items() if row.score >= minimum}
    return copies.choice(names, removed, stored[1])


@dataclass(frozen=True)
class _ClusteredCopies:
    """The clusters of duplicates; for each document of one its most similar duplicate.

    That is its number, with their score and similarity.
    """

    groups: list[Cluster]
    partners: Mapping[int, tuple[int, int, float]]

    @classmethod
    def of(cls, pairs: Links) -> _ClusteredCopies:
        """Those of links; of equally similar duplicates the first."""
        sides = np.concatenate([pairs.left, pairs.right]), np.concatenate([pairs.right, pairs.left])
        score, similarity = np.tile(pairs.score, 2), np.tile(pairs.similarity, 2)
        order = np.lexsort((sides[1], -similarity, sides[0]))
        ids, first = np.unique(sides[0][order], return_index=True)
        best = order[first]
        columns = (column[best].tolist() for column in (sides[1], score, similarity))
        return cls(
            clusters(pairs), dict(zip(ids.tolist(), zip(*columns, strict=True), strict=True))
        )

    def choice(
        self,
        names: Mapping[int, str],
        stored: Mapping[int, RemovedDocument],
        partners: Mapping[int, int],
    ) -> Choice:
        """The choice with those that are similar to `stored` ones, the `partners`."""
        removed = self.removals(names) | {
            number: replace(row, document=names[number], duplicate=row.kept)
            for number, row in stored.items()
        }
        others = {number: row[0] for number, row in self.partners.items()}
        return Choice(
            dict(sorted(removed.items())), tuple(self.rows(names)), partners={**others, **partners}
        )

    def removals(self, names: Mapping[int, str]) -> dict[int, RemovedDocument]:
        """The documents, each with its duplicate; none is kept."""
        return {
            number: RemovedDocument(names[number], "", score, similarity, place, names[other])
            for place, group in enumerate(self.groups, 1)
            for number in group.members
            for other, score, similarity in (self.partners[number],)
        }

    def rows(self, names: Mapping[int, str]) -> list[DuplicateCluster]:
        """The clusters, in the order of their first members."""
        return [_row(place, group, names, "") for place, group in enumerate(self.groups, 1)]
