"""The links between documents, and the rules: which of them are kept, which removed for which.

Equal documents are compared once. They have the same edges to all others, and share their fate.

By `direct` and `contained` a document is removed only for one that is kept. The choice is greedy:
in the order of keeping, a document is kept unless it reaches the minimum with one that is kept
before it. Of these, the most similar one is named; of equally similar ones, the first. By
`contained`, the order of keeping is that of the numbers of shingles, and a document reaches the
minimum by the share of its shingles that the kept one has. By `cluster` one of each connected
component is kept, and with the order `none` no document that has a duplicate is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.order_and_scope import Scope, missing_values, places_by
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.kernels.arrays.connected_components import connected, linked
from sdtext.model import Problem
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates.buckets import Rows, split
from sdtext.search.candidates.lsh import MOST_WORK, part_sizes
from sdtext.search.find import comparison_of, links
from sdtext.search.results import Curve, Links, Oversized
from sdtext.search.scoring import Scores
from sdtext.search.search_explanations import oversized_problems, refused_pairs
from sdtext.search.search_plan import plan_search
from sdtext.search.searchable import documents_of
from sdtext.search.set_search import BySets
from sdtext.wording import counted, shown

_EQUAL = 99, 1.0
"""The score and the similarity of equal documents."""


def turned(pairs: Links) -> Links:
    """The same pairs with their sides changed."""
    return Links(pairs.right, pairs.left, pairs.score, pairs.similarity)


def most_similar(pairs: Links) -> Links:
    """For each document on the left its most similar pair, of equally similar ones the first."""
    order = np.lexsort((pairs.right, -pairs.similarity, pairs.left))
    _, first = np.unique(pairs.left[order], return_index=True)
    return pairs.take(order[first])


def touching_none(pairs: Links, documents: Rows) -> Links:
    """The pairs that have none of these documents."""
    touches = np.isin(pairs.left, documents) | np.isin(pairs.right, documents)
    return pairs.take(~touches) if touches.any() else pairs


class Removal(NamedTuple):
    """A removed document and the other one, by their numbers, and the number of their cluster.

    The cluster is 0 where the other document is a stored one.
    """

    number: int
    other: int
    score: int
    similarity: float
    cluster: int = 0


def removals_of(pairs: Links) -> list[Removal]:
    """The documents on the left as removed ones."""
    columns = (pairs.left, pairs.right, pairs.score, pairs.similarity)
    return [Removal(*row) for row in zip(*(each.tolist() for each in columns), strict=True)]


@dataclass(frozen=True, eq=False)
class EqualDocuments:
    """Groups of equal documents, with their places in the order of keeping.

    All columns have an entry for each of the `ids`: its place, and that of the group's first.
    `are_duplicates` tells whether documents of a group are duplicates of one another. Edges are
    links between places in the order of keeping.
    """

    ids: Rows
    places: Rows
    first: Rows
    are_duplicates: bool = True

    @classmethod
    def of(
        cls, documents: Workspace, rules: Rules, comparison: BySets, scope: Scope | None
    ) -> EqualDocuments:
        """The groups of documents that are equal by what the `comparison` compares.

        With a scope, documents of a group also have the same value; across values, they are no
        duplicates of one another.
        """
        ids, places = documents.ids, places_by(documents, rules.order)
        rows = comparison.rows(ids)
        if rules.is_contained:
            sizes, order = comparison.table.sizes[rows], places
            places = np.empty_like(order)
            places[np.lexsort((order, -sizes))] = np.arange(len(order))
        group = comparison.first_equals()[rows]
        if scope:
            number = len(scope.numbers) + len(ids)
            alone = np.where(scope.codes < 0, len(scope.numbers) + np.arange(len(ids)), scope.codes)
            group = np.unique(group * number + alone, return_inverse=True)[1]
        least = np.full(max(len(comparison.table.ids), len(ids)), len(ids))
        np.minimum.at(least, group, places)
        return cls(ids, places, least[group], scope is None or scope.is_within)

    @cached_property
    def by_place(self) -> Rows:
        """The number of the document at each place."""
        return np.asarray(self.ids[np.argsort(self.places)])

    def places_of(self, ids: Rows) -> Rows:
        """The places of documents, by their numbers."""
        return np.asarray(self.places[np.searchsorted(self.ids, ids)])

    def with_all_members(self, removals: Mapping[int, Removal]) -> dict[int, Removal]:
        """The same for all documents that are equal to these."""
        firsts = self.places_of(np.array([*removals], np.int64))
        rows = dict(zip(firsts.tolist(), removals.values(), strict=True))
        here = np.isin(self.first, firsts)
        pairs = zip(self.ids[here].tolist(), self.first[here].tolist(), strict=True)
        return {number: rows[first]._replace(number=number) for number, first in pairs}

    def member_links(self, edges: Links) -> Links:
        """The links of all documents of the groups that these edges connect, by their numbers.

        A document that is not the first of its group has one link: to the first, or if documents of
        a group are no duplicates, the most similar one of the first.
        """
        others = np.flatnonzero(self.first != self.places)
        places, firsts = self.places[others], self.first[others]
        if self.are_duplicates:
            score, similarity = (np.full(len(others), equal) for equal in _EQUAL)
            more = Links(firsts, places, score, similarity)
        else:
            best = most_similar(Links.joined([edges, turned(edges)]))
            known = np.isin(firsts, best.left)
            more = best.take(np.searchsorted(best.left, firsts[known]))
            more = replace(more, left=places[known])
        every = Links.joined([edges, more])
        sides = self.by_place[every.left], self.by_place[every.right]
        return Links.of(sides, Scores(every.score, every.similarity), ordered=True)


@dataclass(eq=False)
class MissingEdges:
    """Documents at `places` of which pairs were left out, and their edges, which are asked for.

    `numbers` has the number of the document at each place.
    `split` is how many connected components are too large to compare all pairs: these are compared
    in parts.
    """

    numbers: Rows
    comparison: BySets
    counting: Callable[[Links], Links]
    places: Rows
    split: int = 0

    def edges_of(self, places: Rows) -> Iterator[tuple[int, Callable[[], Links]]]:
        """Each of the places, in ascending order, with a function for its edges to later ones.

        The places are all those that are incomplete in a connected component.
        """
        comparison = self.comparison
        rows = comparison.rows(self.numbers[places])
        (most,) = part_sizes(comparison.table, [rows], MOST_WORK)
        self.split += len(rows) > most
        for part in split(np.arange(len(rows)), most):
            for place, find in comparison.all_scores(rows[part]):
                yield int(places[part[place]]), partial(self._edges, places[part], place, find)

    def _edges(self, places: Rows, place: int, find: Callable[[], tuple[Rows, Scores]]) -> Links:
        others, scores = find()
        left = np.full(len(others), places[place])
        return self.counting(Links(left, places[others], scores.score, scores.similarity))

    def connecting(self, edges: Links) -> Iterator[Links]:
        """As many of the edges that count as connect all that any of them do."""
        labels = connected(len(self.numbers), edges.left, edges.right)
        missing = self.places[np.argsort(labels[self.places], kind="stable")]
        for places in np.split(missing, np.flatnonzero(np.diff(labels[missing])) + 1):
            places = np.sort(places)  # noqa: PLW2901
            own = np.arange(len(places))
            for place, find in self.edges_of(places):
                found = find()
                here, others = (np.searchsorted(places, side) for side in (place, found.right))
                apart, first = np.unique(own[others], return_index=True)
                is_new = apart != own[here]
                yield found.take(first[is_new])
                own[np.isin(own, apart[is_new])] = own[here]


@dataclass(frozen=True)
class Choice:
    """The removals in the order of the inputs, and the clusters, which are numbered from 1.

    `refused` has the pairs of removed and kept documents that were not compared, with the reason,
    and `stored_names` the names of stored documents. `split` is as in MissingEdges, `how` and
    `curve` as in Links.
    """

    removals: Sequence[Removal]
    clusters: Sequence[Cluster]
    refused: Mapping[tuple[int, int], str]
    stored_names: Mapping[int, str]
    split: int
    how: str
    curve: Curve

    def cluster_of(self) -> dict[int, int]:
        """The numbers of the clusters of documents; 0 for one that is similar to a stored one."""
        clusters = {
            number: place
            for place, cluster in enumerate(self.clusters, 1)
            for number in cluster.members
        }
        return clusters | {row.number: row.cluster for row in self.removals}


def choose_documents(documents: Workspace, rules: Rules, run: Run) -> Choice:
    """What to remove of documents that reach the minimum of the rules, here and in `against`.

    What is not compared, or lacks a value, is a problem of the run. Raises OptionError where there
    are too many shingles for an exact join.
    """
    plan = plan_search(documents.collection, rules.question)
    comparison = comparison_of(documents.collection, plan)
    scope = Scope.of(documents, rules.pairs_in)
    is_none, is_cluster = rules.keep == "none", rules.rule == "cluster"
    if is_cluster and not is_none and not scope:  # all links of a cluster count, of equal ones, too
        groups = EqualDocuments(documents.ids, places := places_by(documents, rules.order), places)
    else:
        groups = EqualDocuments.of(documents, rules, comparison, scope)
    out = scope.codes < 0 if scope else np.zeros(len(groups.ids), bool)
    others = groups.ids[(groups.first != groups.places) | out].tolist()

    def counting(edges: Links) -> Links:
        if scope is None:
            return edges
        codes = np.empty(len(groups.ids), np.int64)
        codes[groups.places] = scope.codes
        return edges.take(scope.allows(codes[edges.left], codes[edges.right]))

    stored, stored_names = _link_stored(documents, rules, run, scope, others)
    without = others if is_none else [*others, *stored]
    pairs = links(documents.collection, rules.question, without=without, run=run)
    sides = groups.places_of(pairs.left), groups.places_of(pairs.right)
    edges = Links(*sides, pairs.score, pairs.similarity)
    if not plan.symmetric:  # an earlier document has as many shingles or more
        edges = edges.take(sides[0] > sides[1])
    missing = None
    if len(pairs.incomplete):
        lacking = groups.places_of(pairs.incomplete)
        missing = MissingEdges(groups.by_place, comparison, counting, lacking)
    known = counting(edges)
    if missing and scope and (is_cluster or is_none):
        known = Links.joined([known, *missing.connecting(edges)])
    how = pairs.how
    if missing and not (is_cluster or is_none):
        how += "; the others are compared, too"
    own = (
        *missing_values(documents, rules.order),
        *(scope.problems() if scope else ()),
        *oversized_problems(Oversized(pairs.oversized.split)),  # the choice finds what others lack
        *_refused_in(documents, pairs),
    )
    run.note(*(problem for problem in dict.fromkeys(own) if problem not in run.found))
    stored, refused = groups.with_all_members(stored), dict[tuple[int, int], str]()
    if is_none:
        removed, chosen = _choose_none(groups, known)
    elif is_cluster:
        removed, chosen, refused = _choose_by_cluster(groups, stored, known, comparison)
    else:
        removed, chosen = _choose_directly(groups, stored, known, missing, edges)
    removals = [row for _, row in sorted((removed | stored).items())]
    parts = missing.split if missing else 0
    return Choice(removals, chosen, refused, stored_names, parts, how, pairs.curve)


def _link_stored(
    documents: Workspace, rules: Rules, run: Run, scope: Scope | None, without: Sequence[int]
) -> tuple[dict[int, Removal], dict[int, str]]:
    """The links to the collection `against`. Those documents at `without` are not compared."""
    against = rules.against
    if against is None:
        return {}, {}
    pairs = links(documents.collection, rules.question, against, without, run)
    run.note(*oversized_problems(Oversized(pairs.oversized.split)))
    run.note(*_refused_in(documents, pairs, against))
    if scope and (number := len(pairs.incomplete)):
        what = f"{counted(number, 'document')} similar to too many stored ones to compare all; "
        what += "duplicates of stored documents may be kept"
        run.note(Problem("warning", "large-bucket", what))
    if scope:  # by the fields of the stored documents
        codes = scope.codes[np.searchsorted(documents.ids, pairs.left)]
        ids, places = np.unique(pairs.right, return_inverse=True)
        pairs = pairs.take(scope.allows(codes, scope.codes_in(against, ids.tolist())[places]))
    best = most_similar(pairs)
    named = documents_of(against, best.right.tolist())
    removed = {row.number: row for row in removals_of(best)}
    return removed, {number: document.name for number, document in named.items()}


def _refused_in(
    documents: Workspace, pairs: Links, against: StoredCollection | None = None
) -> Iterator[Problem]:
    """Warnings about pairs that were not compared."""
    left, right = ([pair[side] for pair in pairs.refused] for side in (0, 1))
    names = documents.names(sorted({*left, *right}) if against is None else left)
    others = names
    if against is not None:
        others = {number: other.name for number, other in documents_of(against, right).items()}
    return refused_pairs(
        pairs.refused, lambda pair: f"{shown(names[pair[0]])} and {shown(others[pair[1]])}"
    )


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
    return kept, _named(Links.joined(further), kept)


def _named(edges: Links, kept: NDArray[np.bool_]) -> Links:
    """Of the edges from kept documents the most similar one of each other."""
    return turned(most_similar(turned(edges.take(kept[edges.left]))))


_Removed = dict[int, Removal]


def _choose_directly(
    groups: EqualDocuments,
    stored: _Removed,
    edges: Links,
    missing: MissingEdges | None,
    connections: Links,
) -> tuple[_Removed, list[Cluster]]:
    number = len(groups.ids)
    edges = touching_none(edges, groups.places_of(np.array([*stored], np.int64)))
    kept_places, best = greedy_choice(number, edges, missing, connections)
    named = np.arange(number)
    score, similarity = (np.full(number, equal) for equal in _EQUAL)
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
    chosen, removed = [], _Removed()
    for place, kept in enumerate(sorted(members, key=lambda kept: members[kept][0]), 1):
        similarities = [row.similarity for row in removals[kept]]
        mean = sum(similarities) / len(similarities)
        chosen.append(Cluster((*members[kept],), min(similarities), mean, kept))
        removed |= {row.number: row._replace(cluster=place) for row in removals[kept]}
    return removed, chosen


def _choose_by_cluster(
    groups: EqualDocuments, stored: _Removed, edges: Links, comparison: BySets
) -> tuple[_Removed, list[Cluster], dict[tuple[int, int], str]]:
    """Of each connected component the first is kept; the others have their scores with it."""
    gone = np.array([*stored], np.int64)
    members = groups.member_links(touching_none(edges, groups.places_of(gone)))
    pairs = members.take(~np.isin(members.left, gone))
    places, firsts, _ = linked(groups.places_of(pairs.left), groups.places_of(pairs.right))
    others = np.flatnonzero(firsts != np.arange(len(places)))
    numbers, kept = groups.by_place[places[others]], groups.by_place[places[firsts[others]]]
    left, right = np.minimum(numbers, kept), np.maximum(numbers, kept)
    scores = comparison.scores(comparison.rows(left), comparison.rows(right))
    refused = {(int(left[row]), int(right[row])): why for row, why in scores.refused.items()}
    rows = removals_of(Links(numbers, kept, scores.score, scores.similarity))
    removals = {row.number: row for row in rows}
    chosen, removed = [], _Removed()
    for place, cluster in enumerate(clusters(pairs), 1):
        least = cluster.members[0]
        first = removals[least].other if least in removals else least
        chosen.append(cluster._replace(kept=first))
        for number in cluster.members:
            if number != first:
                removed[number] = removals[number]._replace(cluster=place)
    return removed, chosen, dict(sorted(refused.items()))


def _choose_none(groups: EqualDocuments, edges: Links) -> tuple[_Removed, list[Cluster]]:
    """All that have a duplicate are removed; each is named with its most similar duplicate."""
    pairs = groups.member_links(edges)
    rows = removals_of(most_similar(Links.joined([pairs, turned(pairs)])))
    partners = {row.number: row for row in rows}
    chosen = clusters(pairs)
    removed = {
        number: partners[number]._replace(cluster=place)
        for place, cluster in enumerate(chosen, 1)
        for number in cluster.members
    }
    return removed, chosen


class Cluster(NamedTuple):
    """The documents of a connected component, by their numbers in order.

    `weakest` and `mean` are of the similarities of its links. -1 is kept if no document is.
    """

    members: tuple[int, ...]
    weakest: float
    mean: float
    kept: int = -1


def clusters(pairs: Links) -> list[Cluster]:
    """The clusters of linked documents, in the order of their first members.

    >>> from numpy import array
    >>> from sdtext.search.results import Links
    >>> score = array([90, 80])
    >>> both = clusters(Links(array([3, 3]), array([9, 5]), score, score / 100))
    >>> both[0].members, both[0].weakest, round(both[0].mean, 2)
    ((3, 5, 9), 0.8, 0.85)
    """
    ids, labels, (left, _) = linked(pairs.left, pairs.right)
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
    return [*map(Cluster, members, weakest.tolist(), means.tolist())]
