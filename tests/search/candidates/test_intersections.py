"""Common values, and pairs in posting lists, are those of Python's sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.c_library import KERNELS
from sdtext.search.candidates.exact_join import _InvertedIndex
from sdtext.search.candidates.intersections import (
    common,
    common_counts,
    common_counts_plain,
    common_plain,
)
from tests.support.strategies import BRISK

VALUES = st.integers(0, 40) | st.sampled_from([2**64 - 1, 2**63, 2**16, 2**17, 2**40])
ROW = st.frozensets(VALUES, max_size=12)
LONG = st.frozensets(st.integers(0, 300)).map(lambda row: row | {*range(100, 200)})
SETS = st.lists(ROW | st.builds(frozenset.union, ROW, LONG), min_size=1, max_size=8)


def ragged(sets: list[frozenset[int]]) -> Ragged:
    return Ragged.of([sorted(item) for item in sets])


@BRISK
@given(lefts=SETS, rights=SETS, pick=st.data())
def test_common_is_the_size_of_the_intersection(
    lefts: list[frozenset[int]], rights: list[frozenset[int]], pick: st.DataObject
) -> None:
    places = st.tuples(st.integers(0, len(lefts) - 1), st.integers(0, len(rights) - 1))
    pairs = pick.draw(st.lists(places))
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    wanted = [len(lefts[first] & rights[other]) for first, other in pairs]
    for count in (common, common_plain):
        assert count(ragged(lefts), ragged(rights), (left, right)).tolist() == wanted


@BRISK
@given(query=st.frozensets(VALUES), sets=SETS)
def test_common_with_all_is_the_size_of_each_intersection(
    query: frozenset[int], sets: list[frozenset[int]]
) -> None:
    for count in (common_counts, common_counts_plain):
        result = count(np.array(sorted(query), np.uint64), ragged(sets))
        assert result.tolist() == [len(query & item) for item in sets]


def test_no_rows_share_nothing() -> None:
    none = np.empty(0, np.int64)
    assert common(Ragged.of([]), Ragged.of([]), (none, none)).tolist() == []
    assert common_counts(np.array([1], np.uint64), Ragged.of([])).tolist() == []


ROWS = st.lists(st.frozensets(st.integers(0, 30), max_size=8), max_size=10)


def pairs_of(sets: list[frozenset[int]], share: float) -> tuple[set[tuple[int, int]], int, int]:
    """The pairs by prefixes, how many were listed, and how many postings were read."""
    index = _InvertedIndex.of(Ragged.of([sorted(row) for row in sets]))
    batches = list(index.pairs(index.rarest(share)))
    listed = [
        pair
        for _, rows, others in batches
        for pair in zip(rows.tolist(), others.tolist(), strict=True)
    ]
    return {*listed}, len(listed), sum(read for read, _, _ in batches)


@BRISK
@given(sets=ROWS, share=st.sampled_from([0.01, 0.3, 0.5, 0.8, 1.0]))
def test_rows_that_share_enough_are_pairs_once_and_in_the_reference(
    sets: list[frozenset[int]], share: float
) -> None:
    pairs, listed, read = pairs_of(sets, share)
    assert listed == len(pairs)
    for left, row in enumerate(sets):
        for right, other in enumerate(sets):
            shared = len(row & other)
            if left != right and row and shared >= max(1, share * len(row)):
                assert (left, right) in pairs
            assert (left, right) not in pairs or (shared and left != right)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(KERNELS, "posting_pairs")
        plain, _, plainly_read = pairs_of(sets, share)
    assert (plain, plainly_read) == (pairs, read)


def test_more_pairs_than_are_returned_at_once() -> None:
    pairs, listed, _ = pairs_of([frozenset([1, 2])] * 1100, 1.0)
    assert listed == len(pairs) == 1100 * 1099
