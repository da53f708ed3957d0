"""Measures from histograms of scores: a threshold is a place in a running sum.

A pair is found where its score is the cut or more. Pairs that are not comparable are never found:
a related one counts as missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.experiment.plan import AVERAGE_PRECISION, RECALL, ChoiceTarget

CUTS = np.arange(1, 100)
"""The scores that a minimum can be. At 0 all comparable pairs would be found."""

Floats = NDArray[np.float64]
Numbers = NDArray[Any]
Counts = NDArray[np.int64]


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
        cut = self.best_cut(target)
        if target.name == RECALL:
            allowed = _at(self.false_positive_rate, cut) <= target.false_positive_rate
            return np.where(allowed, _at(self.recall, cut), 0.0)
        return _at(self.f1, cut)

    def at(self, cut: int, target: ChoiceTarget) -> Floats:
        """What a target is worth at a place in `CUTS`, even where its condition does not hold."""
        if target.name == AVERAGE_PRECISION:
            return self.average_precision
        return np.asarray((self.recall if target.name == RECALL else self.f1)[..., cut])


def _at(values: Floats, cut: Counts) -> Floats:
    return np.asarray(np.take_along_axis(values, np.asarray(cut)[..., None], -1)[..., 0])


def _share(part: Numbers, whole: Numbers, empty: float = 0.0) -> Floats:
    shape = np.broadcast_shapes(part.shape, whole.shape)
    shares = np.full(shape, empty)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
