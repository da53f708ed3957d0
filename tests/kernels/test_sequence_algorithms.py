"""Stretches of numbers, beside all stretches there are."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.passages.sequence_algorithms import best_run, equal_ahead, rising

NUMBERS = st.lists(st.integers(0, 4), max_size=9)


@given(weights=st.lists(st.integers(-5, 5), max_size=12))
def test_the_best_run_has_the_greatest_sum_and_is_the_first_of_equals(weights: list[int]) -> None:
    start, end = best_run(np.array(weights, np.int64))
    runs = [(sum(weights[a:b]), b, a) for a, b in combinations(range(len(weights) + 1), 2)]
    best = max((total for total, _, _ in runs), default=0)
    if best <= 0:
        assert (start, end) == (0, 0)
    else:
        assert (end, start) == min((b, a) for total, b, a in runs if total == best)


@given(same=st.integers(0, 400), left=NUMBERS, right=NUMBERS)
def test_equal_ahead_counts_until_the_first_that_differs(
    same: int, left: list[int], right: list[int]
) -> None:
    first, other = [*range(same), *left], [*range(same), *right]
    ahead = 0
    while ahead < min(len(first), len(other)) and first[ahead] == other[ahead]:
        ahead += 1
    assert equal_ahead(np.array(first, np.int64), np.array(other, np.int64)) == ahead


@given(values=st.lists(st.integers(0, 9), max_size=9))
def test_no_run_that_rises_is_longer(values: list[int]) -> None:
    places = rising(values)
    chosen = [values[place] for place in places]
    assert places == sorted(set(places))
    assert chosen == sorted(set(chosen))
    longest = max(
        count
        for count in range(len(values) + 1)
        if any(list(some) == sorted(set(some)) for some in combinations(values, count))
    )
    assert len(chosen) == longest
