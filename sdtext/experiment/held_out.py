"""What a choice is worth on documents that it was not made on.

For each fold the choice is made on the other folds, and measured on this one. Intervals take into
account that copies of a document are dependent, and so are pairs that have a document in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.automatic_choice import ChosenCell, Grid, Measurements, choices
from sdtext.experiment.histograms import ScoringUnit, UnitScorer, units_of
from sdtext.experiment.plan import ExperimentPlan
from sdtext.experiment.trial import Draws
from sdtext.kernels.design_effect import DependentPairs, independent_cases
from sdtext.model.binomial_limits import share_interval
from sdtext.model.displayed_results import ShortFields, shorten_tuples
from sdtext.reading.parallel_run import VERIFYING, Run, in_parallel

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
        return cls(
            part / whole if whole else 0.0, share_interval(part, whole, independent), part, whole
        )


@dataclass(frozen=True)
class FoldChoice:
    """The choice that is made without a fold; `cell` is by its keys in the plan."""

    group: str
    matcher: str
    cell: Mapping[str, float]
    cut: int

    @classmethod
    def of(cls, plan: ExperimentPlan, choice: ChosenCell) -> FoldChoice:
        """A choice by names and values."""
        cell, matcher = plan.cells[choice.cell], str(plan.matchers[choice.matcher])
        group = plan.groups[choice.group].name
        by_key = dict(zip(cell.keys, cell.values, strict=True))
        return cls(group, matcher, by_key, choice.cut)


@dataclass(frozen=True, repr=False)
class HeldOut(ShortFields):
    """What the choices are worth, each measured on the fold that it was made without.

    `recall` and `false_positives` are of all folds together; `by_mangler` has for each mangler the
    share of its copies that are found.
    """

    recall: Rate
    false_positives: Rate
    by_mangler: Mapping[str, Rate]
    choices: tuple[FoldChoice, ...]

    def __post_init__(self) -> None:
        shorten_tuples(self, "choices")


@dataclass(frozen=True, eq=False)
class _UnrelatedPairs:
    """Unrelated pairs by documents, with the number of points by which they score above the cut."""

    left: Numbers
    right: Numbers
    above: Numbers

    @classmethod
    def joined(cls, several: Iterable[_UnrelatedPairs]) -> _UnrelatedPairs:
        """The pairs of several."""
        parts = [_NO_PAIRS, *several]
        return cls(
            np.concatenate([part.left for part in parts]),
            np.concatenate([part.right for part in parts]),
            np.concatenate([part.above for part in parts]),
        )

    def nearest(self) -> _UnrelatedPairs:
        """Those at the cut, and the ten that are nearest to it, with all that are as near."""
        if len(self.above) <= _NEAREST:
            return self
        kept = self.above >= min(0, int(np.partition(self.above, -_NEAREST)[-_NEAREST]))
        return _UnrelatedPairs(self.left[kept], self.right[kept], self.above[kept])


_NO_PAIRS = _UnrelatedPairs(*[np.zeros(0, np.int64)] * 3)


@dataclass(frozen=True, eq=False)
class _Counted:
    """Numbers of pairs for each document: planted ones at the cut and in all, and unrelated ones.

    `near` are the unrelated pairs at the cut and near it, `number` is that of all.
    """

    planted: Numbers
    unrelated: Numbers
    near: _UnrelatedPairs
    number: int

    @classmethod
    def joined(cls, several: Sequence[_Counted], documents: int) -> _Counted:
        """The numbers of several together."""
        planted, unrelated = np.zeros((documents, 2), np.int64), np.zeros(documents, np.int64)
        for part in several:
            planted += part.planted
            unrelated += part.unrelated
        near = _UnrelatedPairs.joined(part.near for part in several).nearest()
        return cls(planted, unrelated, near, sum(part.number for part in several))


@dataclass(frozen=True, eq=False)
class _AtCut:
    """Counts what the choice for a fold finds among the queries of a unit."""

    scorer: UnitScorer
    choices: Sequence[ChosenCell]

    def __call__(self, unit: ScoringUnit) -> _Counted:
        choice, plan = self.choices[unit.fold], self.scorer.plan
        must_match = plan.is_related(unit.mangler)
        unit = ScoringUnit(unit.trial, choice.group, unit.mangler, unit.fold)
        place = plan.matchers[choice.matcher], plan.cells[choice.cell]
        documents = np.array(self.scorer.documents(unit), np.int64)
        dataset = len(self.scorer.dataset.names)
        planted, unrelated = np.zeros((dataset, 2), np.int64), np.zeros(dataset, np.int64)
        near, number = [], 0
        for query, scores in self.scorer.by_query(unit, *place):
            above = scores.astype(np.int64) - choice.cut
            planted[query.document] += _at_cut(above[query.planted])
            counts = np.full(len(above), unit.mangler is None)
            counts[query.excluded] = False
            # Copies that must not match are unrelated to their documents.
            counts[query.planted] = not must_match
            right = documents[counts]
            left = np.full(len(right), query.document)
            number += len(right)
            unrelated[query.document] += len(right)
            unrelated[right[right != query.document]] += 1
            near.append(_UnrelatedPairs(left, right, above[counts]).nearest())
        return _Counted(planted, unrelated, _UnrelatedPairs.joined(near).nearest(), number)


def _at_cut(above: Numbers) -> tuple[int, int]:
    """The number of pairs at the cut, and that of all."""
    return int((above >= 0).sum()), len(above)


def held_out(scorer: UnitScorer, measurements: Measurements, run: Run) -> HeldOut:
    """What the choices are worth, each made without the fold on which it is measured."""
    plan, grid = scorer.plan, Grid(scorer.plan.cells)
    by_fold = tuple(choices(measurements, grid, plan.target, fold)[0] for fold in range(plan.folds))
    # The queries of a unit are those of every group: one is enough.
    units = [unit for unit in units_of(plan) if unit.group == 0]
    by_mangler: dict[int | None, list[_Counted]] = {}
    for unit, counted in zip(
        units, in_parallel(_AtCut(scorer, by_fold), units, run.jobs), strict=True
    ):
        by_mangler.setdefault(unit.mangler, []).append(counted)
        run.step(1, len(units), VERIFYING)
    documents = len(scorer.dataset.names)
    counts = {number: _Counted.joined(rows, documents) for number, rows in by_mangler.items()}
    related = [row for number, row in counts.items() if plan.is_related(number)]
    return HeldOut(
        _recall(_Counted.joined(related, documents)),
        _false(_Counted.joined([*counts.values()], documents), distinct_pairs(scorer)),
        {
            "pairs" if number is None else str(plan.manglers[number]): _recall(row)
            for number, row in counts.items()
            if number is not None or not plan.manglers
        },
        tuple(FoldChoice.of(plan, choice) for choice in by_fold),
    )


def _recall(counted: _Counted) -> Rate:
    """The share of planted pairs at the cut; those of a document are dependent."""
    part, whole = (int(number) for number in counted.planted.sum(axis=0))
    return Rate.of(part, whole, independent_cases(*counted.planted.T))


def _false(counted: _Counted, distinct: int) -> Rate:
    """The share of unrelated pairs at the cut, which are pairs of so many documents at most."""
    near = counted.near
    number = counted.number
    pairs = DependentPairs(
        near.left, near.right, near.above, counted.unrelated, number, max(1.0, number / distinct)
    )
    independent = pairs.independent(range(int(near.above.min(initial=0)), 1))[-1]
    # Those of a document with a copy that must not match are further ones.
    own = 2 * number - int(counted.unrelated.sum())
    independent = min(independent, distinct + own)
    return Rate.of(int((near.above >= 0).sum()), number, independent)


def distinct_pairs(scorer: UnitScorer) -> int:
    """The number of pairs of documents that are compared in any trial, at most."""
    draws = Draws(scorer.plan, scorer.dataset)
    trials = [_compared(draws, trial) for trial in range(scorer.plan.trials)]
    number = 0
    for several in zip(*trials, strict=True):
        queries, documents = (set[int]().union(*sets) for sets in zip(*several, strict=True))
        number += min(sum(starmap(_pairs, several)), _pairs(queries, documents))
    return max(1, number)


def _compared(draws: Draws, trial: int) -> list[tuple[set[int], set[int]]]:
    """The queries of each block, or fold, and the documents that they are compared with."""
    queries, documents = set(draws.queries(trial)), set(draws.sample(trial))
    if draws.dataset.related and not draws.plan.has_shingles:
        folds = range(draws.plan.folds)
        return [
            (queries & _members(draws.folds, fold), draws.new_documents(trial, fold))
            for fold in folds
        ]
    blocks = [_members(draws.blocks, block) for block in np.unique(draws.blocks).tolist()]
    return [(queries & block, documents & block) for block in blocks]


def _members(numbers: Numbers, number: int) -> set[int]:
    """The documents that have a number."""
    return set(np.flatnonzero(numbers == number).tolist())


def _pairs(queries: set[int], documents: set[int]) -> int:
    asked = len(queries)
    return asked * (asked - 1) // 2 + asked * (len(documents) - asked)
