"""The rules: which of linked documents are kept, and which are removed for which.

By `direct` and `contained` a document is removed only for one that is kept. The choice is greedy:
in the order of keeping, a document is kept unless it reaches the minimum with one that is kept
before it. Of these, the most similar one is named; of equally similar ones, the first. By
`contained`, the order of keeping is that of the numbers of shingles, and a document reaches the
minimum by the share of its shingles that the kept one has. By `cluster` one of each connected
component is kept, and with the order `none` no document that has a duplicate is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sdtext.deduplication.linked_documents import (
    EQUAL,
    LinkedDocuments,
    MissingEdges,
    Removal,
    joined,
    most_similar,
    removals_of,
    touching_none,
    turned,
)
from sdtext.kernels.arrays.connected_components import connected
from sdtext.search.candidates.buckets import Rows
from sdtext.search.results import Links


@dataclass(frozen=True)
class Choice:
    """The removals in the order of the inputs, and the clusters, which are numbered from 1.

    Each cluster has the number of the kept document, -1 if none is.

    `refused` has the pairs of removed and kept documents that were not compared, with the reason.
    """

    removals: Sequence[Removal]
    clusters: Sequence[tuple[Cluster, int]]
    refused: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def numbers(self) -> set[int]:
        """The numbers of all documents of the choice, without stored ones."""
        members = {number for cluster, _ in self.clusters for number in cluster.members}
        return members | {row.number for row in self.removals}

    def cluster_of(self) -> dict[int, int]:
        """The numbers of the clusters of documents; 0 for one that is similar to a stored one."""
        clusters = {
            number: place
            for place, (cluster, _) in enumerate(self.clusters, 1)
            for number in cluster.members
        }
        return clusters | {row.number: row.cluster for row in self.removals}


def choose(linked: LinkedDocuments) -> Choice:
    """The choice of the rule."""
    by_rule = {"none": _choose_none, "cluster": _choose_by_cluster}
    return by_rule.get(linked.rule, _choose_directly)(linked)


def greedy_choice(
    number: int, edges: Links, missing: MissingEdges | None = None, connections: Links | None = None
) -> tuple[NDArray[np.bool_], Links]:
    """Which documents are kept of so many, by the edges between them, and an edge for each other.

    `connections` are edges that connect all documents between which edges may be `missing`; the
    default is the edges themselves. For each document that is not kept there is the edge from the
    kept one (left) that is named: the most similar one before it; of equally similar ones, the
    first.

    >>> from numpy import array
    >>> chain = Links(array([0, 1]), array([1, 2]), array([80, 90]), array([0.8, 0.9]))
    >>> kept, named = greedy_choice(3, chain)
    >>> kept.tolist(), named.left.tolist()
    ([True, False, True], [0])
    """
    sides = np.minimum(edges.left, edges.right), np.maximum(edges.left, edges.right)
    order = np.argsort(sides[0], kind="stable")
    ordered = Links(*sides, edges.score, edges.similarity).take(order)  # from earlier to later ones
    numbers = np.arange(number)
    begins = np.searchsorted(ordered.left, numbers)
    ends = np.searchsorted(ordered.left, numbers, "right")
    kept = np.ones(number, bool)

    def decide(places: Rows) -> None:
        """Remove what is linked to the kept ones of some places, in their order."""
        for place in places.tolist():
            if kept[place]:
                kept[ordered.right[begins[place] : ends[place]]] = False

    if missing is None:
        decide(np.flatnonzero(begins < ends))
        return kept, _named(ordered, kept)
    connections = connections or edges
    labels = connected(number, connections.left, connections.right)
    is_partial = np.zeros(number, bool)
    is_partial[labels[missing.places]] = True
    decide(np.flatnonzero((begins < ends) & ~is_partial[labels]))
    asked = np.zeros(number, bool)
    asked[missing.places] = True
    partial = np.flatnonzero(is_partial[labels])
    partial = partial[np.argsort(labels[partial], kind="stable")]
    borders = np.flatnonzero(np.diff(labels[partial])) + 1
    further = [ordered]
    for members in np.split(partial, borders) if len(partial) else ():
        decided = 0
        for place, find in missing.edges_of(members[asked[members]]):
            end = int(np.searchsorted(members, place, "right"))
            decide(members[decided:end])
            decided = max(decided, end)
            if kept[place]:
                further.append(find())
                kept[further[-1].right] = False
        decide(members[decided:])
    return kept, _named(joined(further), kept)


def _named(edges: Links, kept: NDArray[np.bool_]) -> Links:
    """Of the edges from kept documents the most similar one of each other."""
    return turned(most_similar(turned(edges.take(kept[edges.left]))))


def _choose_directly(linked: LinkedDocuments) -> Choice:
    groups, stored = linked.groups, linked.stored
    number = len(groups.ids)
    of_stored = groups.places_of(np.array([*stored], np.int64))
    edges = touching_none(linked.edges, of_stored)
    kept_places, best = greedy_choice(number, edges, linked.missing, linked.connections)
    named = np.arange(number)
    score, similarity = (np.full(number, equal) for equal in EQUAL)
    named[best.right], score[best.right] = best.left, best.score
    similarity[best.right] = best.similarity
    gone = ~kept_places[groups.first]
    if groups.are_duplicates:
        gone |= groups.first != groups.places
    gone &= ~np.isin(groups.ids, list(stored))
    first = groups.first[gone]
    kept_of = groups.by_place[named[first]]
    removals: dict[int, list[Removal]] = {}
    for row in removals_of(Links(groups.ids[gone], kept_of, score[first], similarity[first])):
        removals.setdefault(row.other, []).append(row)
    # Clusters are in the order of their first members in the inputs.
    members = {kept: sorted((kept, *(r.number for r in rows))) for kept, rows in removals.items()}
    chosen, all_removed = [], dict(stored)
    for place, kept in enumerate(sorted(members, key=lambda kept: members[kept][0]), 1):
        similarities = [row.similarity for row in removals[kept]]
        mean = sum(similarities) / len(similarities)
        cluster = Cluster((*members[kept],), min(similarities), mean, len(similarities))
        chosen.append((cluster, kept))
        all_removed |= {row.number: row._replace(cluster=place) for row in removals[kept]}
    return Choice([row for _, row in sorted(all_removed.items())], chosen)


def _choose_by_cluster(linked: LinkedDocuments) -> Choice:
    """Of each connected component the first is kept; the others have their scores with it."""
    groups, comparison = linked.groups, linked.comparison
    gone = np.array([*linked.stored], np.int64)
    members = groups.member_links(touching_none(linked.edges, groups.places_of(gone)))
    pairs = members.take(~np.isin(members.left, gone))
    sides = np.concatenate([pairs.left, pairs.right])
    places, ends = np.unique(groups.places_of(sides), return_inverse=True)
    firsts = connected(len(places), *ends.reshape(2, -1))
    others = np.flatnonzero(firsts != np.arange(len(places)))
    numbers, kept = groups.by_place[places[others]], groups.by_place[places[firsts[others]]]
    left, right = np.minimum(numbers, kept), np.maximum(numbers, kept)
    scores = comparison.scores(comparison.rows(left), comparison.rows(right))
    refused = {(int(left[row]), int(right[row])): why for row, why in scores.refused.items()}
    rows = removals_of(Links(numbers, kept, scores.score, scores.similarity))
    removals = {row.number: row for row in rows}
    chosen, all_removed = [], dict(linked.stored)
    for place, cluster in enumerate(clusters(pairs), 1):
        least = cluster.members[0]
        first = removals[least].other if least in removals else least
        chosen.append((cluster, first))
        for number in cluster.members:
            if number != first:
                all_removed[number] = removals[number]._replace(cluster=place)
    return Choice(
        [row for _, row in sorted(all_removed.items())], chosen, dict(sorted(refused.items()))
    )


def _choose_none(linked: LinkedDocuments) -> Choice:
    """All that have a duplicate are removed; each is named with its most similar duplicate."""
    pairs = linked.groups.member_links(linked.edges)
    rows = removals_of(most_similar(joined([pairs, turned(pairs)])))
    partners = {row.number: row for row in rows}
    chosen = [(cluster, -1) for cluster in clusters(pairs)]
    removed = {
        number: partners[number]._replace(cluster=place)
        for place, (cluster, _) in enumerate(chosen, 1)
        for number in cluster.members
    }
    removed |= linked.stored
    return Choice([row for _, row in sorted(removed.items())], chosen)


@dataclass(frozen=True)
class Cluster:
    """The documents of a connected component, by their numbers in order.

    It has so many `links`; `weakest` and `mean` are of their similarities.
    """

    members: tuple[int, ...]
    weakest: float
    mean: float
    links: int


def clusters(pairs: Links) -> list[Cluster]:
    """The clusters of linked documents, in the order of their first members.

    >>> from numpy import array
    >>> from sdtext.search.results import Links
    >>> score = array([90, 80])
    >>> both = clusters(Links(array([3, 3]), array([9, 5]), score, score / 100))
    >>> both[0].members, both[0].weakest, round(both[0].mean, 2), both[0].links
    ((3, 5, 9), 0.8, 0.85, 2)
    """
    ids, places = np.unique(np.concatenate([pairs.left, pairs.right]), return_inverse=True)
    left, right = places[: len(pairs)], places[len(pairs) :]
    labels = connected(len(ids), left, right)
    number = np.cumsum(labels == np.arange(len(ids))) - 1
    groups, owners = number[labels], number[labels[left]]
    total = int(number[-1]) + 1 if len(ids) else 0
    weakest = np.ones(total)
    np.minimum.at(weakest, owners, pairs.similarity)
    counts = np.bincount(owners, minlength=total)
    means = np.bincount(owners, pairs.similarity, minlength=total) / np.maximum(counts, 1)
    ordered = iter(ids[np.argsort(groups, kind="stable")].tolist())
    lengths = np.bincount(groups, minlength=total).tolist()
    members = [tuple(islice(ordered, length)) for length in lengths]
    columns = (members, weakest.tolist(), means.tolist(), counts.tolist())
    return [Cluster(*row) for row in zip(*columns, strict=True)]
