"""Likelihood ratios against the definition of isotonic regression, and their cost."""

from itertools import accumulate, pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.model.calibration import Calibration, SizeClass, costs, fitted_ratios

counts = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=9)
NONE = (0,) * 100


def slow_ratios(related: list[float], unrelated: list[float]) -> list[float]:
    """The ratios by the max-min formula: the greatest lower end of the least mean of a range."""
    places = range(len(related))

    def share(first: int, last: int) -> float:
        copies, others = sum(related[first : last + 1]), sum(unrelated[first : last + 1])
        return copies / (copies + others) if copies + others else inf

    shares = [
        max(
            min(share(first, last) for last in places if last >= place and share(first, last) < inf)
            for first in places
            if first <= place
        )
        for place in places
    ]
    scale = sum(unrelated) / sum(related)
    return [scale * value / (1 - value) for value in shares]


@given(pairs=counts)
@example([(1, 1), (3, 1), (1, 9)])  # what the last two are pooled to is below the first
def test_the_ratios_are_those_of_isotonic_regression(pairs: list[tuple[int, int]]) -> None:
    related, unrelated = map(list, zip(*pairs, strict=True))
    ratios = fitted_ratios(related, unrelated, (1, 1))
    assert all(low <= high * (1 + 1e-12) for low, high in pairwise(ratios))
    related[0] += 1
    unrelated[-1] += 1
    expected = slow_ratios(related, unrelated)
    for place, ratio in enumerate(ratios):
        if related[place] or unrelated[place]:
            assert ratio == pytest.approx(expected[place])
    ratio_bound = max(sum(related), sum(unrelated))
    assert 1 / ratio_bound <= min(ratios) <= max(ratios) <= ratio_bound


def test_a_score_that_no_pair_has_gets_the_ratio_that_is_nearer_to_1() -> None:
    for related, unrelated in (((0, 0, 90), (9, 0, 0)), ((0, 0, 9), (90, 0, 0))):
        low, gap, high = fitted_ratios(related, unrelated, (1, 1))
        assert low < 1 < high
        assert gap == min(low, high, key=lambda ratio: max(ratio, 1 / ratio))
    low, gap, high = fitted_ratios((0, 0, 90), (9, 0, 9), (1, 1))
    assert gap == high < 1 / low


@given(pairs=counts)
def test_no_monotonic_ratios_cost_less_on_their_pairs(pairs: list[tuple[int, int]]) -> None:
    related, unrelated = map(list, zip(*pairs, strict=True))
    fitted = fitted_ratios(related, unrelated, (1, 1))
    related[0] += 1
    unrelated[-1] += 1

    def cost(ratios: list[float]) -> float:
        low, high = costs(ratios, related, unrelated)
        return float(low / sum(related) + high / sum(unrelated))

    steps = np.random.default_rng(1).exponential(size=(20, len(pairs)))
    for row in steps:
        assert cost([*fitted]) <= cost([0.1 * value for value in accumulate(row)]) + 1e-9
    assert cost([*fitted]) <= 2 + 1e-9  # of what says nothing


def test_a_ratio_is_no_greater_than_independent_pairs_support() -> None:
    unrelated, related = (3_000, *[0] * 99), (*[0] * 90, 800, *[0] * 9)
    for independent in (3_000, 300):
        item = SizeClass(8, None, unrelated, related, (independent,) * 100, cllr=0.01)
        calibration = Calibration("cosine", "", 200, 0, ("shuffle",) * 4, [item])
        likelihood = calibration.likelihood(95, (40, 40))
        assert likelihood is not None
        assert independent * 0.9 <= likelihood.value <= independent + 1
        least = calibration.likelihood(0, (40, 40))
        assert least is not None
        assert 1 / 202 <= least.value <= 1 / 190  # four copies of each of 200 documents
    assert calibration.likelihood(95, (5, 40)) is None


@pytest.mark.parametrize("cllr", [None, 1.2])
def test_ratios_that_say_nothing_are_not_stated(cllr: float | None) -> None:
    item = SizeClass(8, None, (500, *[0] * 99), (*[0] * 60, 40, *[0] * 39), (500,) * 100, cllr=cllr)
    calibration = Calibration("cosine", "", 200, 0, ("shuffle",), [item])
    assert calibration.likelihood(60, (40, 40)) is None
    chance = calibration.chance(60, (40, 40), {8: 1})
    assert chance is not None
    assert "likelihood" not in str(chance)
