"""Likelihood ratios against the definition of isotonic regression, and their cost."""

from dataclasses import replace
from itertools import pairwise
from math import inf

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.calibration import (
    RATES,
    Calibration,
    SizeClass,
    fitted_ratios,
    most_sensitive,
    size_classes,
)
from sdtext.model.dictionary import Dictionary
from tests.support.strategies import BRISK

histograms = st.dictionaries(st.integers(0, 99), st.integers(1, 4000), max_size=6).map(
    lambda counts: tuple(counts.get(score, 0) for score in range(100))
)
NONE = (0,) * 100


def calibration(*classes: SizeClass, matcher: str = "cosine") -> Calibration:
    return Calibration(matcher, "2026-01-02T03:04:05Z", 90, 3, ("truncate",), classes)


def evenly(pairs: int, high: int, *, least: int = 8, most: int | None = None) -> SizeClass:
    """A class of pairs that score 0, except for `high` pairs that score 50."""
    unrelated = (pairs - high, *[0] * 49, high, *[0] * 49)
    return SizeClass(least, most, unrelated, (*[0] * 60, 40, *[0] * 39), (pairs,) * 100)


@BRISK
@given(unrelated=histograms, score=st.integers(0, 99), share=st.floats(0.01, 1))
def test_a_level_is_the_least_score_whose_bound_keeps_the_rate(
    unrelated: tuple[int, ...], score: int, share: float
) -> None:
    item = SizeClass(8, None, unrelated, NONE, (int(share * sum(unrelated)),) * 100)
    if not item.pairs:
        return
    assert item.reached(score) == sum(unrelated[score:])
    assert item.rate(score) == sum(unrelated[score:]) / sum(unrelated)
    assert item.bound(score) >= item.rate(score)
    for rate in RATES:
        level = item.level(rate)
        if level is not None:
            assert item.bound(level) <= rate
            assert level == 1 or item.bound(level - 1) > rate
        else:
            assert item.bound(99) > rate


@pytest.mark.parametrize(("pairs", "is_stated"), [(28, False), (29, True)])
def test_nothing_is_stated_where_ten_percent_is_possible(pairs: int, is_stated: bool) -> None:
    item = SizeClass(8, None, (pairs, *[0] * 99), (0,) * 100, (pairs,) * 100)
    calibration = Calibration("cosine", "", 9, 0, (), (item,))
    assert (calibration.class_of(8, 8) is item) == is_stated
    assert (calibration.chance(50, (8, 8), {8: 1}) is not None) == is_stated
    assert (1 - 0.1) ** pairs > 0.05 or is_stated


def test_the_class_of_a_pair_is_that_of_the_smaller_vector() -> None:
    assert size_classes() == [(8, 31), (32, 127), (128, 511), (512, None)]
    small, large = evenly(900, 9, most=31), evenly(40_000, 20, least=32)
    both = calibration(small, large)
    assert both.class_of(9, 4000) is both.class_of(4000, 9) is small
    assert both.class_of(32, 4000) is large
    assert both.class_of(7, 4000) is None
    empty = calibration(small, SizeClass(32, None, NONE, NONE, NONE))
    assert empty.class_of(40, 40) is None
    assert empty.chance(50, (40, 40), {32: 9}) is None


def test_the_number_expected_is_a_sum_over_the_sizes_of_what_was_compared() -> None:
    both = calibration(evenly(40_000, 400, most=31), evenly(40_000, 40, least=32))
    chance = both.chance(31, (90, 90), {8: 100, 32: 1_000, 512: 0})
    assert chance is not None
    assert chance.rate == 0.001
    assert chance.expected == pytest.approx(100 * 0.01 + 1_000 * 0.001)
    limits = [item.bound(31) for item in both.classes]
    assert chance.expected_at_most == pytest.approx(100 * limits[0] + 1_000 * limits[1])
    mixed = calibration(evenly(40_000, 2, most=31), evenly(40_000, 40, least=32))
    rare = mixed.chance(31, (90, 90), {8: 100, 32: 1_000})
    assert rare is not None
    assert (rare.rate, rare.expected) == (0.001, None)
    partial = both.chance(31, (20, 90), {0: 30, 8: 70})
    assert partial is not None
    assert (partial.compared, partial.left_out) == (70, 30)


def test_levels_and_rates_are_stated_for_sizes_that_were_measured_alone() -> None:
    tiny, large = evenly(90, 0, most=31), evenly(40_000, 400, least=32)
    both = calibration(tiny, large)
    assert (both.level(9, 99), both.level(99, 99)) == (None, 51)
    assert (both.recommended_level(9, 99), both.recommended_level(99, 99)) == (100, 51)
    assert both.with_level({0: 7, 8: 30, 32: 5, 512: 2}) == 7
    assert both.recall() == 0.5  # the copies of either size score 60
    assert both.levels_described().startswith("51 or more with 32 or more terms, none with 8 to 31")
    none = calibration(tiny, matcher="none")
    assert (none.recommended_rate, none.recommended_level(9, 9)) == (None, 100)
    assert most_sensitive([none]) is None
    small, large = evenly(500, 0, most=31), evenly(40_000, 400, least=32)
    both = calibration(small, large)
    assert (small.level(0.001), large.level(0.001)) == (None, 51)
    assert (both.recommended_rate, [level for _, level in both.recommended]) == (0.01, [1, 51])


def test_matchers_are_compared_at_one_rate_and_over_all_sizes() -> None:
    tiny, large = evenly(90, 0, most=31), evenly(40_000, 400, least=32)
    both, few = calibration(tiny, large), calibration(evenly(500, 0), matcher="few")
    partly = SizeClass(8, None, large.unrelated, (30, *[0] * 59, 50, *[0] * 39), (40_000,) * 100)
    most = calibration(partly, matcher="most")  # finds 5 of 8 copies, `both` one of two
    assert most_sensitive([few, both, most]) is most
    assert most_sensitive([few, both]) is both
    assert most_sensitive([few]) is few
    assert (few.recommended_rate, few.recall()) == (0.01, 0.0)
    assert most_sensitive([replace(most, bundled=True), few]) is few


def test_calibrations_belong_to_a_dictionary_but_not_to_its_content() -> None:
    plain = Dictionary.of({"bee": 2, "wax": 1}, 9, RecipeSpec(PartSpec("words")))
    first, other = calibration(evenly(900, 9)), calibration(evenly(99, 9), matcher="exact")
    newer = calibration(evenly(901, 9))
    both = plain.with_calibrations([other, first]).with_calibrations([newer])
    assert both.calibrations == (newer, other)
    assert both.digest == plain.digest
    assert both.calibration("exact") is other
    assert both.calibration("dice") is None
    assert both.trim(-1, 1).calibrations == ()


counts = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=9)


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
