"""What of a passage is there by chance: weights from shares, ends that are cut."""

from itertools import accumulate
from math import log

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.parts.aligners.window_passages import MILLION, other_term_weight, without_overhangs
from tests.support.strategies import BRISK

USUAL = 800_000


def flags(count: int, common: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.arange(count) < common


@given(
    within=st.integers(15, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    around=st.integers(15, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
)
@BRISK
def test_a_weight_is_the_ratio_of_two_likelihoods(
    within: tuple[int, int], around: tuple[int, int]
) -> None:
    result = other_term_weight(flags(*within), flags(*around), USUAL)
    inside, outside = ((common + 1) / (count + 2) for count, common in (within, around))
    if inside <= outside:
        assert result == USUAL
    else:
        against, for_it = log((1 - outside) / (1 - inside)), log(inside / outside)
        assert result == max(MILLION // 2, round(MILLION * against / for_it))


def plainly_cut(common: list[bool], other: int, most: int) -> int:
    """How many terms of a head have the least sum, by trying all."""
    sums = [0, *accumulate(MILLION if item else -other for item in common[:most])]
    return sums.index(min(sums))


TERMS = st.lists(st.integers(0, 30), min_size=1, max_size=80)


@given(left=TERMS, right=TERMS, cuts=st.lists(st.integers(0, 80), min_size=4, max_size=4))
@BRISK
def test_ends_are_cut_where_a_plain_rule_cuts_them(
    left: list[int], right: list[int], cuts: list[int]
) -> None:
    """One round of it on the left; the right side stays as it was while the left is looked at."""
    start, end = sorted(min(cut, len(left)) for cut in cuts[:2])
    there, until = sorted(min(cut, len(right)) for cut in cuts[2:])
    known = set(right[there:until])
    common = [term in known for term in left]
    within, around = common[start:end], common[:start] + common[end:]
    other = other_term_weight(np.array(within, bool), np.array(around, bool), USUAL)
    most = min(10, len(within) // 3)
    head, tail = (plainly_cut(way, other, most) for way in (within, within[::-1]))
    sides = np.array(left, np.uint32), np.array(right, np.uint32)
    box = without_overhangs([start, end, there, until], sides, USUAL, 10)
    assert box[0] >= start + head
    assert box[1] <= end - tail
    assert start <= box[0] <= box[1] <= end
    assert there <= box[2] <= box[3] <= until


def test_frequent_words_beside_a_copy_are_cut_and_the_copy_stays_whole() -> None:
    """Every other term around the copy is 7 on both sides."""
    copy = list(range(100, 140))
    left, right = (
        [term for place in range(30) for term in (7, more + place)] for more in (200, 300)
    )
    sides = [np.array([*side, *copy, *side[1:]], np.uint32) for side in (left, right)]
    box = without_overhangs([56, 106, 58, 104], (sides[0], sides[1]), USUAL, 15)
    assert box == [60, 100, 60, 100]
