"""Histograms of scores, for each matcher and cell, of planted pairs and all others; their measures.

Copies by a mangler measure recall, the documents themselves the false-positive rate. A threshold is
a place in a running sum of a histogram: a pair is found where its score is the cut or more. Pairs
that are not comparable are never found: a related one counts as missed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.dataset import Dataset
from sdtext.experiment.plan import AVERAGE_PRECISION, RECALL, ChoiceTarget, ExperimentPlan
from sdtext.experiment.trial import CellScorer, Query, Trial
from sdtext.model.displayed_results import ShortFields
from sdtext.search.bit_vector_scoring import ScoreMatrix

BINS = 101
"""Of a histogram: pairs that are not comparable, then those of the scores 0 to 99."""

Counts = NDArray[np.int64]
CUTS = np.arange(1, 100)
"""The scores that a minimum can be. At 0 all comparable pairs would be found."""

Floats = NDArray[np.float64]
Numbers = NDArray[Any]
_DIGITS = 6


class ScoringUnit(NamedTuple):
    """A unit of work: a trial, a group of tokenizers, a mangler and a fold, by their numbers.

    The mangler is None where the documents are compared as they are: with one another, or by the
    pairs of a CSV file.
    """

    trial: int
    group: int
    mangler: int | None
    fold: int


def _by_score(scores: ScoreMatrix) -> Counts:
    """The numbers of pairs by score in each cell."""
    cells = len(scores)
    bins = scores + np.arange(1, 1 + BINS * cells, BINS)[:, None]
    return np.bincount(bins.ravel(), minlength=cells * BINS).reshape(cells, BINS)


@dataclass(eq=False)
class UnitScorer:
    """Scores units of work: the same in every process.

    The trial of the last unit stays in memory, so units of one trial, group and fold should follow
    one another.
    """

    dataset: Dataset
    _last: tuple[tuple[int, ...], Trial, CellScorer] | None = None

    def __call__(self, unit: ScoringUnit) -> Counts:
        """The histograms of a unit, of planted and of other pairs: (2, matchers, cells, `BINS`)."""
        trial, scorer = self._scorer(unit)
        counts = np.zeros((2, len(scorer.matchers), max(scorer.row_of) + 1, BINS), np.int64)
        queries = [*trial.queries(unit.mangler)]
        for place, matcher, scores in scorer([query.terms for query in queries]):
            planted, excluded = (
                _by_score(scores[:, places])
                for places in (queries[place].planted, queries[place].excluded)
            )
            counts[:, matcher] += planted, _by_score(scores) - planted - excluded
        return np.asarray(counts[:, :, scorer.row_of])

    def by_query(
        self, unit: ScoringUnit, choice: tuple[int, int]
    ) -> Iterator[tuple[Query, ScoreMatrix]]:
        """The scores of each query of a unit with all documents, for a matcher and a cell."""
        trial, (matcher, cell) = self._scorer(unit)[0], choice
        plan = self.dataset.plan
        single = trial.scorer(plan.matchers[matcher : matcher + 1], [plan.cells[cell]])
        queries = [*trial.queries(unit.mangler)]
        for place, _, scores in single([query.terms for query in queries]):
            yield queries[place], scores[0]

    def documents(self, unit: ScoringUnit) -> list[int]:
        """The documents with which the queries of a unit are compared."""
        return self._scorer(unit)[0].documents

    def _scorer(self, unit: ScoringUnit) -> tuple[Trial, CellScorer]:
        """The trial of a unit, and what scores its cells."""
        key = unit.trial, unit.group, unit.fold
        if not self._last or self._last[0] != key:
            trial, plan = Trial(self.dataset, *key), self.dataset.plan
            self._last = key, trial, trial.scorer(plan.matchers, plan.cells)
        return self._last[1:]

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_last": None}


def units_of(plan: ExperimentPlan) -> list[ScoringUnit]:
    """The units of work of a plan, in order: those of one trial, group and fold together."""
    manglers = [*range(len(plan.manglers)), None]
    return [
        ScoringUnit(trial, group, mangler, fold)
        for trial in range(plan.trials)
        for group in range(len(plan.groups))
        for fold in range(plan.folds)
        for mangler in manglers
    ]


@dataclass(frozen=True)
class Curve:
    """How many related and unrelated pairs reach each of the `CUTS`, over any leading axes.

    >>> related, unrelated = np.zeros(101, int), np.zeros(101, int)
    >>> related[[51, 91]], unrelated[[1, 31]] = 1, 4  # scores 50 and 90; 0 and 30
    >>> curve = Curve.of(related, unrelated)
    >>> float(curve.recall[50 - 1]), float(curve.false_positive_rate[30 - 1])
    (1.0, 0.5)
    """

    found: Counts
    false: Counts
    related: Counts
    unrelated: Counts

    @classmethod
    def of(cls, related: Counts, unrelated: Counts) -> Curve:
        """The curve of histograms whose last axis has the bins of a histogram."""
        reach = (np.cumsum(side[..., ::-1], axis=-1)[..., ::-1] for side in (related, unrelated))
        found, false = (side[..., CUTS + 1] for side in reach)
        return cls(found, false, related.sum(-1), unrelated.sum(-1))

    @property
    def recall(self) -> Floats:
        """The share of related pairs that are found."""
        return _share(self.found, self.related[..., None])

    @property
    def false_positive_rate(self) -> Floats:
        """The share of unrelated pairs that are found."""
        return _share(self.false, self.unrelated[..., None])

    @property
    def precision(self) -> Floats:
        """The share of related pairs among those found; 1 where none is."""
        return _share(self.found, self.found + self.false, 1.0)

    @property
    def f1(self) -> Floats:
        """The harmonic mean of precision and recall."""
        return _share(2 * self.found, self.found + self.false + self.related[..., None])

    @property
    def average_precision(self) -> Floats:
        """The mean of the precision over the related pairs, from the highest score to the lowest.

        Pairs of equal score are taken together; related pairs without a score add nothing.
        """
        gain = np.diff(self.found[..., ::-1], axis=-1, prepend=0)
        return _share((gain * self.precision[..., ::-1]).sum(-1), self.related)

    def best_cut(self, target: ChoiceTarget) -> Counts:
        """The place in `CUTS` of the cut that serves a target; where none does, the highest."""
        if target.name == RECALL:
            allowed = self.false_positive_rate <= target.false_positive_rate
            return np.where(allowed.any(-1), allowed.argmax(-1), len(CUTS) - 1)
        return np.asarray(self.f1.argmax(-1))

    def value(self, target: ChoiceTarget) -> Floats:
        """What a target maximises; 0 where no cut meets its condition."""
        if target.name == AVERAGE_PRECISION:
            return self.average_precision
        if target.name == RECALL:
            allowed = self.false_positive_rate <= target.false_positive_rate
            return np.asarray(np.where(allowed, self.recall, 0.0).max(-1))
        return np.asarray(self.f1.max(-1))

    def at(self, cut: int, target: ChoiceTarget) -> Floats:
        """What a target is worth at a place in `CUTS`, even where its condition does not hold."""
        if target.name == AVERAGE_PRECISION:
            return self.average_precision
        return np.asarray((self.recall if target.name == RECALL else self.f1)[..., cut])

    def measures(self, at: tuple[int, int, int], cut: int) -> dict[str, float]:
        """The measures of a group, a matcher and a cell at a cut, by their names."""
        there = (*at, cut - int(CUTS[0]))
        measures = {
            "recall": self.recall[there],
            "false_positive_rate": self.false_positive_rate[there],
            "precision": self.precision[there],
            "f1": self.f1[there],
            "average_precision": self.average_precision[at],
        }
        return {name: round(float(value), _DIGITS) for name, value in measures.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Measurements(ShortFields):
    """Numbers of pairs by score, of shape (groups, matchers, cells, folds, bins).

    `candidates` are the numbers of copies that an index finds, and of all, of shape (2, manglers,
    groups, cells).
    """

    related: Counts
    unrelated: Counts
    candidates: Counts

    @classmethod
    def empty(cls, plan: ExperimentPlan) -> Measurements:
        """Measurements of no pairs."""
        shape = (len(plan.groups), len(plan.matchers), len(plan.cells), plan.folds, BINS)
        copies = 2, len(plan.manglers), len(plan.groups), len(plan.cells)
        return cls(*(np.zeros(each, np.int64) for each in (shape, shape, copies)))

    def add(
        self,
        unit: ScoringUnit,
        at: tuple[int, int],
        planted: Counts,
        others: Counts,
        *,
        related: bool,
    ) -> None:
        """Add the histograms of planted and other pairs of a unit, at a matcher and cell.

        Copies that are not `related` to their documents must not match: they are unrelated pairs.
        The others are so only where documents are compared as they are: a copy scores lower with
        other documents than its document does.
        """
        key = (unit.group, *at, unit.fold)
        (self.related if related else self.unrelated)[key] += planted
        if unit.mangler is None:
            self.unrelated[key] += others
        elif not at[0]:  # what becomes a candidate is the same for every matcher
            copies = planted[1:].sum(), planted.sum()
            self.candidates[:, unit.mangler, unit.group, at[1]] += copies

    def curve(self, without: int | None = None, fold: int | None = None) -> Curve:
        """The curve of each group, matcher and cell: of all folds, of all but one, or of one."""
        folds = np.arange(self.related.shape[3])
        chosen = folds != without if fold is None else folds == fold
        return Curve.of(*(side[:, :, :, chosen].sum(3) for side in (self.related, self.unrelated)))


def _share(part: Numbers, whole: Numbers, empty: float = 0.0) -> Floats:
    shape = np.broadcast_shapes(part.shape, whole.shape)
    shares = np.full(shape, empty)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
