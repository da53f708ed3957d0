"""Candidates: buckets of equal keys, posting lists, LSH with oversized buckets."""

from __future__ import annotations

from itertools import combinations, groupby
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.deduplication.choose_documents import clusters
from sdtext.kernels.arrays.connected_components import connected
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.c_library import KERNELS
from sdtext.search.candidates import buckets, intersections, lsh
from sdtext.search.candidates.buckets import all_pairs, runs, spanning
from sdtext.search.candidates.exact_join import _InvertedIndex
from sdtext.search.candidates.intersections import AllIntersections
from sdtext.search.find import links
from sdtext.search.results import Links
from sdtext.search.search_plan import Question
from tests.search.sets import VALUES, Sets, held, similar_pairs
from tests.support.components import components
from tests.support.strategies import BRISK


@BRISK
@given(keys=st.lists(st.integers(0, 6)), chunk=st.sampled_from([1, 1 << 18]))
def test_all_pairs_of_equal_keys_are_given(keys: list[int], chunk: int) -> None:
    keys.sort()
    rows = np.arange(100, 100 + len(keys))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "_CHUNK", chunk)
        output = list(all_pairs(rows, *runs(np.array(keys, np.uint64))))
    result = [pair for sides in output for pair in zip(*map(np.ndarray.tolist, sides), strict=True)]
    groups = (list(group) for _, group in groupby(rows.tolist(), lambda row: keys[row - 100]))
    assert sorted(result) == [pair for group in groups for pair in combinations(group, 2)]


pairs_ = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), unique=True)


@BRISK
@given(pairs=pairs_, two_sided=st.booleans())
def test_spanning_pairs_keep_the_connected_components(
    pairs: list[tuple[int, int]], *, two_sided: bool
) -> None:
    if two_sided:
        pairs = [(first, other + 13) for first, other in pairs]
    else:
        pairs = [pair for pair in pairs if pair[0] < pair[1]]
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T
    kept = spanning(left, right)
    whole, some = (connected(26, left[to], right[to]).tolist() for to in (slice(None), kept))
    assert some == whole
    assert len(kept) <= len(pairs)


def test_spanning_pairs_are_few() -> None:
    left, right = np.triu_indices(500, 1)
    assert len(spanning(left, right)) < 2 * 500


def ragged(sets: list[frozenset[int]]) -> Ragged:
    return Ragged.of([sorted(item) for item in sets])


ROWS = st.lists(st.frozensets(st.integers(0, 30), max_size=8), max_size=10)


def listed_pairs(sets: list[frozenset[int]], share: float) -> tuple[set[tuple[int, int]], int, int]:
    """The pairs by prefixes, how many were listed, and how many postings were read."""
    index = _InvertedIndex.of(Ragged.of([sorted(row) for row in sets]))
    batches = list(index.pairs(index.rarest(share)))
    listed = [
        pair
        for _, rows, others in batches
        for pair in zip(rows.tolist(), others.tolist(), strict=True)
    ]
    return {*listed}, len(listed), sum(read for read, _, _ in batches)


@BRISK
@given(sets=ROWS, share=st.sampled_from([0.01, 0.3, 0.5, 0.8, 1.0]))
def test_rows_that_share_enough_are_pairs_once_and_in_the_reference(
    sets: list[frozenset[int]], share: float
) -> None:
    pairs, listed, read = listed_pairs(sets, share)
    assert listed == len(pairs)
    for left, row in enumerate(sets):
        for right, other in enumerate(sets):
            shared = len(row & other)
            if left != right and row and shared >= max(1, share * len(row)):
                assert (left, right) in pairs
            assert (left, right) not in pairs or (shared and left != right)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(KERNELS, "posting_pairs")
        plain, _, plainly_read = listed_pairs(sets, share)
    assert (plain, plainly_read) == (pairs, read)


def test_more_pairs_than_are_returned_at_once() -> None:
    pairs, listed, _ = listed_pairs([frozenset([1, 2])] * 1100, 1.0)
    assert listed == len(pairs) == 1100 * 1099


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
