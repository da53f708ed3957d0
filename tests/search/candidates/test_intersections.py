"""Common values are counted as Python's sets count them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.search.candidates import intersections
from sdtext.search.candidates.intersections import common, common_counts
from tests.support.strategies import BRISK

VALUES = st.integers(0, 40) | st.sampled_from([2**64 - 1, 2**63, 2**16, 2**17, 2**40])
SETS = st.lists(st.frozensets(VALUES, max_size=12), min_size=1, max_size=8)


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
    assert common(ragged(lefts), ragged(rights), (left, right)).tolist() == wanted


@BRISK
@given(query=st.frozensets(VALUES), sets=SETS, chunk=st.sampled_from([1, 3, 1 << 20]))
def test_common_with_all_is_the_size_of_each_intersection(
    query: frozenset[int], sets: list[frozenset[int]], chunk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intersections, "_CHUNK", chunk)
        result = common_counts(np.array(sorted(query), np.uint64), ragged(sets))
    assert result.tolist() == [len(query & item) for item in sets]


def test_no_rows_share_nothing() -> None:
    none = np.empty(0, np.int64)
    assert common(Ragged.of([]), Ragged.of([]), (none, none)).tolist() == []
    assert common_counts(np.array([1], np.uint64), Ragged.of([])).tolist() == []
