"""Rules over clusters of similar documents: keep one of each (`cluster`), or keep none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    ONLY_LINKED,
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
from sdtext.search.clusters import Cluster, clusters
from sdtext.search.find import links
from sdtext.search.results import Links
from sdtext.search.row_comparison import RowComparison
from sdtext.search.search_explanations import refused_pairs
from sdtext.search.search_plan import Question, SearchPlan, plan_search
from sdtext.search.sequence_search import ComparedPairs


def choose_by_cluster(documents: Workspace, rules: Rules, run: Run) -> Choice:
    """The documents to remove: all but one of each cluster of similar ones."""
    stored, pairs = _searched(documents, rules, run)
    places = dict(
        zip(documents.ids.tolist(), places_by(documents, rules.order).tolist(), strict=True)
    )
    groups = [
        _ClusterChoice(cluster, min(cluster.members, key=places.__getitem__))
        for cluster in clusters(pairs)
    ]
    members = (number for group in groups for number in group.cluster.members)
    names = documents.names(sorted({*stored.removed, *members}))
    removed = {
        number: replace(row, document=names[number]) for number, row in stored.removed.items()
    }
    removals = _Removals.of(documents, rules.question, groups, names)
    removed |= removals.removed
    problems = (*stored.problems, *removals.problems(), *removals.chains(len(removed)))
    return Choice(
        dict(sorted(removed.items())),
        tuple(group.row(place, names) for place, group in enumerate(groups, 1)),
        tuple(relevant(problems)),
        pairs.how,
        pairs.curve,
        stored.covered,
        {**stored.partners, **removals.partners},
        refuse_again(ONLY_LINKED) if rules.retains else None,
    )


def _searched(documents: Workspace, rules: Rules, run: Run) -> tuple[StoredMatches, Links]:
    """The documents that are similar to stored ones, and the links of the others."""
    if rules.scope:
        return _searched_in_scope(documents, rules, run)
    stored = similar_to_stored(documents, rules, run)
    pairs = links(documents.collection, rules.question, without=stored.removed, run=run)
    problems = (*missing_values(documents, rules.order), *stored.problems)
    problems = (*problems, *pairs.problems, *refused_in(documents, pairs))
    return replace(stored, problems=problems), pairs


def _searched_in_scope(documents: Workspace, rules: Rules, run: Run) -> tuple[StoredMatches, Links]:
    """The same in a scope; what pairs out of it connect is nothing to these."""
    groups = EqualGroups.of(documents, rules)
    stored = similar_to_stored(documents, rules, run, groups.scope, groups.others)
    without = [*groups.others, *stored.removed]
    pairs = links(documents.collection, rules.question, without=without, run=run)
    problems = (*groups.problems, *stored.problems, *pairs.problems, *refused_in(documents, pairs))
    removed = groups.with_all_members(stored.removed)
    partners = groups.with_all_members(stored.partners)
    members = groups.member_links(ConnectingEdges(groups, pairs).edges)
    here = ~np.isin(members.left, [*removed])
    sides = members.left[here], members.right[here]
    counting = Links(*sides, members.score[here], members.similarity[here])
    counting = counting.described(pairs.problems, pairs.how, pairs.curve)
    return replace(stored, removed=removed, partners=partners, problems=problems), counting


@dataclass(frozen=True)
class _ClusterChoice:
    """A cluster and the document of it that is kept."""

    cluster: Cluster
    kept: int

    def row(self, place: int, names: Mapping[int, str]) -> DuplicateCluster:
        members = tuple(names[number] for number in self.cluster.members)
        # Six digits: a sum of many has errors in its last ones.
        weakest, mean = round(self.cluster.weakest, 6), round(self.cluster.mean, 6)
        return DuplicateCluster(place, len(members), names[self.kept], weakest, mean, members)


@dataclass(frozen=True)
class _Removals:
    """All documents of clusters but those that are kept, each with the one that is kept instead.

    `compared` has the scores of the two of each of the `pairs` of names, linked or not.
    `partners` has the numbers of those kept by those of the removed documents.
    """

    removed: Mapping[int, RemovedDocument]
    pairs: Sequence[tuple[str, str]]
    compared: ComparedPairs
    minimum: int
    partners: Mapping[int, int]

    @classmethod
    def of(
        cls,
        documents: Workspace,
        question: Question,
        groups: Sequence[_ClusterChoice],
        names: Mapping[int, str],
    ) -> _Removals:
        """The removals from clusters; `names` has the names of all their documents."""
        rows = [
            (number, group.kept, place)
            for place, group in enumerate(groups, 1)
            for number in group.cluster.members
            if number != group.kept
        ]
        pairs = [(min(number, kept), max(number, kept)) for number, kept, _ in rows]
        plan = plan_search(documents.collection, question)
        compared = _compared(documents, plan, pairs)
        scores = compared.scores
        scored = zip(rows, scores.score.tolist(), scores.similarity.tolist(), strict=True)
        removed = {
            number: RemovedDocument(names[number], names[kept], score, similarity, place)
            for (number, kept, place), score, similarity in scored
        }
        by_name = [(names[left], names[right]) for left, right in pairs]
        partners = {number: kept for number, kept, _ in rows}
        return cls(removed, by_name, compared, plan.minimum, partners)

    def problems(self) -> Iterator[Problem]:
        """Warnings about pairs that were not compared, since their texts are too long."""
        return refused_pairs(
            self.compared.refused, lambda place: " and ".join(map(shown, self.pairs[place]))
        )

    def chains(self, removed: int) -> Iterator[Problem]:
        """A warning where documents are not similar to the one that is kept."""
        below = sum(row.score < self.minimum for row in self.removed.values())
        far = below - (len(self.compared.refused) if below else 0)
        if far:
            yield Problem(
                "warning",
                "chain",
                f"{far:,} of {counted(removed, 'removed document')} "
                f"{'scores' if far == 1 else 'score'} below {self.minimum} with the document kept "
                "instead; the removed rows list them (they are linked through other documents)",
            )


def _compared(
    documents: Workspace, plan: SearchPlan, pairs: Sequence[tuple[int, int]]
) -> ComparedPairs:
    """The scores of the two documents of each pair."""
    comparison = RowComparison.of(documents.collection, plan)
    left, right = (
        comparison.rows(np.array([pair[side] for pair in pairs], np.int64)) for side in (0, 1)
    )
    return comparison.scores(left, right)


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
        return [
            DuplicateCluster(
                place,
                len(group.members),
                "",
                round(group.weakest, 6),
                round(group.mean, 6),
                tuple(names[number] for number in group.members),
            )
            for place, group in enumerate(self.groups, 1)
        ]
