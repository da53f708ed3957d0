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
from tests.support.strategies import BRISK

BY_BANDS = Question(80, "jaccard", recall=0.9999)


def pairs_of(actual: Links) -> set[tuple[int, int]]:
    return set(zip(actual.left.tolist(), actual.right.tolist(), strict=True))


def members_of(actual: Links) -> list[tuple[int, ...]]:
    return [cluster.members for cluster in clusters(actual)]


def joined(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The clusters that pairs make, joined one by one."""
    result: dict[int, set[int]] = {}
    for left, right in pairs:
        whole = result.get(left, {left}) | result.get(right, {right})
        result |= dict.fromkeys(whole, whole)
    return sorted({tuple(sorted(value)) for value in result.values()})


def cloud(number: int, changed: int, size: int = 150, seed: int = 7) -> list[frozenset[int]]:
    """Sets made of one by changing so many of its values, in each others."""
    draw = Random(seed)
    result = []
    for _ in range(number):
        kept = draw.sample(VALUES[:size], size - changed)
        result.append(frozenset([*kept, *(draw.randrange(1 << 64) for _ in range(changed))]))
    return result


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
        (start + item, start + other): int(count)
        for start, block in blocks
        for item, row in enumerate(block.tolist())
        for other, count in enumerate(row)
    }
    for item in range(len(rows)):
        for other in range(item + 1, len(rows)):
            assert counted[item, other] == len(rows[item] & rows[other])


@pytest.mark.parametrize("changed", [8, 11])
def test_an_oversized_bucket_loses_no_pair(changed: int) -> None:
    sets = cloud(200, changed)
    right = similar_pairs(sets, "jaccard", 80)
    result = links(held(sets), BY_BANDS)
    assert pairs_of(result) <= right.keys()
    assert len(result) >= 0.995 * len(right)
    assert members_of(result) == joined(right)
    assert result.how.startswith("bands")
    assert not result.problems


def test_an_oversized_bucket_of_two_collections_loses_no_pair() -> None:
    sets = cloud(220, 9)
    right = {
        (first, other - 80)
        for first, other in similar_pairs(sets, "jaccard", 80)
        if first < 80 <= other
    }
    result = links(held(sets[:80]), BY_BANDS, held(sets[80:]))
    assert pairs_of(result) <= right
    assert len(result) >= 0.995 * len(right)


def test_estimates_in_an_oversized_bucket_are_those_of_all_pairs() -> None:
    sets = cloud(200, 9)
    question = Question(80, "jaccard", recall=0.9999, estimate=True)
    result = links(held(sets), question)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "PAIRWISE", 1000)
        plain = links(held(sets), question)
    assert pairs_of(result) == pairs_of(plain)
    assert result.similarity.tolist() == plain.similarity.tolist()


@pytest.mark.parametrize("changed", [3, 9])
def test_a_spent_pair_budget_keeps_the_clusters(
    changed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = held(cloud(240, changed))
    full = links(whole, BY_BANDS)
    monkeypatch.setattr(buckets, "PAIR_BUDGET", 300)
    result = links(whole, BY_BANDS)
    assert members_of(result) == members_of(full)
    assert pairs_of(result) < pairs_of(full)
    assert [problem.category for problem in result.problems] == ["many-pairs"]
    assert "only enough pairs to connect the documents" in result.how


def test_a_spent_pair_budget_keeps_a_pair_for_each_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sets: Sets = cloud(220, 8)
    ours, theirs = held(sets[:80]), held(sets[80:])
    full = links(ours, BY_BANDS, theirs)
    monkeypatch.setattr(buckets, "PAIR_BUDGET", 300)
    result = links(ours, BY_BANDS, theirs)
    assert len(result) < len(full)
    assert set(result.left.tolist()) == set(full.left.tolist())
    assert set(result.right.tolist()) == set(full.right.tolist())


def test_a_bucket_split_into_parts_gives_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = held(cloud(450, 2, size=60))
    full = links(whole, BY_BANDS)
    monkeypatch.setattr(lsh, "MOST_WORK", 0)
    result = links(whole, BY_BANDS)
    assert [problem.category for problem in result.problems] == ["large-bucket"]
    assert "compared in parts" in result.how
    assert pairs_of(result) < pairs_of(full)
    assert members_of(result) == [tuple(range(450))]


def test_long_documents_are_split_into_smaller_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lsh, "_VALUES", 150 * 8)
    result = links(held(cloud(100, 2)), BY_BANDS)
    assert members_of(result) == [tuple(range(100))]
    assert [problem.category for problem in result.problems] == ["large-bucket"]


@pytest.mark.parametrize(("ours", "theirs"), [(100, 1), (100, 70), (3, 100)])
def test_every_duplicate_has_a_pair_across_collections(ours: int, theirs: int) -> None:
    first, other = frozenset(VALUES[:30]), frozenset(VALUES[:29])
    question = Question(90, "jaccard")
    result = links(held([first] * ours), question, held([other] * theirs))
    assert set(result.left.tolist()) == set(range(ours))
    assert set(result.right.tolist()) == set(range(theirs))
    if theirs == 1:
        assert len(result) == ours
        assert not result.problems
    else:
        assert len(result) == ours + theirs - 1
        assert [first.category for first in result.problems] == ["equal-documents"]


def test_duplicates_respect_the_pair_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    same = frozenset(VALUES[:60])
    others = [frozenset([*VALUES[:60], extra]) for extra in VALUES[100:200]]
    monkeypatch.setattr("sdtext.search.candidates.buckets.PAIR_BUDGET", 500)
    result = links(held([same] * 100), Question(90, "jaccard"), held(others))
    assert len(result) < 1000
    assert set(result.left.tolist()) == set(range(100))
    assert set(result.right.tolist()) == set(range(100))
    assert [problem.category for problem in result.problems] == ["equal-documents"]


def test_documents_are_left_out() -> None:
    sets = cloud(6, 1)
    result = links(held(sets), Question(80), without={1, 4})
    assert pairs_of(result) == set(combinations((0, 2, 3, 5), 2))
