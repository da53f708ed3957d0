"""Which documents resemble each other: within a collection, or between two."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.filters import unknown_names
from sdtext.errors import shown
from sdtext.model import Problem
from sdtext.parts.indexes import Banding
from sdtext.search.buckets import Rows
from sdtext.search.by_bits import linked_by_bits
from sdtext.search.candidates import Bound, Candidates, candidates
from sdtext.search.columns import Searchable, called
from sdtext.search.contained import sharing, soon_sharing
from sdtext.search.equal import Equal, Spread, equal_rows
from sdtext.search.estimates import Estimates
from sdtext.search.links import Links
from sdtext.search.plan import Plan, planned, together
from sdtext.search.question import Curve, Pair, Pairs, Question
from sdtext.search.scoring import Scores
from sdtext.search.sequences import Sequences
from sdtext.search.table import Table, pieces
from sdtext.search.telling import HOW_ALL_TEXTS, how, less, warnings

Sides = tuple[Searchable, Searchable]

_USUAL = Question()
_SAME = Problem(
    "warning",
    "same-collection",
    "both are the same collection: its documents are compared with one another, each pair once",
)


def within(searched: Searchable, question: Question = _USUAL) -> Pairs:
    """The pairs of documents of a collection that are alike, the most alike first."""
    return named(links(searched, question), searched, searched, question.top)


def between(left: Searchable, right: Searchable, question: Question = _USUAL) -> Pairs:
    """The pairs of a document of one collection and one of another that are alike.

    Of a collection and itself, or a copy of it with the same documents, those within it.
    """
    if not is_same(left, right):
        return named(links(left, question, right), left, right, question.top)
    found = within(left, question)
    return replace(found, problems=(*found.problems, _SAME))


def is_same(left: Searchable, right: Searchable) -> bool:
    """Whether one is the other, or a copy of it: those without a GUID are told by their folders."""
    if left is right:
        return True
    places = [getattr(one, "path", None) for one in (left, right)]
    if None not in places and len({one.absolute() for one in places if one}) == 1:
        return True
    mine, other = (getattr(one, "guid", "") for one in (left, right))
    return mine == other != "" and np.array_equal(left.ids(), right.ids())


def links(
    searched: Searchable,
    question: Question = _USUAL,
    other: Searchable | None = None,
    without: Collection[int] = (),
) -> Links:
    """The pairs within a collection, or between it and an `other`, as columns of numbers.

    `without` names documents of the collection that are not looked at.

    >>> from sdtext.search.columns import Held
    >>> held = Held.of([[1, 2, 3, 4, 5], [7], [1, 2, 3, 4, 5]])
    >>> found = links(held, Question(minimum=80))
    >>> found.left.tolist(), found.right.tolist(), found.score.tolist()
    ([0], [2], [99])
    """
    plan = planned(searched, question)
    parts = pieces(searched, plan.making, question.where)
    if without:
        parts = [one.without(without) for one in parts]
    if other is not None:
        parts += pieces(other, together(plan, other).making, side=1)
    table = Table(parts, plan.making, two_sided=other is not None)
    found = _FOUND[plan.compares](table, plan, (searched, other or searched))
    return replace(found, problems=(*unknown_names(searched, question.where), *found.problems))


def _by_bits(table: Table, plan: Plan, _: Sides) -> Links:
    return linked_by_bits(table, plan)


def _by_shingles(table: Table, plan: Plan, _: Sides) -> Links:
    """The links by shingles."""
    found = _met(table, plan)
    return _links(table, plan, found.pair, found.scores).told(found.problems, *found.told(plan))


def _by_sequences(table: Table, plan: Plan, sides: Sides) -> Links:
    """The links by sequences: of all texts where there are few, else of what shingles find."""
    sequences = Sequences(plan.part, table)
    pair = sequences.all_pairs()
    problems: tuple[Problem, ...] = ()
    told: tuple[str, Curve] = (HOW_ALL_TEXTS, ())
    if pair is None:
        found = _met(table, plan)
        pair, problems, told = found.pair, found.problems, found.told(plan)
    left, right = pair
    compared = sequences.pairs(left, right, plan.minimum)

    def name(place: int) -> str:
        ids = table.ids[[left[place], right[place]]].tolist()
        ours, theirs = (called(side, [one])[one] for side, one in zip(sides, ids, strict=True))
        return f"{shown(ours.name)} and {shown(theirs.name)}"

    links = _links(table, plan, pair, compared.scores)
    return links.told((*problems, *compared.problems(name)), *told)


_FOUND = {"bits": _by_bits, "shingles": _by_shingles, "sequences": _by_sequences}


def _links(table: Table, plan: Plan, pair: tuple[Rows, Rows], scores: Scores) -> Links:
    """The pairs of rows that score enough, by the numbers of their documents."""
    kept = scores.score >= plan.minimum
    ids = table.ids[pair[0][kept]], table.ids[pair[1][kept]]
    return Links.of(ids, scores.taken(kept), turns=plan.symmetric and not table.two_sided)


@dataclass(frozen=True, eq=False)
class _Met:
    """Pairs of rows that are alike by their shingles, and how they were found."""

    table: Table
    pair: tuple[Rows, Rows]
    scores: Scores
    bands: Banding | None
    problems: tuple[Problem, ...]
    less: str

    def told(self, plan: Plan) -> tuple[str, Curve]:
        """How they were found, in a sentence, and the curve of the bands."""
        curve = tuple(self.bands.curve(self.table.slots)) if self.bands else ()
        return how(plan, self.bands, self.table.slots) + self.less, curve


def _met(table: Table, plan: Plan) -> _Met:
    """The pairs that are alike by their shingles; looked for among documents that differ."""
    equal = equal_rows(table)
    met, bands = _candidates(table, plan, table.wanted & equal.leads)
    spread = equal.spread(met.left, met.right)
    left, right, scores = _scored(table, plan, met, (equal, spread))
    kept = scores.score >= plan.least_of_sets
    problems = tuple(warnings(met, spread.short if table.two_sided else equal.large))
    return _Met(table, (left[kept], right[kept]), scores.taken(kept), bands, problems, less(met))


def _candidates(
    table: Table, plan: Plan, searched: NDArray[np.bool_]
) -> tuple[Candidates, Banding | None]:
    """The pairs to be counted, and the bands that found them: none where all were compared."""
    bands = plan.bands_for(table.slots)
    if bands is None:
        return sharing(table, plan, searched), None
    if plan.lets_join and (met := soon_sharing(table, plan, searched)):
        return met, None
    bound = Bound(plan.scorer, plan.least_of_sets, bands.similarity, plan.question.estimate)
    return candidates(table, bands, bound, searched), bands


def _scored(
    table: Table, plan: Plan, met: Candidates, groups: tuple[Equal, Spread]
) -> tuple[Rows, Rows, Scores]:
    """All pairs, those of equal documents among them, and how alike they are by shingles."""
    estimate = plan.question.estimate
    equal, spread = groups
    shared = _shared(table, met, estimate=estimate)[spread.source]
    columns: list[tuple[Rows, Rows, NDArray[Any]]] = [(spread.left, spread.right, shared)]
    for ones, others in () if table.two_sided else equal.within():
        same = np.ones(len(ones)) if estimate else table.sizes[ones]
        columns.append((ones, others, same))
        if not plan.symmetric:
            columns.append((others, ones, same))
    left, right, shared = (np.concatenate(column) for column in zip(*columns, strict=True))
    if estimate:
        return left, right, plan.scorer.of_estimates(shared)
    return left, right, plan.scorer(shared, table.sizes[left], table.sizes[right])


def _shared(table: Table, met: Candidates, *, estimate: bool) -> NDArray[Any]:
    """How many shingles each pair shares; where an estimate will do, what share of them."""
    if estimate:
        return Estimates(table).pairs(met.left, met.right)
    if met.common is None:
        return table.common(met.left, met.right)
    counts, rest = met.common.copy(), np.flatnonzero(met.common < 0)
    counts[rest] = table.common(met.left[rest], met.right[rest])
    return counts


def named(found: Links, left: Searchable, right: Searchable, top: int | None = None) -> Pairs:
    """The links with the names of the documents, the most alike first."""
    ones, others = found.left.tolist(), found.right.tolist()
    lefts = called(left, [*ones, *others] if left is right else ones)
    rights = lefts if left is right else called(right, others)
    columns = (ones, others, found.score.tolist(), found.similarity.tolist())
    rows = [
        Pair(lefts[one].name, rights[other].name, score, similarity, one, other)
        for one, other, score, similarity in zip(*columns, strict=True)
    ]
    rows.sort(key=lambda row: (-row.similarity, row.left, row.right))
    return Pairs(tuple(rows[:top]), found.problems, found.how, found.curve)
