"""What a choice is worth on documents that it was not made on.

For each fold the choice is made on the other folds, and measured on this one. Intervals take into
account that copies of a document are dependent, and so are pairs that have a document in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.automatic_choice import ChosenCell, choices
from sdtext.experiment.dataset import Dataset
from sdtext.experiment.histograms import Measurements, ScoringUnit, UnitScorer, units_of
from sdtext.model.binomial_limits import share_interval
from sdtext.model.displayed_results import ShortFields
from sdtext.reading.parallel_run import VERIFYING, Run, in_parallel
from sdtext.search.design_effect import DependentPairs, independent_cases

Interval = tuple[float, float]
Numbers = NDArray[np.int64]

_NEAREST = 10  # pairs of a unit that are kept, though below the cut, to estimate dependence


@dataclass(frozen=True)
class Rate:
    """A share, its 95 % confidence interval, and the numbers that it is of."""

    share: float
    interval: Interval
    part: int
    whole: int

    @classmethod
    def of(cls, part: int, whole: int, independent: int) -> Rate:
        """The share of cases that tell as much as so many independent ones."""
        share = part / whole if whole else 0.0
        return cls(share, share_interval(part, whole, independent), part, whole)


@dataclass(frozen=True, repr=False)
class HeldOut(ShortFields):
    """What the choices are worth, each measured on the fold that it was made without.

    `recall` and `false_positives` are of all folds together; `by_mangler` has for each mangler the
    share of its copies that are found. `choices` has that of each fold: group, matcher, cell, cut.
    """

    recall: Rate
    false_positives: Rate
    by_mangler: Mapping[str, Rate]
    choices: tuple[Mapping[str, Any], ...]


@dataclass(eq=False)
class _Counted:
    """Numbers of pairs for each document: planted ones at the cut and in all, and unrelated ones.

    `number` is that of all unrelated pairs, `near` has those at the cut and near it: two documents,
    and the points by which they score above the cut, a row for each.
    """

    planted: Numbers
    unrelated: Numbers
    near: Numbers
    number: int = 0

    @classmethod
    def of(cls, documents: int) -> _Counted:
        """No pairs of so many documents."""
        planted, unrelated = np.zeros((documents, 2), np.int64), np.zeros(documents, np.int64)
        return cls(planted, unrelated, np.empty((0, 3), np.int64))

    def add(self, other: _Counted) -> None:
        self.planted += other.planted
        self.unrelated += other.unrelated
        self.number += other.number
        self.near = _nearest(np.concatenate([self.near, other.near]))


def _nearest(pairs: Numbers) -> Numbers:
    """The pairs at the cut, and the ten that are nearest to it, with all that are as near."""
    if len(pairs) <= _NEAREST:
        return pairs
    above = pairs[:, 2]
    return pairs[above >= min(0, int(np.partition(above, -_NEAREST)[-_NEAREST]))]


def _at_cut(scorer: UnitScorer, chosen: Sequence[ChosenCell], unit: ScoringUnit) -> _Counted:
    """What the choice for a fold finds among the queries of a unit."""
    choice = chosen[unit.fold]
    must_match = scorer.dataset.plan.is_related(unit.mangler)
    unit = unit._replace(group=choice.group)
    documents = np.array(scorer.documents(unit), np.int64)
    counted = _Counted.of(len(scorer.dataset.names))
    near = [counted.near]
    for query, scores in scorer.by_query(unit, choice.place[1:]):
        above = scores.astype(np.int64) - choice.cut
        reached = int((above[query.planted] >= 0).sum())
        counted.planted[query.document] += (reached, len(query.planted))
        counts = np.full(len(above), unit.mangler is None)
        counts[query.excluded] = False
        # Copies that must not match are unrelated to their documents.
        counts[query.planted] = not must_match
        right = documents[counts]
        left = np.full(len(right), query.document)
        counted.number += len(right)
        counted.unrelated[query.document] += len(right)
        counted.unrelated[right[right != query.document]] += 1
        near.append(_nearest(np.stack([left, right, above[counts]], axis=1)))
    counted.near = _nearest(np.concatenate(near))
    return counted


def held_out(scorer: UnitScorer, measurements: Measurements, run: Run) -> HeldOut:
    """What the choices are worth, each made without the fold on which it is measured."""
    plan = scorer.dataset.plan
    by_fold = [
        choices(measurements, plan.cells, plan.target, fold)[0] for fold in range(plan.folds)
    ]
    # The queries of a unit are those of every group: one is enough.
    units = [unit for unit in units_of(plan) if unit.group == 0]
    every = _Counted.of(len(scorer.dataset.names))
    planted: dict[int | None, Numbers] = {}
    for unit, counted in zip(
        units, in_parallel(partial(_at_cut, scorer, by_fold), units, run.jobs), strict=True
    ):
        planted[unit.mangler] = counted.planted + planted.get(unit.mangler, 0)
        every.add(counted)
        run.step(1, len(units), VERIFYING)
    related = [rows for mangler, rows in planted.items() if plan.is_related(mangler)]
    return HeldOut(
        _recall(np.sum(related, axis=0)),
        _false(every, distinct_pairs(scorer.dataset)),
        {
            "pairs" if number is None else str(plan.manglers[number]): _recall(rows)
            for number, rows in planted.items()
            if number is not None or not plan.manglers
        },
        tuple(
            {
                "group": plan.groups[choice.group].name,
                "matcher": str(plan.matchers[choice.matcher]),
                "cell": plan.cells[choice.cell].values,
                "cut": choice.cut,
            }
            for choice in by_fold
        ),
    )


def _recall(planted: Numbers) -> Rate:
    """The share of planted pairs at the cut; those of a document are dependent."""
    part, whole = (int(number) for number in planted.sum(axis=0))
    return Rate.of(part, whole, independent_cases(*planted.T))


def _false(counted: _Counted, distinct: int) -> Rate:
    """The share of unrelated pairs at the cut, which are pairs of so many documents at most."""
    left, right, above = counted.near.T
    number = counted.number
    pairs = DependentPairs(
        left, right, above, counted.unrelated, number, max(1.0, number / distinct)
    )
    independent = pairs.independent(range(int(above.min(initial=0)), 1))[-1]
    # Those of a document with a copy that must not match are further ones.
    own = 2 * number - int(counted.unrelated.sum())
    independent = min(independent, distinct + own)
    return Rate.of(int((above >= 0).sum()), number, independent)


def distinct_pairs(dataset: Dataset) -> int:
    """The number of pairs of documents that are compared in any trial, at most."""
    trials = [_compared(dataset, trial) for trial in range(dataset.plan.trials)]
    number = 0
    for several in zip(*trials, strict=True):
        queries, documents = (set[int]().union(*sets) for sets in zip(*several, strict=True))
        number += min(sum(starmap(_pairs, several)), _pairs(queries, documents))
    return max(1, number)


def _compared(dataset: Dataset, trial: int) -> list[tuple[set[int], set[int]]]:
    """The queries of each block, or fold, and the documents that they are compared with."""
    queries, documents = set(dataset.queries(trial)), set(dataset.sample(trial))
    by_fold = dataset.related and not dataset.plan.has_shingles
    numbers = dataset.folds if by_fold else dataset.blocks
    rows = []
    for number in range(dataset.plan.folds) if by_fold else np.unique(numbers).tolist():
        members = set(np.flatnonzero(numbers == number).tolist())
        others = dataset.new_documents(trial, number) if by_fold else documents & members
        rows.append((queries & members, others))
    return rows


def _pairs(queries: set[int], documents: set[int]) -> int:
    asked = len(queries)
    return asked * (asked - 1) // 2 + asked * (len(documents) - asked)
