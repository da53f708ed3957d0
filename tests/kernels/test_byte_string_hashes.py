"""The hashes of rows of bytes against their formula."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.integer_and_byte_hashes import hash_plain, hashes_of, span_hashes
from sdtext.kernels.arrays.ragged import Ragged
from tests.strategies import THOROUGH

ROWS = st.lists(st.binary(max_size=12) | st.binary(min_size=13, max_size=100), max_size=8)


@THOROUGH
@given(rows=ROWS)
def test_rows_are_hashed_by_the_formula(rows: list[bytes]) -> None:
    result = hashes_of(Ragged.of([list(row) for row in rows], "uint8"))
    assert result.tolist() == [hash_plain(row) for row in rows]


@THOROUGH
@given(data=st.binary(max_size=60), seed=st.integers(0, 2**64 - 1), pick=st.data())
def test_spans_anywhere_are_hashed_as_the_bytes_alone(
    data: bytes, seed: int, pick: st.DataObject
) -> None:
    places = st.integers(0, len(data))
    pairs = pick.draw(st.lists(st.tuples(places, places).map(sorted), max_size=6))
    starts, ends = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    result = span_hashes(np.frombuffer(data, np.uint8), starts, ends - starts, seed)
    assert result.tolist() == [hash_plain(data[start:end], seed) for start, end in pairs]


def test_a_row_of_megabytes_is_hashed_as_fast_as_many_short_ones() -> None:
    row = bytes(range(256)) * 4096
    (result,) = hashes_of(Ragged(np.frombuffer(row, np.uint8), np.array([0, len(row)]))).tolist()
    assert result == hash_plain(row)


def test_rows_that_differ_little_differ_in_their_hashes() -> None:
    rows = [bytes(size) for size in range(100)]
    rows += [b"%d" % number for number in range(20_000)]
    rows += [b"\x80" * 7 + bytes([byte]) + b"\x80" * 7 + bytes([byte]) for byte in range(256)]
    result = hashes_of(Ragged.of([list(row) for row in rows], "uint8"))
    assert len(set(result.tolist())) == len(set(rows))


def test_the_bits_of_hashes_of_similar_words_are_set_half_of_the_time() -> None:
    words = [b"word%d" % number for number in range(4096)]
    result = hashes_of(Ragged.of([list(word) for word in words], "uint8"))
    bits = np.unpackbits(result.view(np.uint8)).reshape(-1, 64).sum(axis=0)
    # Five standard deviations of a fair coin thrown 4,096 times are 160.
    assert abs(bits.astype(int) - 2048).max() < 160
