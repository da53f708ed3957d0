"""Limits of shares, against sums of exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model.binomial_limits import lower_limit, share_interval, upper_limit


@given(successes=st.integers(0, 30), trials=st.integers(1, 200))
def test_at_the_limit_so_few_are_seen_with_a_probability_of_5_percent(
    successes: int, trials: int
) -> None:
    limit = upper_limit(successes, trials)
    if successes >= trials:
        assert limit == 1
        return
    share = Fraction(limit)
    terms = (comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(successes + 1))
    assert float(sum(terms)) == pytest.approx(0.05, rel=1e-6)


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


def test_limits_mirror_each_other() -> None:
    assert lower_limit(7, 20) == 1 - upper_limit(13, 20)
