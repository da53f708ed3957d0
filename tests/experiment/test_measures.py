"""Measures, the automatic choice and its worth on held-out folds, against counts by hand."""

import random
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.experiment.automatic_choice import (
    ChosenCell,
    choices,
    middle_of_plateau,
    standard_error,
)
from sdtext.experiment.dataset import load_datasets
from sdtext.experiment.held_out import HeldOut, held_out
from sdtext.experiment.histograms import (
    CUTS,
    Curve,
    Measurements,
    ScoringUnit,
    UnitScorer,
    units_of,
)
from sdtext.experiment.plan import Cell, ChoiceTarget, plan_of
from sdtext.experiment.trial import Query
from sdtext.model.binomial_limits import share_interval
from sdtext.reading.parallel_run import Run
from sdtext.search.design_effect import DependentPairs, independent_cases

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


DOCUMENTS, QUERIES = 24, 16


@dataclass(frozen=True)
class Measured:
    """An experiment on some texts, and what is held out of its choices."""

    scorer: UnitScorer
    measurements: Measurements
    held: HeldOut

    def choice_without(self, fold: int) -> ChosenCell:
        """The choice on the other folds: that of measurements in which the fold has no pairs."""
        others = replace(
            self.measurements,
            related=self.measurements.related.copy(),
            unrelated=self.measurements.unrelated.copy(),
        )
        others.related[..., fold, :] = others.unrelated[..., fold, :] = 0
        plan = self.scorer.dataset.plan
        return choices(others, plan.cells, plan.target)[0]

    def scores(self, unit: ScoringUnit) -> list[tuple[Query, Any]]:
        """The scores above the cut of the choice for a unit, query by query."""
        choice = self.choice_without(unit.fold)
        chosen = ScoringUnit(unit.trial, choice.group, unit.mangler, unit.fold)
        rows = self.scorer.by_query(chosen, choice.place[1:])
        return [(query, scores.astype(int) - choice.cut) for query, scores in rows]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """An experiment whose choices differ between folds."""
    folder, chance = tmp_path_factory.mktemp("texts"), random.Random(3)
    words = [f"w{chr(97 + n % 26)}{n}" for n in range(300)]
    for number in range(DOCUMENTS):
        weights = [1 / (place + 1) * chance.random() for place in range(len(words))]
        lines = (" ".join(chance.choices(words, weights, k=8)) for _ in range(12))
        (folder / f"{number:02}.txt").write_text(f"Title {number}\n\n" + "\n".join(lines))
    table = {
        "dataset": str(folder),
        "groups": [
            {"name": "a", "tokenizer": "words", "filters": ["min-length(length=4)"]},
            {"name": "b", "tokenizer": "words"},
        ],
        "matcher": ["cosine", "idf-cosine"],
        "min_idf": [0.0, 0.2, 0.4],
        "max_idf": [0.7, 1.0],
        "manglers": ["keep-lines(share=0.3)", "fragment(share=0.15)", "keep-lines(share=0)"],
        "false_positive_rate": 0.03,
        "folds": 4,
        "queries": QUERIES,
        "trials": 2,
    }
    plan = plan_of(table)
    scorer = UnitScorer(load_datasets([plan])[0])
    measurements = Measurements.empty(plan)
    for unit in units_of(plan):
        planted, others = scorer(unit)
        related = plan.is_related(unit.mangler)
        for at in np.ndindex(planted.shape[:2]):
            measurements.add(unit, at, planted[at], others[at], related=related)
    return Measured(scorer, measurements, held_out(scorer, measurements, Run()))


def test_each_fold_is_measured_by_the_choice_of_the_others(measured: Measured) -> None:
    expected = [measured.choice_without(fold) for fold in range(4)]
    plan = measured.scorer.dataset.plan
    assert [
        (plan.groups[c.group].name, str(plan.matchers[c.matcher]), c.cut) for c in expected
    ] == [(choice["group"], choice["matcher"], choice["cut"]) for choice in measured.held.choices]
    assert len({(c.group, c.matcher, c.cell, c.cut) for c in expected}) > 1
    assert any(c.group for c in expected)
    successes, cases = np.zeros((2, DOCUMENTS), np.int64)
    for unit in units_of(plan):
        if unit.group == 0 and plan.is_related(unit.mangler):
            for query, above in measured.scores(unit):
                successes[query.document] += sum(above[query.planted] >= 0)
                cases[query.document] += len(query.planted)
    recall = measured.held.recall
    assert (
        (recall.part, recall.whole) == (successes.sum(), cases.sum()) == (recall.part, 2 * 2 * 16)
    )
    independent = independent_cases(successes, cases)
    assert recall.interval == share_interval(recall.part, recall.whole, independent)
    by_mangler = [rate.whole for rate in measured.held.by_mangler.values()]
    assert by_mangler == [2 * QUERIES] * 3


def test_false_positives_are_all_unrelated_pairs_at_the_cut(measured: Measured) -> None:
    scorer = measured.scorer
    draws = scorer.dataset
    pairs = []
    unchanged: list[list[frozenset[int]]] = [[], []]
    for unit in units_of(scorer.dataset.plan):
        if unit.group == 0 and unit.mangler is None:
            for query, above in measured.scores(unit):
                others = {*range(DOCUMENTS)} - {*query.excluded.tolist()}
                unchanged[unit.trial] += [frozenset((query.document, place)) for place in others]
                pairs += [(query.document, place, above[place]) for place in sorted(others)]
        elif unit.group == 0 and not scorer.dataset.plan.is_related(unit.mangler):
            for query, above in measured.scores(unit):
                pairs += [(query.document, query.document, above[query.document])]
    compared_pairs = [
        {
            frozenset((query, place))
            for query, place in product(draws.queries(trial), range(DOCUMENTS))
            if query != place and draws.folds[query] == draws.folds[place]
        }
        for trial in range(2)
    ]
    for found, expected in zip(unchanged, compared_pairs, strict=True):
        # Each pair of different documents of a fold once, of which one at least is a query.
        assert {*found} == expected
        assert len(found) == len(expected)
    left, right, above = np.array(pairs, np.int64).T
    assert (left == right).sum() == 2 * QUERIES  # unrelated copies with their documents
    false = measured.held.false_positives
    assert (false.part, false.whole) == (sum(above >= 0), len(pairs))
    compared = np.bincount(left, minlength=24) + np.bincount(right[left != right], minlength=24)
    distinct = len(compared_pairs[0] | compared_pairs[1])
    dependent = DependentPairs(left, right, above, compared, len(pairs), len(pairs) / distinct)
    independent = dependent.independent(range(int(above.min()), 1))[-1]
    independent = min(independent, distinct + 2 * QUERIES)  # and copies that must not match
    assert false.interval == share_interval(false.part, false.whole, independent)
