"""The links between documents, and to stored ones: what the rules choose from.

Equal documents are compared once. They have the same edges to all others, and share their fate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.order_and_scope import Scope, missing_values, places_by
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.kernels.arrays.connected_components import connected
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

Value = TypeVar("Value")
Marks = NDArray[np.bool_]
EQUAL = 99, 1.0
"""The score and the similarity of equal documents."""


def joined(pairs: Sequence[Links]) -> Links:
    """All pairs of several links."""
    return Links(
        np.concatenate([some.left for some in pairs]),
        np.concatenate([some.right for some in pairs]),
        np.concatenate([some.score for some in pairs]),
        np.concatenate([some.similarity for some in pairs]),
    )


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
            score, similarity = (np.full(len(others), equal) for equal in EQUAL)
            more = Links(firsts, places, score, similarity)
        else:
            best = most_similar(joined([edges, turned(edges)]))
            known = np.isin(firsts, best.left)
            more = best.take(np.searchsorted(best.left, firsts[known]))
            more = replace(more, left=places[known])
        every = joined([edges, more])
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


@dataclass(frozen=True, eq=False)
class LinkedDocuments:
    """The `edges` of documents in `groups`, and those similar to `stored` ones, by their numbers.

    Each of these has the most similar stored one, whose name is in `stored_names`.

    `rule` is that of the choice, "none" where nothing is to be kept. `connections` connect all
    documents between which edges may be `missing`; none are if that is None.
    """

    rule: str
    groups: EqualDocuments
    comparison: BySets
    edges: Links
    connections: Links
    missing: MissingEdges | None
    stored: Mapping[int, Removal]
    stored_names: Mapping[int, str]
    how: str = ""
    curve: Curve = ()


def link_documents(documents: Workspace, rules: Rules, run: Run) -> LinkedDocuments:
    """The links of documents that reach the minimum of the rules, here and in `against`.

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
        missing = MissingEdges(
            groups.by_place, comparison, counting, groups.places_of(pairs.incomplete)
        )
    known = counting(edges)
    if missing and scope and (is_cluster or is_none):
        known = joined([known, *missing.connecting(edges)])
    how = pairs.how
    if missing and not (is_cluster or is_none):
        how += "; the others are compared, too"
    own = (
        *missing_values(documents, rules.order),
        *(scope.problems() if scope else ()),
        *_of_buckets(pairs),
        *_refused_in(documents, pairs),
    )
    run.note(*(problem for problem in dict.fromkeys(own) if problem not in run.found))
    return LinkedDocuments(
        "none" if is_none else rules.rule,
        groups,
        comparison,
        known,
        edges,
        missing,
        groups.with_all_members(stored),
        stored_names,
        how=how,
        curve=pairs.curve,
    )


def _link_stored(
    documents: Workspace, rules: Rules, run: Run, scope: Scope | None, without: Sequence[int]
) -> tuple[dict[int, Removal], dict[int, str]]:
    """The links to the collection `against`. Those documents at `without` are not compared."""
    against = rules.against
    if against is None:
        return {}, {}
    pairs = links(documents.collection, rules.question, against, without, run)
    run.note(*_of_buckets(pairs), *_refused_in(documents, pairs, against))
    if scope and (number := len(pairs.incomplete)):
        what = f"{counted(number, 'document')} similar to too many stored ones to compare all; "
        what += "duplicates of stored documents may be kept"
        run.note(Problem("warning", "large-bucket", what))
    if scope:  # by the fields of the stored documents
        codes = scope.codes[np.searchsorted(documents.ids, pairs.left)]
        ids, places = np.unique(pairs.right, return_inverse=True)
        pairs = pairs.take(scope.allows(codes, scope.codes_in(against, ids.tolist())[places]))
    best = most_similar(pairs)
    names = {
        number: document.name
        for number, document in documents_of(against, best.right.tolist()).items()
    }
    removed = {row.number: row for row in removals_of(best)}
    return removed, names


def _of_buckets(pairs: Links) -> Iterator[Problem]:
    """A warning about documents compared in parts; that others lack pairs, the choice mends."""
    return oversized_problems(Oversized(pairs.oversized.split))


def _refused_in(
    documents: Workspace, pairs: Links, against: StoredCollection | None = None
) -> Iterator[Problem]:
    """Warnings about pairs that were not compared."""
    left, right = ([pair[side] for pair in pairs.refused] for side in (0, 1))
    names = documents.names(left if against else sorted({*left, *right}))
    others = names
    if against:
        others = {number: other.name for number, other in documents_of(against, right).items()}
    return refused_pairs(
        pairs.refused, lambda pair: f"{shown(names[pair[0]])} and {shown(others[pair[1]])}"
    )
