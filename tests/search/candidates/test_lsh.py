"""Oversized buckets of LSH: their pairs, their parts, and the clusters that they keep."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.deduplication.choose_documents import clusters
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.search.candidates import buckets, intersections, lsh
from sdtext.search.candidates.intersections import AllIntersections
from sdtext.search.find import links
from sdtext.search.results import Links
from sdtext.search.search_plan import Question
from tests.search.sets import VALUES, Sets, held, similar_pairs
from tests.support.components import components
from tests.support.strategies import BRISK

BY_BANDS = Question(80, "jaccard", recall=0.9999)


def pairs_of(actual: Links) -> set[tuple[int, int]]:
    return set(zip(actual.left.tolist(), actual.right.tolist(), strict=True))


def members_of(actual: Links) -> list[tuple[int, ...]]:
    return [cluster.members for cluster in clusters(actual)]


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
    assert members_of(result) == sorted(tuple(sorted(item)) for item in components(right))
    assert result.how.startswith("bands")
    assert not any(result.oversized)


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


def test_a_spent_pair_budget_keeps_clusters_and_a_pair_for_each_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sets: Sets = cloud(160, 8)
    some = held(cloud(160, 3)), held(cloud(160, 9))
    across = BY_BANDS, held(sets[80:])
    full = [*(links(each, BY_BANDS) for each in some), links(held(sets[:80]), *across)]
    monkeypatch.setattr(buckets, "PAIR_BUDGET", 300)
    for whole, every in zip(some, full, strict=False):
        result = links(whole, BY_BANDS)
        assert members_of(result) == members_of(every)
        assert pairs_of(result) < pairs_of(every)
        assert result.oversized.reduced
        assert not result.oversized.split
        assert "only enough pairs to connect the documents" in result.how
    result = links(held(sets[:80]), *across)
    assert len(result) < len(full[2])
    assert set(result.left.tolist()) == set(full[2].left.tolist())
    assert set(result.right.tolist()) == set(full[2].right.tolist())


@pytest.mark.deep
def test_a_bucket_split_into_parts_gives_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = held(cloud(450, 2, size=60))
    full = links(whole, BY_BANDS)
    for name, value, some in (("MOST_WORK", 0, whole), ("_VALUES", 150 * 8, held(cloud(100, 2)))):
        with monkeypatch.context() as patch:
            patch.setattr(lsh, name, value)
            result = links(some, BY_BANDS)
        assert result.oversized.split
        assert not any(result.oversized[1:])
        assert "compared in parts" in result.how
        assert members_of(result) == [tuple(range(len(some.names)))]
        assert some is not whole or pairs_of(result) < pairs_of(full)


def test_every_duplicate_has_a_pair_across_collections() -> None:
    first, other = frozenset(VALUES[:30]), frozenset(VALUES[:29])
    for ours, theirs in ((100, 1), (100, 70), (3, 100)):
        result = links(held([first] * ours), Question(90, "jaccard"), held([other] * theirs))
        assert set(result.left.tolist()) == set(range(ours))
        assert set(result.right.tolist()) == set(range(theirs))
        many = theirs > 1
        assert len(result) == ours + (theirs - 1) * many
        assert bool(result.oversized.groups) == many
        assert not any(result.oversized[:2])


def test_duplicates_respect_the_pair_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    same = frozenset(VALUES[:60])
    others = [frozenset([*VALUES[:60], extra]) for extra in VALUES[100:200]]
    monkeypatch.setattr("sdtext.search.candidates.buckets.PAIR_BUDGET", 500)
    result = links(held([same] * 100), Question(90, "jaccard"), held(others))
    assert len(result) < 1000
    assert set(result.left.tolist()) == set(range(100))
    assert set(result.right.tolist()) == set(range(100))
    assert result.oversized.groups
    assert not any(result.oversized[:2])


def test_documents_are_left_out() -> None:
    sets = cloud(6, 1)
    result = links(held(sets), Question(80), without={1, 4})
    assert pairs_of(result) == set(combinations((0, 2, 3, 5), 2))
