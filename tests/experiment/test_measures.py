"""Measures from histograms and the automatic choice, compared with counts and a search by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.experiment.automatic_choice import middle_of_plateau, standard_error
from sdtext.experiment.histograms import CUTS, Curve, Measurements
from sdtext.experiment.plan import Cell, ChoiceTarget

pairs = st.lists(st.tuples(st.integers(-1, 99), st.booleans()), max_size=40)


def histogram(scores: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.bincount([score + 1 for score in scores], minlength=101)


def naive_average_precision(pairs: list[tuple[int, bool]]) -> float:
    """The sum over distinct scores of the gain in recall times precision."""
    related = sum(is_related for _, is_related in pairs)
    total = before = 0.0
    for cut in range(99, 0, -1):
        above = [is_related for score, is_related in pairs if score >= cut]
        if above and related:
            recall = sum(above) / related
            total += (recall - before) * sum(above) / len(above)
            before = recall
    return total


@given(pairs=pairs)
def test_measures_are_those_of_single_pairs(pairs: list[tuple[int, bool]]) -> None:
    related = [score for score, is_related in pairs if is_related]
    unrelated = [score for score, is_related in pairs if not is_related]
    curve = Curve.of(histogram(related), histogram(unrelated))
    for place, cut in enumerate(CUTS.tolist()):
        reached = sum(score >= cut for score in related)
        false = sum(score >= cut for score in unrelated)
        recall = reached / len(related) if related else 0.0
        precision = reached / (reached + false) if reached + false else 1.0
        both = reached + false + len(related)
        f1 = 2 * reached / both if both else 0.0
        assert curve.recall[place] == recall
        assert curve.precision[place] == precision
        assert curve.f1[place] == pytest.approx(f1)
        rate = false / len(unrelated) if unrelated else 0.0
        assert curve.false_positive_rate[place] == rate
    assert float(curve.average_precision) == pytest.approx(naive_average_precision(pairs))


@given(pairs=pairs, rate=st.sampled_from([0.01, 0.1, 0.5]))
def test_the_best_cut_serves_the_target(pairs: list[tuple[int, bool]], rate: float) -> None:
    sides = [
        histogram([s for s, is_related in pairs if is_related is side]) for side in (True, False)
    ]
    curve = Curve.of(*sides)
    allowed = [
        float(curve.recall[place])
        for place in range(len(CUTS))
        if curve.false_positive_rate[place] <= rate
    ]
    assert float(curve.value(ChoiceTarget("recall", rate))) == max(allowed, default=0.0)
    assert float(curve.value(ChoiceTarget("f1"))) == float(curve.f1.max())
    assert float(curve.value(ChoiceTarget("average-precision"))) == float(curve.average_precision)


def test_histograms_of_many_cells_are_measured_at_once() -> None:
    chance = np.random.default_rng(1)
    related, unrelated = chance.integers(0, 5, (2, 3, 4, 101))
    whole = Curve.of(related, unrelated)
    curve = Curve.of(related[1, 2], unrelated[1, 2])
    target = ChoiceTarget("recall", 0.1)
    assert whole.value(target)[1, 2] == curve.value(target)
    assert whole.best_cut(target)[1, 2] == curve.best_cut(target)
    assert whole.average_precision[1, 2] == pytest.approx(float(curve.average_precision))


def test_the_standard_error_is_that_of_the_folds() -> None:
    # Two copies of each of 40 documents agree: 20 documents are found in some folds, 4 in others.
    related, unrelated = np.zeros((2, 1, 1, 1, 5, 101), np.int64)
    for fold, documents in enumerate((8, 0, 8, 4, 0)):
        related[0, 0, 0, fold, 61] = 2 * documents
        related[0, 0, 0, fold, 11] = 2 * (8 - documents)
        unrelated[0, 0, 0, fold, 1] = 100
    measurements = Measurements(related, unrelated, np.zeros((2, 0, 1, 1), np.int64))
    place, target = (0, 0, 0), ChoiceTarget("recall", 0.01)
    error = standard_error(measurements, place, 49, target, None)
    assert error == pytest.approx(np.std([1, 0, 1, 0.5, 0], ddof=1) / 5**0.5)
    without = standard_error(measurements, place, 49, target, 3)
    assert without == pytest.approx(np.std([1, 0, 1, 0], ddof=1) / 2)
    assert error > 3 * (0.5 * 0.5 / 80) ** 0.5


LOWS, HIGHS = (0.0, 0.1, 0.2, 0.3, 0.4), (0.6, 0.7, 0.8, 0.9, 1.0)
CELLS = [Cell(low, high) for low in LOWS for high in HIGHS]


def test_the_plateau_is_what_is_as_good_and_hangs_together() -> None:
    values = np.full((5, 5), 0.5)
    values[:3, :3] = 0.90
    values[0, 0] = 0.91  # the best, in a corner
    values[3, 2] = 0.90
    values[4, 4] = 0.91 - 1e-9  # as good, but apart
    for error, size in ((0.0, 1), (0.011, 10), (0.05, 10), (0.9, 25)):
        assert middle_of_plateau(CELLS, values.ravel(), error)[1] == size


def test_the_choice_is_in_the_middle_of_the_plateau() -> None:
    values = np.full((5, 5), 0.5)
    values[1:4, 1:4] = 0.90
    values[1, 1] = 0.91
    for error, chosen, expected in ((0.02, Cell(0.2, 0.8), 9), (0.001, Cell(0.1, 0.7), 1)):
        cell, size = middle_of_plateau(CELLS, values.ravel(), error)
        assert (CELLS[cell], size) == (chosen, expected)
