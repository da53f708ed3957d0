"""Distances of codes, and how likely two of them are within a radius."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.hamming_join import BitPartition, distance_plain, distances, keys_of, words_of
from sdtext.parts.code_groups import least_radius, within
from tests.kernels.rows import codes_of
from tests.support.strategies import BRISK


@BRISK
@given(bits=st.integers(1, 300), seed=st.integers(0, 2**32 - 1), cut=st.data())
def test_keys_are_the_bits_of_their_group(bits: int, seed: int, cut: st.DataObject) -> None:
    codes = codes_of(5, bits, seed)
    groups = cut.draw(st.integers(1, bits))
    for group in BitPartition(bits, 0, groups).all:
        keys = keys_of(words_of(codes), group)
        ((start, width),) = group.parts
        numbers = [int.from_bytes(code.tobytes(), "little") for code in codes]
        expected = [number >> start & (1 << width) - 1 for number in numbers]
        assert keys.tolist() == expected


@BRISK
@given(bits=st.integers(1, 300), seed=st.integers(0, 2**32 - 1))
def test_distances_count_the_bits_that_are_different(bits: int, seed: int) -> None:
    codes = codes_of(8, bits, seed)
    words = words_of(codes)
    actual = distances(words, words[::-1])
    expected = [
        distance_plain(first.tobytes(), other.tobytes())
        for first, other in zip(codes, codes[::-1], strict=True)
    ]
    assert actual.tolist() == expected
    assert distances(words[0], words).tolist()[0] == 0


def exact(jaccard: Fraction, slots: int, bits: int, radius: int) -> Fraction:
    """Slot by slot: the distribution of the different bits of one, added up for all."""
    first = [(1 - jaccard) * Fraction(comb(bits, heads), 2**bits) for heads in range(bits + 1)]
    first[0] += jaccard
    result = [Fraction(1)]
    for _ in range(slots):
        longer = [Fraction(0)] * (len(result) + bits)
        for place, some in enumerate(result):
            for heads, share in enumerate(first):
                longer[place + heads] += some * share
        result = longer
    return sum(result[: radius + 1], Fraction(0))


@BRISK
@given(
    share=st.integers(0, 20),
    slots=st.integers(1, 20),
    bits=st.sampled_from([1, 2, 4]),
    radius=st.integers(0, 80),
)
def test_it_is_the_sum_over_slots(share: int, slots: int, bits: int, radius: int) -> None:
    expected = exact(Fraction(share, 20), slots, bits, radius)
    assert within(share / 20, slots, bits, radius) == pytest.approx(float(expected), rel=1e-9)


@BRISK
@given(
    jaccard=st.floats(0.05, 1), recall=st.floats(0.01, 0.99), slots=st.integers(8, 200),
    bits=st.sampled_from([1, 2, 4]),
)  # fmt: skip
def test_the_least_radius_finds_so_many_and_a_lesser_one_does_not(
    jaccard: float, recall: float, slots: int, bits: int
) -> None:
    radius = least_radius(jaccard, recall, slots, bits)
    assert within(jaccard, slots, bits, radius) >= recall
    assert not radius or within(jaccard, slots, bits, radius - 1) < recall
