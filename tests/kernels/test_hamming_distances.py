"""Codes as words, cut into groups, and their distances."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.hamming_distances import distance_plain, distances, words_of
from sdtext.kernels.hamming_join import BitPartition, keys_of
from tests.kernels.codes import codes_of
from tests.strategies import BRISK


def number(code: bytes) -> int:
    return int.from_bytes(code, "little")


@BRISK
@given(bits=st.integers(1, 300), seed=st.integers(0, 2**32 - 1), cut=st.data())
def test_keys_are_the_bits_of_their_group(bits: int, seed: int, cut: st.DataObject) -> None:
    codes = codes_of(5, bits, seed)
    groups = cut.draw(st.integers(1, bits))
    for group in BitPartition(bits, 0, groups).all:
        keys = keys_of(words_of(codes), group)
        ((start, width),) = group.parts
        expected = [number(code.tobytes()) >> start & (1 << width) - 1 for code in codes]
        assert keys.tolist() == expected


@BRISK
@given(bits=st.integers(1, 300), seed=st.integers(0, 2**32 - 1))
def test_distances_count_the_bits_that_are_different(bits: int, seed: int) -> None:
    codes = codes_of(8, bits, seed)
    words = words_of(codes)
    actual = distances(words, words[:, ::-1])
    expected = [
        distance_plain(first.tobytes(), other.tobytes())
        for first, other in zip(codes, codes[::-1], strict=True)
    ]
    assert actual.tolist() == expected
    assert distances(words[:, :1], words).tolist()[0] == 0
