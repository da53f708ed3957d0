"""The nearest range of a text: against all ranges, one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.passages.nearest_ranges import Text, nearest_ranges

WORDS = st.lists(st.integers(0, 2), min_size=1, max_size=9)


def edits(left: list[int], right: list[int]) -> int:
    row: list[int] = [*range(len(right) + 1)]
    for word in left:
        above, row = row, [row[0] + 1]
        for place, other in enumerate(right):
            row.append(min(above[place] + (word != other), above[place + 1] + 1, row[-1] + 1))
    return row[-1]


@given(
    rows=st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=3),
    words=WORDS,
    barred=st.sets(st.integers(0, 8), max_size=3),
    begin=st.integers(0, 5),
    is_before=st.booleans(),
)
def test_no_range_is_nearer(
    rows: list[list[int]], words: list[int], barred: set[int], begin: int, is_before: bool
) -> None:
    starts = np.arange(10, 10 + len(rows))
    mask = np.array([place in barred for place in range(len(words))])
    text = Text(np.array(words), mask, begin)
    near = nearest_ranges(np.array(rows), starts, text, (-20, 30), is_before=is_before)
    found = zip(near.edits.tolist(), near.starts.tolist(), near.ends.tolist(), strict=True)
    for run, start, (number, first, stop) in zip(rows, starts.tolist(), found, strict=True):
        ranges = [
            (low, high)
            for low in range(len(words) + 1)
            for high in range(low, len(words) + 1)
            if not barred & {*range(low, high)} and not (is_before and begin + high > start)
        ]
        assert number == min(edits(run, words[low:high]) for low, high in ranges)
        if first < stop:
            assert (first - begin, stop - begin) in ranges
            assert edits(run, words[first - begin : stop - begin]) == number
