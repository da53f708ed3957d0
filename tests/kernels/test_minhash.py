"""Sketches of slots by Fast Similarity Sketching, their lowest bits, and the keys of bands."""

import numpy as np
import pytest
import xxhash as package
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.integer_and_byte_hashes import draws
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash import band_hashes, bbits
from sdtext.kernels.minhash.bbits import equal_slots, packed
from sdtext.kernels.minhash.fast_similarity_sketch import NO_VALUE, sketch_plain, sketches
from tests.kernels.rows import ROWS, packed_plain, pairs
from tests.support.strategies import BRISK

SEEDS = st.integers(0, 2**32 - 1)
SLOTS = 128


@BRISK
@given(rows=ROWS, slots=st.integers(1, 40), seed=SEEDS)
def test_many_documents_are_sketched_as_each_alone(rows: Ragged, slots: int, seed: int) -> None:
    result = sketches(rows, slots, seed)
    assert result.dtype == np.uint32
    assert result.tolist() == [sketch_plain(row.tolist(), slots, seed) for row in rows]


def test_all_slots_of_any_set_are_filled_and_no_slot_without() -> None:
    result = sketches(Ragged.of([[0], [], [2**64 - 1], range(1000), []]), SLOTS, 1)
    assert (result == NO_VALUE).all(axis=1).tolist() == [False, True, False, False, True]
    assert not (result[[0, 2, 3]] == NO_VALUE).any()


@pytest.mark.parametrize(("each", "most"), [(25, 0.6), (130, 0.7), (520, 0.85)])
def test_the_error_is_well_below_that_of_independent_slots(each: int, most: float) -> None:
    """Their squared error is J (1 - J) / slots. Measured: 0.50, 0.57, 0.78 of it."""
    left, right, jaccard = pairs(1000, each, each * 2 // 3, seed=each)
    shares = (sketches(left, SLOTS, 5) == sketches(right, SLOTS, 5)).mean(axis=1)
    assert ((shares - jaccard) ** 2).mean() < most * jaccard * (1 - jaccard) / SLOTS


def _sketches(count: int, slots: int, seed: int) -> list[list[int]]:
    """Random sketches; each is much like the first."""
    random = np.random.default_rng(seed)
    result = random.integers(0, 2**32, (count, slots))
    alike = random.random((count, slots)) < 0.5
    return np.where(alike, result[0], result).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@BRISK
@given(
    count=st.integers(1, 6), slots=st.integers(1, 200), seed=SEEDS,
    piece=st.sampled_from([1, 50, 1 << 18]),
)  # fmt: skip
def test_rows_are_packed_as_each_alone_and_equal_in_as_many_slots_as_before(
    bits: int, count: int, slots: int, seed: int, piece: int
) -> None:
    rows = _sketches(count, slots, seed)
    output = packed(np.array(rows, np.uint32), bits)
    assert [row.tobytes() for row in output] == [packed_plain(row, bits) for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bbits, "_PIECE", piece)
        result = equal_slots(output[0], output, bits)
    assert result.dtype == np.int64
    left_over = output.shape[1] * 8 // bits - slots
    lowest = (1 << bits) - 1
    equal = [sum((a ^ b) & lowest == 0 for a, b in zip(rows[0], row, strict=True)) for row in rows]
    assert (result - left_over).tolist() == equal


SLOT = st.integers(0, 2**32 - 1) | st.sampled_from([0, 1, 9, 10, 99, 100, 10**9, 2**32 - 1])
BANDS = st.integers(0, 8192)


def rows_of(width: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(SLOT, min_size=width, max_size=width), min_size=1, max_size=4)


# Four bytes, eight, a whole stripe of 32 and some, for all ways through the algorithm.
SLOT_ROWS = st.integers(1, 40).flatmap(rows_of)


@BRISK
@given(rows=SLOT_ROWS, band=BANDS, modulus=st.integers(2, 2**32 - 1))
def test_keys_are_those_of_each_row_alone(rows: list[list[int]], band: int, modulus: int) -> None:
    slots = np.array(rows, np.uint32)
    data = [np.array(row, "<u4").tobytes() for row in rows]
    by_package = [package.xxh64_intdigest(row, seed=band) for row in data]
    assert band_hashes.xxhash(slots, band).tolist() == by_package
    plain = [int("".join(map(str, row))) % modulus + (band << 32) for row in rows]
    assert band_hashes.positional(slots, band, modulus).tolist() == plain
    for row, combined in zip(rows, band_hashes.combine(slots, band).tolist(), strict=True):
        number = len(row)
        for slot in row:
            number ^= (slot + 0x9E3779B9 + (number << 6) + (number >> 2)) % 2**64
        assert combined == number ^ int(draws(band, 1)[0])


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
