"""Rows as sets."""

from __future__ import annotations

from hypothesis import given

from sdtext.kernels.arrays.ragged import Ragged, sorted_distinct
from tests.kernels.rows import ROWS


@given(rows=ROWS)
def test_each_row_is_sorted_and_distinct_and_the_given_rows_stay(rows: Ragged) -> None:
    before = rows.values.tolist()
    result = [row.tolist() for row in sorted_distinct(rows)]
    assert result == [sorted(set(row.tolist())) for row in rows]
    assert rows.values.tolist() == before
