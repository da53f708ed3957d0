"""Limits of shares, against sums of exact fractions."""

from fractions import Fraction
from math import ceil, comb, floor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.model.binomial_limits import lower_limit, share_interval, upper_limit


@given(successes=st.integers(0, 30), trials=st.integers(1, 200))
def test_at_the_limit_so_few_are_seen_in_5_percent_of_trials(successes: int, trials: int) -> None:
    limit = upper_limit(successes, trials)
    if successes >= trials:
        assert limit == 1
        return
    assert at_most(successes, trials, limit) == pytest.approx(0.05, rel=1e-6)


def test_the_limit_of_many_trials_is_found_too() -> None:
    assert upper_limit(0, 300_000) == pytest.approx(1e-5, rel=0.01)
    assert upper_limit(3_000, 300_000) == pytest.approx(0.0103, rel=0.01)
    assert upper_limit(150_000, 300_000) == pytest.approx(0.5015, rel=0.001)


@given(trials=st.integers(1, 60), independent=st.integers(1, 60))
def test_an_interval_rises_with_the_number_of_successes(trials: int, independent: int) -> None:
    intervals = [share_interval(number, trials, independent) for number in range(trials + 1)]
    lows, highs = zip(*intervals, strict=True)
    assert [*lows] == sorted(lows)
    assert [*highs] == sorted(highs)
    for number, (low, high) in enumerate(intervals):
        assert low <= number / trials <= high
    assert intervals[0][0] == 0
    assert intervals[-1][1] == 1


@given(successes=st.integers(0, 60), trials=st.integers(1, 60), independent=st.integers(1, 60))
@example(1, 3, 2)
@example(2, 3, 2)
def test_each_end_of_an_interval_leaves_2_and_a_half_percent_beyond(
    successes: int, trials: int, independent: int
) -> None:
    successes = min(successes, trials)
    low, high = share_interval(successes, trials, independent)
    # Of independent trials rather fewer are seen below, and rather more above.
    seen = Fraction(successes * independent, trials)
    few, many = floor(seen), ceil(seen)
    if few:
        assert at_most(few - 1, independent, low) == pytest.approx(0.975, rel=1e-6)
    if many < independent:
        assert at_most(many, independent, high) == pytest.approx(0.025, rel=1e-6)


def at_most(successes: int, trials: int, share: float) -> float:
    """The probability of so few successes, as a sum of exact fractions."""
    part = Fraction(share)
    terms = (comb(trials, k) * part**k * (1 - part) ** (trials - k) for k in range(successes + 1))
    return float(sum(terms))


def test_limits_mirror_each_other_and_nothing_is_known_without_trials() -> None:
    assert share_interval(0, 0, 5) == share_interval(1, 5, 0) == (0.0, 1.0)
    assert lower_limit(7, 20) == 1 - upper_limit(13, 20)
