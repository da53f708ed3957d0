"""The readable reference of what windows have in common."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.window_overlaps import overlap, overlaps_along, pair_overlaps
from tests.support.strategies import BRISK

SEQUENCES = st.lists(st.integers(0, 4), max_size=20)


@BRISK
@given(left=SEQUENCES, right=SEQUENCES)
def test_the_overlap_is_that_of_bags(left: list[int], right: list[int]) -> None:
    assert overlap(left, right) == (Counter(left) & Counter(right)).total()


@BRISK
@given(window=st.lists(st.integers(0, 4), min_size=1, max_size=8), terms=SEQUENCES)
def test_counters_that_slide_are_as_each_window_alone(window: list[int], terms: list[int]) -> None:
    w = len(window)
    alone = [overlap(window, terms[j : j + w]) for j in range(len(terms) - w + 1)]
    assert overlaps_along(window, terms) == alone


@BRISK
@given(left=SEQUENCES, right=SEQUENCES, w=st.integers(1, 8))
def test_all_windows_at_once_are_as_one_by_one(left: list[int], right: list[int], w: int) -> None:
    result = pair_overlaps(left, right, w)
    assert result.shape == (max(len(left) - w + 1, 0), max(len(right) - w + 1, 0))
    for i, row in enumerate(result.tolist()):
        assert row == [overlap(left[i : i + w], right[j : j + w]) for j in range(len(row))]
