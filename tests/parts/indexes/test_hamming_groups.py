"""The radius that follows from similarity and recall, and how codes within it are found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.kernels.hamming_distances import within
from sdtext.kernels.hamming_join import BitPartition, near_pairs, near_pairs_plain
from sdtext.parts.indexes import Groups, Way
from tests.kernels.codes import codes_of
from tests.support.cases import cases
from tests.support.strategies import BRISK


def test_no_more_groups_than_the_radius_that_follows_are_refused() -> None:
    with pytest.raises(OptionError, match="16, or more"):
        Groups(similarity=0.8, groups=5).way(slots=100)
    assert Groups(similarity=0.98, recall=0.5, groups=5).way(slots=100) == Way(
        1, BitPartition(100, 1, 5)
    )


@cases("similarity, recall, slots, bits, radius", [
    (0.8, 0.95, 100, 1, 15),
    (0.8, 0.92, 100, 1, 14),
    (0.8, 0.5, 100, 1, 10),
    (0.95, 0.54, 100, 1, 2),
    (0.9, 0.98, 100, 1, 10),
    (1.0, 0.99, 100, 1, 0),
    (0.8, 0.95, 25, 4, 18),
])  # fmt: skip
def test_the_radius_is_the_least_that_has_the_recall(
    similarity: float, recall: float, slots: int, bits: int, radius: int
) -> None:
    groups = Groups(similarity=similarity, recall=recall)
    assert groups.radius_for(slots, bits) == radius
    assert groups.probability(similarity, slots, bits) >= recall
    assert Groups(radius=radius).probability(0.5, slots, bits) == within(0.5, slots, bits, radius)


def test_groups_are_as_the_paper_has_them() -> None:
    assert Groups(radius=2, groups=5).way(100) == Way(2, BitPartition(100, 2, 5))
    assert Groups(radius=2, groups=6).way(64) == Way(2, BitPartition(64, 2, 6))
    assert Groups(radius=2).way(100) == Way(2, BitPartition(100, 2, 3))
    two_of_five = Groups(radius=3, groups=5, equal=2).way(100)
    assert two_of_five == Way(3, BitPartition(100, 3, 5, equal=2))
    assert str(two_of_five) == "2 of 5 groups of 20 bits must be equal"
    # Two of four are certain where two bits differ, so that the fifth group is not looked up.
    assert str(Groups(radius=2, groups=5, equal=2).way(100)) == (
        "2 of 4 groups of 20 bits must be equal"
    )
    assert Groups(radius=2, equal=2).way(100) == Way(2, BitPartition(100, 2, 4, equal=2))


def test_a_radius_that_follows_is_checked_with_the_number_of_equal_groups() -> None:
    assert Groups(similarity=0.98, recall=0.5, groups=5, equal=4).way(100).radius == 1
    with pytest.raises(OptionError, match="with equal = 2 and a radius of 15 there are 136 tables"):
        Groups(similarity=0.8, equal=2).way(100)
    with pytest.raises(OptionError, match="groups is 5; it must be at most 4"):
        Groups(radius=2, equal=3).way(4)


@cases("slots, similarity, codes, message", [
    (100, 0.98, 10**6, "one of 4 groups of 25 bits must be equal"),
    (100, 0.9, 10**6, "in one of 5 bands of 20 bits up to 1 bit may differ"),
    (100, 0.8, 10**6, "in one of 5 bands of 20 bits up to 3 bits may differ"),
    (100, 0.8, 10**3, "all codes are compared"),
    (100, 0.3, 10**6, "all codes are compared"),
])  # fmt: skip
def test_where_groups_do_not_pay_bands_or_a_scan_take_over(
    slots: int, similarity: float, codes: int, message: str
) -> None:
    groups = Groups(similarity=similarity)
    assert str(groups.way(slots, codes=codes)) == message
    assert groups.summary(slots, codes=codes).endswith(message)


@BRISK
@given(
    similarity=st.floats(0.6, 1), slots=st.sampled_from([64, 100, 128]),
    codes=st.sampled_from([10, 10**4, 10**6, 10**9]), seed=st.integers(0, 99),
)  # fmt: skip
def test_every_way_finds_what_brute_force_does(
    similarity: float, slots: int, codes: int, seed: int
) -> None:
    way = Groups(similarity=similarity).way(slots, codes=codes)
    some = codes_of(25, slots, seed, flips=12)
    result = near_pairs(some, None, way.radius, way.cut)
    assert result.pairs == near_pairs_plain(some, None, way.radius)
