"""Dependence of pairs: against a sum over all pairs of pairs, and by the coverage of intervals."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.search.design_effect import DependentPairs, independent_cases


def slow_effect(pairs: list[tuple[int, int]], reached: list[bool]) -> float:
    """The design effect from its definition: a sum over all pairs that share a document."""
    share = sum(reached) / len(pairs)
    variance = sum(
        (high - share) * (other_high - share)
        for (pair, high), (other, other_high) in product(zip(pairs, reached, strict=True), repeat=2)
        if {*pair} & {*other}
    )
    return max(1.0, variance / (len(pairs) * share * (1 - share)))


@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), min_size=21, max_size=60
    )
)
def test_the_design_effect_is_a_sum_over_pairs_that_share_a_document(
    pairs: list[tuple[int, int, bool]],
) -> None:
    # All pairs are taken in both directions, so that the mean of the repeats is that of each; a
    # document may be in a pair with itself, as that of a copy that must not match is.
    once = {(left, right): high for left, right, high in pairs if left <= right}
    both = [pair for (i, j), high in once.items() for pair in ((i, j, high), (j, i, high))]
    left, right, score = np.array(both, np.int64).reshape(-1, 3).T
    reached = int(score.sum())
    [number] = DependentPairs.of(left, right, score).independent([1])
    if not 10 <= reached < len(score):
        assert number == len({*left.tolist(), *right.tolist()})
        return
    ends = [*zip(left.tolist(), right.tolist(), strict=True)]
    effect = slow_effect(ends, [bool(value) for value in score])
    assert number == pytest.approx(len(score) / effect, abs=1.01)


def test_pairs_with_a_common_document_are_not_independent() -> None:
    draw = np.random.default_rng(1)
    left, right = np.triu_indices(200, 1)
    own = draw.integers(0, 100, len(left))
    assert min(DependentPairs.of(left, right, own).independent(range(1, 100))) > len(left) / 2
    popular = draw.random(200) < 0.02
    shared = 90 * (popular[left] & (draw.random(len(left)) < 0.4)) + draw.integers(0, 9, len(left))
    numbers = DependentPairs.of(left, right, shared).independent(range(100))
    assert numbers[50] < len(left) / 20 < numbers[2]
    assert numbers[99] == numbers[98] >= numbers[50]
    few = left[:40], right[:40], own[:40] * 0
    assert set(DependentPairs.of(*few).independent(range(100))) == {len({0, *right[:40].tolist()})}


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted), min_size=1, max_size=30
    )
)
def test_cases_of_a_document_tell_as_much_as_one_where_they_agree(rows: list[list[int]]) -> None:
    successes, cases = np.array(rows, np.int64).T
    number = independent_cases(successes, cases)
    assert 0 <= number <= cases.sum()
    agreeing = np.repeat([0, 1], [30, 30])
    assert independent_cases(agreeing * 20, np.full(60, 20)) == 60
    assert independent_cases(np.full(60, 10), np.full(60, 20)) == 1200
    # Fewer than ten of either kind tell no dependence.
    rare = np.repeat([0, 9], [59, 1])
    assert independent_cases(rare, np.full(60, 20)) == 60
    assert independent_cases(20 - rare, np.full(60, 20)) == 60
    assert independent_cases(np.repeat([0, 10], [59, 1]), np.full(60, 20)) != 60
