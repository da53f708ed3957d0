"""The keys of bands."""

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
@given(rows=ROWS, band=BANDS, modulus=st.integers(2, 2**32 - 1))
def test_keys_are_those_of_each_row_alone(rows: list[list[int]], band: int, modulus: int) -> None:
    slots = np.array(rows, np.uint32)
    data = [np.array(row, "<u4").tobytes() for row in rows]
    by_package = [package.xxh64_intdigest(row, seed=band) for row in data]
    assert band_hashes.xxhash(slots, band).tolist() == by_package
    plain = [band_hashes.positional_plain(row, band, modulus) for row in rows]
    assert band_hashes.positional(slots, band, modulus).tolist() == plain
    combined = [band_hashes.combine_plain(row, band) for row in rows]
    assert band_hashes.combine(slots, band).tolist() == combined


def test_a_key_is_of_its_own_slots_however_many_documents_are_worked_on_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sketches = np.arange(70, dtype=np.uint32).reshape(10, 7)
    for some in (band_hashes._SOME, 3):
        monkeypatch.setattr(band_hashes, "_SOME", some)
        result = band_hashes.keys(sketches, (3, 2), band_hashes.xxhash)
        assert result.shape == (10, 3)  # the last slot belongs to no band
        for band in range(3):
            part = sketches[:, 2 * band : 2 * band + 2]
            assert result[:, band].tolist() == band_hashes.xxhash(part, band).tolist()
