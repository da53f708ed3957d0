"""The rules `direct` and `contained`: a document is removed only for one that is kept.

It is greedy: in the order of keeping, a document is kept unless it reaches the minimum with one
that is kept before it. Of these, the most similar one is named; of equally similar ones, the first.
Equal documents are compared once, and share their fate. By `contained`, the order of keeping is
that of the numbers of shingles, and a document reaches the minimum by the share of its shingles
that the kept one has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.deduplication.equal_groups import (
    EQUAL,
    DocumentGroups,
    Edges,
    EqualGroups,
    IncompletePlaces,
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
from sdtext.errors import OptionError, counted
from sdtext.model import Problem
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates.buckets import Rows
from sdtext.search.candidates.exact_join import ExcessiveWorkError
from sdtext.search.clusters import connected
from sdtext.search.find import links
from sdtext.search.results import Links


class Incomplete(Protocol):
    """Documents of which edges may be missing, and a way to find those to later ones."""

    places: Rows

    def edges_of(self, places: Rows) -> Iterator[tuple[int, Callable[[], Edges]]]:
        """Each of the places, in ascending order, with a function for its edges to later ones.

        The places are all those that are incomplete in a connected component.
        """


@dataclass(eq=False)
class GreedyChoice:
    """The documents that are kept of `number`, by the edges between them.

    `connections` are edges that connect all documents between which edges may be missing; the
    default is the edges themselves.

    >>> from numpy import array
    >>> chain = Edges(array([0, 1]), array([1, 2]), array([80, 90]), array([0.8, 0.9]))
    >>> choice = GreedyChoice(3, chain)
    >>> choice.choose()
    >>> choice.kept.tolist()
    [True, False, True]
    """

    number: int
    edges: Edges
    incomplete: Incomplete | None = None
    connections: Edges | None = None
    _further: list[Edges] = field(default_factory=list)

    def choose(self) -> None:
        """Decide about all documents, component by component."""
        missing = self.incomplete.places if self.incomplete else np.empty(0, np.int64)
        connections = self.connections or self.edges
        labels = connected(self.number, connections.left, connections.right)
        is_partial = np.zeros(self.number, bool)
        is_partial[labels[missing]] = True
        linked = self._bounds[0] < self._bounds[1]
        self._decide(np.flatnonzero(linked & ~is_partial[labels]))
        asked = np.zeros(self.number, bool)
        asked[missing] = True
        partial = np.flatnonzero(is_partial[labels])
        partial = partial[np.argsort(labels[partial], kind="stable")]
        borders = np.flatnonzero(np.diff(labels[partial])) + 1
        for members in np.split(partial, borders) if len(partial) else ():
            self._decide_partial(members, members[asked[members]])

    def _decide(self, places: Rows) -> None:
        """Remove what is linked to the kept ones of some places, in their order."""
        begins, ends = self._bounds
        for place in places.tolist():
            if self.kept[place]:
                self.kept[self._later[begins[place] : ends[place]]] = False

    def _decide_partial(self, members: Rows, missing: Rows) -> None:
        """The same for a component, with the missing edges of some of its members."""
        assert self.incomplete is not None  # noqa: S101 (else nothing is missing)
        decided = 0
        for place, find in self.incomplete.edges_of(missing):
            end = int(np.searchsorted(members, place, "right"))
            self._decide(members[decided:end])
            decided = max(decided, end)
            if self.kept[place]:
                self._further.append(find())
                self.kept[self._further[-1].right] = False
        self._decide(members[decided:])

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Which documents are kept, so far."""
        return np.ones(self.number, bool)

    @cached_property
    def _later(self) -> Rows:
        """The later documents of the edges, in the order of the earlier ones."""
        return np.maximum(self.edges.left, self.edges.right)[self._order]

    @cached_property
    def _bounds(self) -> tuple[Rows, Rows]:
        """The begin and end of each document's edges to later ones."""
        earlier, places = self._earlier[self._order], np.arange(self.number)
        return np.searchsorted(earlier, places), np.searchsorted(earlier, places, "right")

    @cached_property
    def _earlier(self) -> Rows:
        return np.minimum(self.edges.left, self.edges.right)

    @cached_property
    def _order(self) -> Rows:
        return np.argsort(self._earlier, kind="stable")

    @property
    def best(self) -> Edges:
        """For each document that is not kept, the edge from the kept one (left) that is named.

        The most similar one before it; of equally similar ones, the first.
        """
        later = np.maximum(self.edges.left, self.edges.right)
        known = Edges(self._earlier, later, self.edges.score, self.edges.similarity)
        links = known.joined_with(self._further)
        links = links.taken(self.kept[links.left])
        order = np.lexsort((links.left, -links.similarity, links.right))
        _, first = np.unique(links.right[order], return_index=True)
        return links.taken(order[first])


def choose_contained(documents: Workspace, rules: Rules, run: Run) -> Choice:
    """The documents to remove: those of which the shingles are in one that is kept.

    Raises OptionError where there are too many shingles for an exact join.
    """
    try:
        return choose_directly(documents, rules, run)
    except ExcessiveWorkError as error:
        raise OptionError(
            f"{error.why}; use the rule direct, or deduplicate in parts, each against a collection "
            "of what was kept before"
        ) from error


