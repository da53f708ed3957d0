"""The keys of bands."""

from __future__ import annotations

import numpy as np
import pytest
import xxhash as package
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.minhash import band_hashes
from tests.support.strategies import BRISK

SLOT = st.integers(0, 2**32 - 1) | st.sampled_from([0, 1, 9, 10, 99, 100, 10**9, 2**32 - 1])
BANDS = st.integers(0, 8192)


def rows_of(width: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(SLOT, min_size=width, max_size=width), min_size=1, max_size=4)


# Four bytes, eight, a whole stripe of 32 and some, for all ways through the algorithm.
ROWS = st.integers(1, 40).flatmap(rows_of)


@BRISK
@given(rows=ROWS, band=BANDS)
def test_xxhash_is_that_of_the_package(rows: list[list[int]], band: int) -> None:
    result = band_hashes.xxhash(np.array(rows, np.uint32), band)
    data = [np.array(row, "<u4").tobytes() for row in rows]
    assert result.tolist() == [package.xxh64_intdigest(row, seed=band) for row in data]


@BRISK
@given(rows=ROWS, band=BANDS, modulus=st.integers(2, 2**32 - 1))
def test_positional_writes_the_digits_one_after_another(
    rows: list[list[int]], band: int, modulus: int
) -> None:
    result = band_hashes.positional(np.array(rows, np.uint32), band, modulus)
    plain = [band_hashes.positional_plain(row, band, modulus) for row in rows]
    assert result.tolist() == plain


@BRISK
@given(rows=ROWS, band=BANDS)
def test_combine_works_in_each_slot(rows: list[list[int]], band: int) -> None:
    result = band_hashes.combine(np.array(rows, np.uint32), band)
    assert result.tolist() == [band_hashes.combine_plain(row, band) for row in rows]


def test_keys_are_the_same_however_many_documents_are_worked_on_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sketches = np.arange(60, dtype=np.uint32).reshape(10, 6)
    whole = band_hashes.keys(sketches, (3, 2), band_hashes.xxhash)
    monkeypatch.setattr(band_hashes, "_SOME", 3)
    assert band_hashes.keys(sketches, (3, 2), band_hashes.xxhash).tolist() == whole.tolist()


def test_a_key_is_of_its_own_slots_and_the_rest_belongs_to_no_band() -> None:
    sketches = np.arange(21, dtype=np.uint32).reshape(3, 7)
    result = band_hashes.keys(sketches, (3, 2), band_hashes.xxhash)
    assert result.shape == (3, 3)
    for band in range(3):
        part = sketches[:, 2 * band : 2 * band + 2]
        assert result[:, band].tolist() == band_hashes.xxhash(part, band).tolist()
