"""Pairs of codes within a radius: by keys and by a scan, each equal to brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.c_library import KERNELS
from sdtext.kernels.hamming_join import BitPartition, SortedKeys, pairs_by_keys
from sdtext.reuse.sentence_finder import NearPairs, TooManyPairs, near_pairs
from tests.kernels.rows import codes_of, near_pairs_plain, triples

BITS = st.sampled_from([8, 24, 64, 100, 128, 200])
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def cuts(draw: st.DrawFn) -> BitPartition:
    """Any radius and number of groups, but for such as would look up millions of keys."""
    bits = draw(BITS)
    if bits >= 64 and draw(st.booleans()):
        radius, equal = draw(st.integers(0, 4)), draw(st.integers(2, 3))
        return BitPartition(bits, radius, radius + equal + draw(st.integers(0, 3)), equal)
    radius = draw(st.integers(0, min(20, bits - 1)))
    least = 1 + radius // 3
    return BitPartition(bits, radius, draw(st.integers(least, min(bits, radius + 6))))


@given(cut=cuts(), counts=st.tuples(st.integers(0, 25), st.integers(0, 25)), seed=SEEDS)
def test_pairs_within_one_and_of_two_are_those_of_brute_force(
    cut: BitPartition, counts: tuple[int, int], seed: int
) -> None:
    whole = codes_of(sum(counts), cut.bits, seed)
    left, right = whole[: counts[0]], whole[counts[0] :]
    for first, other in ((whole, None), (left, right)):
        expected = near_pairs_plain(first, other, cut.radius)
        assert triples(near_pairs(first, other, cut.radius, cut)) == expected
        assert triples(near_pairs(first, other, cut.radius)) == expected
    blocks = pairs_by_keys(left, right, SortedKeys.of(right, cut))
    assert sorted(row for block in blocks for row in triples(NearPairs(*block))) == expected


@pytest.mark.parametrize("instructions", [0, 2])
def test_more_pairs_than_are_returned_at_once(instructions: int) -> None:
    KERNELS["instruction_set"](instructions)
    codes = np.arange(1 << 10, dtype="<u8").view(np.uint8).reshape(-1, 8)
    pairs = (1 << 10) * 1023 // 2  # numbers of ten bits are all within ten of each other
    for cut in (None, BitPartition(64, 10, 11), BitPartition(64, 10, 4)):
        result = near_pairs(codes, None, 10, cut)
        assert len(result.left) == len({*zip(result.left, result.right, strict=True)}) == pairs
        assert len(near_pairs(codes, codes, 10, cut).left) == 2 * pairs + len(codes)


def test_keys_of_other_codes_are_refused() -> None:
    codes = codes_of(50, 64, 1)
    keys = SortedKeys.of(codes, BitPartition(64, 2, 3))
    with pytest.raises(ValueError, match="belong"):
        list(pairs_by_keys(codes, codes, SortedKeys(keys.cut, keys.sides + np.uint64(1 << 40))))


def test_more_pairs_than_can_be_listed_are_refused_before_they_are_made() -> None:
    codes = np.zeros((100_000, 8), np.uint8)
    with pytest.raises(TooManyPairs, match=f"at least {100_000 * 99_999 // 2:,} pairs are within"):
        near_pairs(codes, None, 2, BitPartition(64, 2, 3))
    with pytest.raises(
        TooManyPairs, match=r"10,000,000,000 .* at most 7 can be listed; use a smaller"
    ):
        near_pairs(codes, codes, 2, most=7)


def test_what_too_many_have_is_left_out_and_counted() -> None:
    codes = np.zeros((1006, 8), np.uint8)
    codes[1000, 0], codes[1001:1003], codes[1003:] = 1, 255, 15
    result = near_pairs(codes, None, 2, BitPartition(64, 2, 3), bucket=999)
    assert triples(result) == [(1001, 1002, 0), (1003, 1004, 0), (1003, 1005, 0), (1004, 1005, 0)]
    assert sum(len(each.left) * len(each.right) for each in result.oversized) == 1000 * 1001
    between = near_pairs(codes[:1000], codes[998:], 2, bucket=999)
    sizes = [len(each.left) * len(each.right) for each in between.oversized]
    assert (triples(between), sum(sizes)) == ([], 3000)