def choose_directly(documents: Workspace, rules: Rules, run: Run) -> Choice:
    """The documents to remove: those that reach the minimum with one that is kept."""
    groups = EqualGroups.of(documents, rules)
    stored = similar_to_stored(documents, rules, run, groups.scope, groups.others)
    without = groups.others if rules.retains else [*groups.others, *stored.removed]
    pairs = links(documents.collection, rules.question, without=without, run=run)
    edges, incomplete = groups.edges_of(pairs), IncompletePlaces.of(groups, pairs, stored.removed)
    removed = groups.with_all_members(stored.removed)
    partners = groups.with_all_members(stored.partners)
    linked = _Linked(groups, groups.counting(edges), removed, partners, edges, incomplete)
    rows = linked.removals()
    linked_ids = groups.linked_by(linked.edges) if rules.retains else ()
    in_rows = (number for row in rows for number in row[:2])
    names = documents.names(sorted({*removed, *linked_ids, *in_rows}))
    problems = (
        *groups.problems,
        *stored.problems,
        *pairs.problems,
        *refused_in(documents, pairs),
        *_in_parts(incomplete.split),
    )
    how = f"{pairs.how}; the others are compared, too" if len(pairs.incomplete) else pairs.how
    return replace(
        linked.choice(rows, names),
        problems=tuple(relevant(problems)),
        how=how,
        curve=pairs.curve,
        covered=stored.covered,
        again=linked.again(names, pairs) if rules.retains else None,
    )


def _in_parts(number: int) -> Iterator[Problem]:
    if number:
        yield Problem(
            "warning",
            "large-bucket",
            f"{counted(number, 'group')} of linked documents, too large to compare all pairs, "
            "compared in parts; duplicates across parts may be kept",
        )


_Removal = tuple[int, int, int, float]
"""The numbers of a removed and of a kept document, their score and similarity."""


@dataclass(frozen=True, eq=False)
class _Linked:
    """What documents are chosen from: their edges, and those removed for `stored` ones.

    `partners` has the numbers of the stored ones.
    """

    groups: DocumentGroups
    edges: Edges
    stored: Mapping[int, RemovedDocument]
    partners: Mapping[int, int]
    connections: Edges | None = None
    incomplete: IncompletePlaces | None = None

    def removals(self) -> list[_Removal]:
        """The documents that are removed for another one that is not stored."""
        groups = self.groups
        choice = GreedyChoice(
            len(groups.ids), self._own_edges, self.incomplete, self.connections or self.edges
        )
        choice.choose()
        best = choice.best
        named = np.arange(len(groups.ids))
        score, similarity = (np.full(len(groups.ids), equal) for equal in EQUAL)
        named[best.right], score[best.right] = best.left, best.score
        similarity[best.right] = best.similarity
        gone = ~choice.kept[groups.first]
        if groups.are_duplicates:
            gone |= groups.first != groups.places
        gone &= ~np.isin(groups.ids, list(self.stored))
        firsts = groups.first[gone]
        columns = (
            groups.ids[gone],
            groups.by_place[named[firsts]],
            score[firsts],
            similarity[firsts],
        )
        return list(zip(*(column.tolist() for column in columns), strict=True))

    @property
    def _own_edges(self) -> Edges:
        """The edges of documents that are not removed for stored ones."""
        places = self.groups.places_of(np.array([*self.stored], np.int64))
        out = np.isin(self.edges.left, places) | np.isin(self.edges.right, places)
        return self.edges.taken(~out) if out.any() else self.edges

    def choice(self, rows: Sequence[_Removal], names: Mapping[int, str]) -> Choice:
        """The choice that these removals are."""
        clusters, cluster_of = _clusters(rows, names)
        removed = {
            number: replace(row, document=names[number]) for number, row in self.stored.items()
        }
        for number, kept, score, similarity in rows:
            removed[number] = RemovedDocument(
                names[number], names[kept], score, similarity, cluster_of[kept]
            )
        partners = {**self.partners} | {row[0]: row[1] for row in rows}
        return Choice(dict(sorted(removed.items())), clusters, partners=partners)

    def again(self, names: Mapping[int, str], pairs: Links) -> Callable[[int], Choice]:
        """A function that chooses at a higher minimum, for as long as it is needed."""
        if len(pairs.incomplete):
            return refuse_again(TOO_MANY_PAIRS)
        assert isinstance(self.groups, EqualGroups)  # noqa: S101 (the whole choice has these)
        linked = replace(self, groups=self.groups.detached, connections=None, incomplete=None)
        return partial(_choose_again, linked, names)


def _choose_again(linked: _Linked, names: Mapping[int, str], minimum: int) -> Choice:
    stored = {number: row for number, row in linked.stored.items() if row.score >= minimum}
    linked = replace(linked, edges=linked.edges.at_least(minimum), stored=stored)
    return linked.choice(linked.removals(), names)


def _clusters(
    rows: Sequence[_Removal], names: Mapping[int, str]
) -> tuple[tuple[DuplicateCluster, ...], dict[int, int]]:
    """The clusters of kept documents and those removed for them, and their numbers.

    They are in the order of their first members in the inputs.
    """
    members: dict[int, list[_Removal]] = {}
    for row in rows:
        members.setdefault(row[1], []).append(row)
    clusters = []
    numbers = {}
    in_order = sorted(members, key=lambda kept: min(kept, *(row[0] for row in members[kept])))
    for place, kept in enumerate(in_order, 1):
        similarities = [row[3] for row in members[kept]]
        ids = sorted((kept, *(row[0] for row in members[kept])))
        mean = round(sum(similarities) / len(similarities), 6)
        numbers[kept] = place
        clusters.append(
            DuplicateCluster(
                place,
                len(ids),
                names[kept],
                round(min(similarities), 6),
                mean,
                tuple(names[number] for number in ids),
            )
        )
    return tuple(clusters), numbers
