"""Sums of weights over the bits of packed vectors, and rows as sets."""

from itertools import compress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.equal_rows import sorted_hashes
from sdtext.kernels.arrays.packed_bits import weight_sum, weight_sums
from sdtext.kernels.arrays.ragged import Ragged, sorted_distinct
from tests.kernels.rows import ROWS


@pytest.mark.parametrize("terms", [1, 13, 8191, 8192, 8193, 20_000])
@given(seed=st.integers(0, 99), most=st.sampled_from([0, 1, 2047, 2**33 + 1, 2**64 - 1]))
def test_totals_of_rows_are_the_exact_sums_rounded_once(terms: int, seed: int, most: int) -> None:
    drawn = np.random.default_rng(seed)
    numbers = [most, *drawn.integers(0, most, terms - 1, np.uint64, endpoint=True).tolist()]
    packed = np.packbits(drawn.random((17, terms)) < drawn.random(), axis=1, bitorder="little")
    packed[0] = 0
    packed[1] = np.packbits(np.ones(terms, np.uint8), bitorder="little")
    weights = np.array(numbers, np.uint64)
    bits = np.unpackbits(packed, axis=1, count=terms, bitorder="little").tolist()
    exact = [sum(compress(numbers, row)) for row in bits]
    assert [weight_sum(row.tobytes(), weights) for row in packed] == exact
    assert weight_sums(packed, weights).tolist() == [float(total) for total in exact]


@given(rows=ROWS)
def test_each_row_is_sorted_and_distinct_and_the_given_rows_stay(rows: Ragged) -> None:
    before = rows.values.tolist()
    result = [row.tolist() for row in sorted_distinct(rows)]
    assert result == [sorted(set(row.tolist())) for row in rows]
    assert rows.values.tolist() == before


@given(hashes=st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2, 2**63, 2**63 + 1])))
def test_hashes_are_sorted_by_all_of_their_bits_and_equal_ones_by_their_places(
    hashes: list[int],
) -> None:
    given_hashes = np.array(hashes, np.uint64)
    places, ordered = sorted_hashes(given_hashes)
    assert places.tolist() == np.argsort(given_hashes, kind="stable").tolist()
    assert ordered.tolist() == sorted(hashes)
