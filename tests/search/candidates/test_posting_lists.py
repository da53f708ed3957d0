"""The pairs of rows in posting lists are those of rows that share one of the values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.c_library import KERNELS
from sdtext.search.candidates.exact_join import _InvertedIndex
from tests.support.strategies import BRISK

SETS = st.lists(st.frozensets(st.integers(0, 30), max_size=8), max_size=10)


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
@given(sets=SETS, share=st.sampled_from([0.01, 0.3, 0.5, 0.8, 1.0]))
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
