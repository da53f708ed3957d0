"""Bands of slots and groups of bits: layouts, probabilities, keys, and the recall that is found."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.hamming_join import BitPartition
from sdtext.kernels.minhash import band_hashes
from sdtext.parts.code_groups import Groups, Way, within
from sdtext.parts.fingerprints.minhash import SCHEMES, MinHash
from sdtext.parts.indexes import FAMILIES, NO_KEY, Bands
from sdtext.reuse.sentence_finder import near_pairs
from tests.kernels.rows import ROWS, codes_of, limit, near_pairs_plain, pairs, triples
from tests.support.cases import cases
from tests.support.strategies import BRISK

families = pytest.mark.parametrize("family", FAMILIES)


@given(similarity=st.floats(0.05, 1), recall=st.floats(0.01, 0.999), slots=st.integers(1, 600))
def test_the_most_rows_keep_the_recall(similarity: float, recall: float, slots: int) -> None:
    ideal = {r: 1 - (1 - similarity**r) ** (slots // r) for r in range(1, slots + 1)}
    enough = [r for r in ideal if ideal[r] >= recall]
    part = Bands(similarity, recall)
    if enough:
        assert part.layout(slots) == (slots // max(enough), max(enough))
        assert part.probability(similarity, slots) >= recall
    else:
        with pytest.raises(OptionError):
            part.layout(slots)


def test_a_layout_that_is_given_is_used_as_it_is() -> None:
    part = Bands(bands=20, rows=5)
    assert part.layout(100) == part.layout(128) == (20, 5)
    with pytest.raises(OptionError) as caught:
        part.layout(99)
    assert str(caught.value) == "bands: 20 bands of 5 rows are more than the 99 slots of a sketch"


# Table 1 of Celozzi and Ciabini, by similarity, then by bands and rows. Most of its numbers are
# cut, not rounded.
LAYOUTS = ((50, 2), (25, 4), (20, 5), (10, 10))
TABLE = {
    0.8: (1.00, 0.99, 0.99, 0.67), 0.6: (1.00, 0.96, 0.80, 0.05), 0.5: (0.99, 0.80, 0.47, 0.01),
    0.4: (0.99, 0.47, 0.18, 0.00), 0.2: (0.87, 0.03, 0.00, 0.00),
}  # fmt: skip


@cases("similarity", TABLE)
def test_probabilities_are_those_of_the_paper(similarity: float) -> None:
    parts = [Bands(bands=bands, rows=rows) for bands, rows in LAYOUTS]
    result = [part.probability(similarity, 100) for part in parts]
    assert result == pytest.approx(TABLE[similarity], abs=0.01)


@families
@BRISK
@given(rows=ROWS)
def test_documents_meet_where_a_band_of_theirs_is_equal(family: str, rows: Ragged) -> None:
    part = Bands(bands=6, rows=2, hash=family)
    sketches = MinHash(slots=13)(rows)
    keys = part.keys(sketches)
    assert keys.shape == (len(rows), 6)
    for band in range(6):
        own = [tuple(sketch[2 * band : 2 * band + 2].tolist()) for sketch in sketches]
        for item in range(len(rows)):
            for other in range(len(rows)):
                assert (keys[item, band] == keys[other, band]) == (own[item] == own[other])


@families
def test_equal_slots_in_other_bands_do_not_meet(family: str) -> None:
    keys = Bands(bands=50, rows=2, hash=family).keys(np.full((1, 100), 7, np.uint32))
    assert len(set(keys[0].tolist())) == 50


@families
@cases("scheme", SCHEMES)
def test_documents_without_shingles_and_only_they_have_no_key(family: str, scheme: str) -> None:
    sketches = MinHash(128, 1, scheme)(Ragged.of([[], [5], [], [2**64 - 1]]))
    keys = Bands(hash=family).keys(sketches)
    assert (keys == NO_KEY).all(axis=1).tolist() == [True, False, True, False]
    assert not (keys[[1, 3]] == NO_KEY).any()


def test_a_key_that_is_that_number_by_chance_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        band_hashes, "xxhash", lambda slots, _: np.full(len(slots), NO_KEY, np.uint64)
    )
    keys = Bands(bands=1, rows=2).keys(np.array([[3, 4]], np.uint32))
    assert keys.tolist() == [[NO_KEY - 1]]


KEPT = (80, 60, 50, 40, 20)  # shingles of 100 that a copy keeps: a Jaccard of s / (2 - s)
TRIALS, PAIRS = 20, 50


@cache
def _sketched_pairs(kept: int, scheme: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32], float]:
    """The sketches of both sides, and the Jaccard of each pair; each trial has its seed."""
    lefts, rights = [], []
    for trial in range(TRIALS):
        left, right, jaccard = pairs(PAIRS, 100, kept, seed=1000 * kept + trial)
        sketch = MinHash(100, seed=100 * kept + trial, scheme=scheme)
        lefts.append(sketch(left))
        rights.append(sketch(right))
    return np.concatenate(lefts), np.concatenate(rights), jaccard


@pytest.mark.parametrize(
    ("scheme", "family"),
    [
        *(("fast-similarity", family) for family in FAMILIES),
        pytest.param("affine-paper", "xxhash", marks=pytest.mark.deep),  # independent slots
    ],
)
def test_pairs_are_found_as_often_as_the_ideal_says(scheme: str, family: str) -> None:
    """One joint test of all cells, with a limit that chance exceeds once in a thousand times.

    Cells with fewer than five pairs expected to be found, or to be missed, are tested together.
    """
    count, total, cells = TRIALS * PAIRS, 0.0, 0
    rare, rare_expected = 0, 0.0
    for (bands, rows), kept in product(LAYOUTS, KEPT):
        part = Bands(bands=bands, rows=rows, hash=family)
        left, right, jaccard = _sketched_pairs(kept, scheme)
        meet = int((part.keys(left) == part.keys(right)).any(axis=1).sum())
        ideal = part.probability(jaccard, 100)
        if min(ideal, 1 - ideal) * count >= 5:
            total += (meet - ideal * count) ** 2 / (ideal * (1 - ideal) * count)
            cells += 1
        else:
            rare += min(meet, count - meet)
            rare_expected += min(ideal, 1 - ideal) * count
    assert cells >= 10
    assert total < limit(cells)
    assert abs(rare - rare_expected) < 3.3 * rare_expected**0.5


@cases("similarity, recall, slots, bits, radius", [
    (0.8, 0.95, 100, 1, 15), (0.8, 0.92, 100, 1, 14), (0.8, 0.5, 100, 1, 10),
    (0.95, 0.54, 100, 1, 2), (0.9, 0.98, 100, 1, 10), (1.0, 0.99, 100, 1, 0),
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


def test_a_radius_that_follows_is_checked_with_the_number_of_groups() -> None:
    follows = Groups(similarity=0.98, recall=0.5, groups=5)
    assert follows.way(slots=100) == Way(1, BitPartition(100, 1, 5))
    assert replace(follows, equal=4).way(100).radius == 1
    with pytest.raises(OptionError, match="16, or more"):
        Groups(similarity=0.8, groups=5).way(slots=100)
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
def test_every_way_finds_them_all(similarity: float, slots: int, codes: int, seed: int) -> None:
    way = Groups(similarity=similarity).way(slots, codes=codes)
    some = codes_of(25, slots, seed, flips=12)
    result = near_pairs(some, None, way.radius, way.cut)
    assert triples(result) == near_pairs_plain(some, None, way.radius)
