"""Boxes merged: the same as by looking at every pair again and again, in whatever order."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.kernels.passages.boxes import merged

Box = tuple[int, int, int, int]


def gap_between(first: Box, other: Box, axis: int) -> int:
    """The start of the later one less the end of the earlier one, on an axis."""
    return max(first[axis], other[axis]) - min(first[axis + 1], other[axis + 1])


def plainly_merged(rows: list[Box], gap: int) -> list[Box]:
    """Two boxes that are close become one, until there are none."""
    result = list(rows)
    while True:
        for first, other in combinations(result, 2):
            if gap_between(first, other, 0) <= gap and gap_between(first, other, 2) <= gap:
                result.remove(first)
                result.remove(other)
                low, high = map(min, zip(first, other)), map(max, zip(first, other))  # noqa: B905
                (a, _, c, _), (_, b, _, d) = low, high
                result.append((a, b, c, d))
                break
        else:
            return sorted(result)


def as_array(rows: list[Box]) -> NDArray[np.int64]:
    return np.array(rows, np.int64).reshape(-1, 4)


@st.composite
def many_boxes(draw: st.DrawFn) -> list[Box]:
    most = draw(st.sampled_from([10, 60, 300]))
    side = st.tuples(st.integers(0, most), st.integers(1, draw(st.sampled_from([3, 9, 40]))))
    rows = draw(st.lists(st.tuples(side, side), max_size=25))
    return [(a, a + height, b, b + width) for (a, height), (b, width) in rows]


@given(rows=many_boxes(), gap=st.integers(0, 12), pick=st.data())
def test_merging_is_that_of_every_pair_in_any_order(
    rows: list[Box], gap: int, pick: st.DataObject
) -> None:
    result = merged(as_array(rows), gap)
    assert [tuple(row) for row in result.tolist()] == plainly_merged(rows, gap)
    turned = merged(as_array(pick.draw(st.permutations(rows))), gap)
    assert np.array_equal(turned, result)
