"""Oversized buckets of LSH: their pairs, their parts, and the clusters that they keep."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.search import Links, Question, clusters, links
from sdtext.search.candidates import buckets, intersections, lsh
from sdtext.search.candidates.intersections import AllIntersections
from tests.search.sets import VALUES, Sets, held, similar_pairs
from tests.strategies import BRISK

BY_BANDS = Question(80, "jaccard", recall=0.9999)


def pairs_of(found: Links) -> set[tuple[int, int]]:
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


def members_of(found: Links) -> list[tuple[int, ...]]:
    return [one.members for one in clusters(found)]


def joined(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The clusters that pairs make, joined one by one."""
    made: dict[int, set[int]] = {}
    for left, right in pairs:
        whole = made.get(left, {left}) | made.get(right, {right})
        made |= dict.fromkeys(whole, whole)
    return sorted({tuple(sorted(one)) for one in made.values()})


def cloud(number: int, changed: int, size: int = 150, seed: int = 7) -> list[frozenset[int]]:
    """Sets made of one by changing so many of its values, in each others."""
    draw = Random(seed)
    made = []
    for _ in range(number):
        kept = draw.sample(VALUES[:size], size - changed)
        made.append(frozenset([*kept, *(draw.randrange(1 << 64) for _ in range(changed))]))
    return made


@BRISK
@given(
    rows=st.lists(st.frozensets(st.integers(0, 30), max_size=12), min_size=1, max_size=20),
    cells=st.sampled_from([1, 30, 1 << 21]),
    meetings=st.sampled_from([1, 25, 1 << 22]),
    seldom=st.sampled_from([1, 3, 16]),
)
def test_all_intersections_are_those_of_sets(
    rows: list[frozenset[int]], cells: int, meetings: int, seldom: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in (("_CELLS", cells), ("_INCREMENTS", meetings), ("_RARE", seldom)):
            patch.setattr(intersections, name, limit)
        blocks = list(AllIntersections(Ragged.of([sorted(row) for row in rows])).blocks())
    counted = {
        (start + one, start + other): int(count)
        for start, block in blocks
        for one, row in enumerate(block.tolist())
        for other, count in enumerate(row)
    }
    for one in range(len(rows)):
        for other in range(one + 1, len(rows)):
            assert counted[one, other] == len(rows[one] & rows[other])


@pytest.mark.parametrize("changed", [8, 11])
def test_an_oversized_bucket_loses_no_pair(changed: int) -> None:
    sets = cloud(300, changed)
    right = similar_pairs(sets, "jaccard", 80)
    found = links(held(sets), BY_BANDS)
    assert pairs_of(found) <= right.keys()
    assert len(found) >= 0.995 * len(right)
    assert members_of(found) == joined(right)
    assert found.how.startswith("bands")
    assert not found.problems


def test_an_oversized_bucket_of_two_collections_loses_no_pair() -> None:
    sets = cloud(400, 9)
    right = {
        (one, other - 150)
        for one, other in similar_pairs(sets, "jaccard", 80)
        if one < 150 <= other
    }
    found = links(held(sets[:150]), BY_BANDS, held(sets[150:]))
    assert pairs_of(found) <= right
    assert len(found) >= 0.995 * len(right)


def test_estimates_in_an_oversized_bucket_are_those_of_all_pairs() -> None:
    sets = cloud(300, 9)
    question = Question(80, "jaccard", recall=0.9999, estimate=True)
    found = links(held(sets), question)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "PAIRWISE", 1000)
        plain = links(held(sets), question)
    assert pairs_of(found) == pairs_of(plain)
    assert found.similarity.tolist() == plain.similarity.tolist()


@pytest.mark.parametrize("changed", [3, 9])
def test_a_spent_pair_budget_keeps_the_clusters(
    changed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = held(cloud(400, changed))
    full = links(whole, BY_BANDS)
    monkeypatch.setattr(buckets, "PAIR_BUDGET", 300)
    found = links(whole, BY_BANDS)
    assert members_of(found) == members_of(full)
    assert pairs_of(found) < pairs_of(full)
    assert [one.category for one in found.problems] == ["many-pairs"]
    assert "only enough pairs to connect the documents" in found.how


def test_a_spent_pair_budget_keeps_a_pair_for_each_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sets: Sets = cloud(400, 8)
    ours, theirs = held(sets[:150]), held(sets[150:])
    full = links(ours, BY_BANDS, theirs)
    monkeypatch.setattr(buckets, "PAIR_BUDGET", 300)
    found = links(ours, BY_BANDS, theirs)
    assert len(found) < len(full)
    assert set(found.left.tolist()) == set(full.left.tolist())
    assert set(found.right.tolist()) == set(full.right.tolist())


def test_a_bucket_split_into_parts_gives_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = held(cloud(450, 2, size=60))
    full = links(whole, BY_BANDS)
    monkeypatch.setattr(lsh, "MOST_WORK", 0)
    found = links(whole, BY_BANDS)
    assert [one.category for one in found.problems] == ["large-bucket"]
    assert "compared in parts" in found.how
    assert pairs_of(found) < pairs_of(full)
    assert members_of(found) == [tuple(range(450))]


def test_long_documents_are_split_into_smaller_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lsh, "_VALUES", 150 * 8)
    found = links(held(cloud(100, 2)), BY_BANDS)
    assert members_of(found) == [tuple(range(100))]
    assert [one.category for one in found.problems] == ["large-bucket"]


@pytest.mark.parametrize(("ours", "theirs"), [(100, 1), (100, 70), (3, 100)])
def test_every_duplicate_has_a_pair_across_collections(ours: int, theirs: int) -> None:
    one, other = frozenset(VALUES[:30]), frozenset(VALUES[:29])
    question = Question(90, "jaccard")
    found = links(held([one] * ours), question, held([other] * theirs))
    assert set(found.left.tolist()) == set(range(ours))
    assert set(found.right.tolist()) == set(range(theirs))
    if theirs == 1:
        assert len(found) == ours
        assert not found.problems
    else:
        assert len(found) == ours + theirs - 1
        assert [one.category for one in found.problems] == ["equal-documents"]


def test_duplicates_respect_the_pair_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    same = frozenset(VALUES[:60])
    others = [frozenset([*VALUES[:60], extra]) for extra in VALUES[100:200]]
    monkeypatch.setattr("sdtext.search.candidates.buckets.PAIR_BUDGET", 500)
    found = links(held([same] * 100), Question(90, "jaccard"), held(others))
    assert len(found) < 1000
    assert set(found.left.tolist()) == set(range(100))
    assert set(found.right.tolist()) == set(range(100))
    assert [one.category for one in found.problems] == ["equal-documents"]


def test_documents_are_left_out() -> None:
    sets = cloud(6, 1)
    found = links(held(sets), Question(80), without={1, 4})
    assert pairs_of(found) == set(combinations((0, 2, 3, 5), 2))
