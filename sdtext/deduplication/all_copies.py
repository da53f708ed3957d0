"""Keep none: every document that has a duplicate is removed, whatever the rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sdtext.deduplication.equal_groups import (
    ConnectingEdges,
    DocumentGroups,
    Edges,
    EqualGroups,
)
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
from sdtext.deduplication.stored_documents import similar_to_stored
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.reading.parallel_run import Run
from sdtext.search.clusters import Cluster, clusters
from sdtext.search.find import links
from sdtext.search.results import Links


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
