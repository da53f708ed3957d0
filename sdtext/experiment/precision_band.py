"""The band of a precision–recall curve: how far it would differ with other documents.

The documents that are copied, or stand on the left of a pair, are drawn with repetition (Efron's
bootstrap), since the pairs of one document depend on each other. The band holds 95 % of the curves
drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.automatic_choice import ChosenCell
from sdtext.experiment.histograms import BINS, Curve, ScoringUnit, UnitScorer, units_of
from sdtext.experiment.run_experiment import ExperimentResult
from sdtext.reading.parallel_run import VERIFYING, Run, in_parallel

_SAMPLES = 400
_RECALLS = np.arange(0, 101) / 100
_LEAST_CURVES = 0.5  # share of the curves that must reach a recall

Counts = NDArray[np.int64]
Band = Sequence[tuple[float, float, float]]
"""Recall, and the least and the greatest precision at it."""


@dataclass(frozen=True, eq=False)
class _ByDocument:
    """Counts the pairs of each query by score, for one choice."""

    scorer: UnitScorer
    choice: ChosenCell

    def __call__(self, unit: ScoringUnit) -> list[tuple[int, Counts]]:
        """For each query its document, and related and unrelated pairs by score: (2, `BINS`)."""
        plan = self.scorer.plan
        is_related = plan.is_related(unit.mangler)
        rows = []
        for query, scores in self.scorer.by_query(unit, self.choice.place[1:]):
            bins = scores.astype(np.int64) + 1
            planted = np.bincount(bins[query.planted], minlength=BINS)
            excluded = np.union1d(query.planted, query.excluded)
            others = np.bincount(np.delete(bins, excluded), minlength=BINS)
            if unit.mangler is not None:  # only documents as they are measure false positives
                others[:] = 0
            sides = (planted, others) if is_related else (0 * planted, planted + others)
            rows.append((query.document, np.stack(sides)))
        return rows


def precision_band(result: ExperimentResult, run: Run | None = None) -> Band:
    """The band of the curve of the choice of a result; empty for a single document."""
    run, plan, choice = run or Run(), result.plan, result.choice
    work = _ByDocument(UnitScorer(plan, result.dataset), choice)
    units = [unit for unit in units_of(plan) if unit.group == choice.group]
    counts = np.zeros((len(result.dataset.names), 2, BINS), np.int64)
    for rows in in_parallel(work, units, run.jobs):
        for document, sides in rows:
            counts[document] += sides
        run.step(1, len(units), VERIFYING)
    return precision_band_of(counts[counts.any(axis=(1, 2))], plan.seed)


def precision_band_of(counts: Counts, seed: int) -> Band:
    """The band from the counts of each document, of shape (documents, 2, `BINS`)."""
    documents = len(counts)
    if documents < 2:
        return []
    chance = np.random.default_rng(seed)
    weights = chance.multinomial(documents, np.full(documents, 1 / documents), _SAMPLES)
    drawn = (weights @ counts.reshape(documents, -1)).reshape(_SAMPLES, 2, BINS)
    curves = Curve.of(drawn[:, 0], drawn[:, 1])
    at_recalls = np.stack([*map(_precision_at_recalls, curves.recall, curves.precision)])
    reached = (~np.isnan(at_recalls)).mean(axis=0) >= _LEAST_CURVES
    low, high = np.nanquantile(at_recalls[:, reached], [0.025, 0.975], axis=0)
    rows = zip(_RECALLS[reached].tolist(), low.tolist(), high.tolist(), strict=True)
    return list(rows)


def _precision_at_recalls(
    recall: NDArray[np.float64], precision: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The precision at each of `_RECALLS`, between the cuts in a straight line; NaN beyond them."""
    # Recall falls with the cut: of equal ones the first is that of the highest cut.
    distinct, first = np.unique(recall[::-1], return_index=True)
    return np.interp(_RECALLS, distinct, precision[::-1][first], right=np.nan)
