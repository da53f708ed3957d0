"""The rule `direct`: what a plain greedy choice says, and no removal below the minimum."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.choose_documents import greedy_choice
from sdtext.deduplication.rule_names import KEEP
from sdtext.model import PartSpec
from sdtext.search.candidates import buckets, exact_join
from sdtext.search.candidates.buckets import Rows
from sdtext.search.results import Links
from tests.support.command import chance, prose
from tests.support.deduplication import (
    DEFAULT_RECIPE,
    NO_JOIN,
    Removal,
    deduplicated,
    edited,
    lines_of,
    mixture,
    removals_of,
    shingles,
    similarity,
    sliding,
    write_lines,
)


def in_order(texts: Sequence[str], keep: str) -> list[int]:
    sign = {"first": 0, "longest": -1, "shortest": 1}[keep]
    return sorted(range(len(texts)), key=lambda place: (sign * len(texts[place]), place))


def plain_removals(texts: Sequence[str], keep: str = "first", least: int = 80) -> list[Removal]:
    """The removals by comparing each text with all that are kept before it.

    Texts with equal shingles share the fate of the first of them.
    """
    kept: list[int] = []
    removals = []
    equal: dict[frozenset[tuple[str, ...]], tuple[str, int]] = {}
    for place in in_order(texts, keep):
        if shingles(texts[place]) in equal:
            removals.append((f"t{place}", *equal[shingles(texts[place])]))
            continue
        similarities = [similarity(texts[place], texts[other]) for other in kept]
        best = max(similarities, default=Fraction(0))
        if 100 * best >= least and shingles(texts[place]):
            other = kept[similarities.index(best)]
            equal[shingles(texts[place])] = f"t{other}", min(99, int(100 * best))
            removals.append((f"t{place}", *equal[shingles(texts[place])]))
        else:
            kept.append(place)
            if shingles(texts[place]):
                equal[shingles(texts[place])] = f"t{place}", 99
    return sorted(removals, key=lambda row: int(row[0][1:]))


def assert_scores_are_exact(
    done: sdtext.Deduplication, texts: Sequence[str], least: int = 80
) -> None:
    removed = {row.document for row in done.removed}
    for row in done.removed:
        exact = similarity(texts[int(row.document[1:])], texts[int(row.kept[1:])])
        assert row.score == min(99, int(100 * exact)) >= least
        assert row.similarity == pytest.approx(float(exact))
        assert row.kept not in removed


@pytest.mark.parametrize("keep", KEEP)
@pytest.mark.parametrize("seed", range(4))
def test_the_removals_are_those_of_a_plain_greedy_choice(
    keep: str, seed: int, tmp_path: Path
) -> None:
    texts = mixture(seed)
    done = deduplicated(texts, tmp_path, keep=keep)
    assert removals_of(done) == plain_removals(texts, keep)
    assert_scores_are_exact(done, texts)


@pytest.mark.parametrize("keep", KEEP)
def test_pairs_that_oversized_buckets_leave_out_are_compared_after_all(
    keep: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_join, "LITTLE", NO_JOIN)
    draw = chance(8)
    texts = [edited(prose(1, 160), draw.randint(0, 5), seed) for seed in range(150)]
    texts += draw.choices(texts, k=70) + sliding(40, 6)
    draw.shuffle(texts)
    complete = deduplicated(texts, tmp_path, keep=keep)
    monkeypatch.setattr(buckets, "PAIR_BUDGET", 50)
    done = deduplicated(texts, tmp_path, keep=keep)
    assert "only enough pairs" in done.how
    assert removals_of(done) == removals_of(complete)


@pytest.mark.parametrize("keep", KEEP)
def test_of_many_equal_documents_one_is_kept_whatever_its_place(keep: str, tmp_path: Path) -> None:
    text = prose(1, 60)
    texts = [text + " " * (place * 7 % 200) for place in range(200)] + [edited(text, 1)] * 70
    done = deduplicated(texts, tmp_path, keep=keep)
    assert removals_of(done) == plain_removals(texts, keep)
    recipe = replace(DEFAULT_RECIPE, matcher=PartSpec("edit"))
    by_edits = deduplicated(texts, tmp_path, recipe=recipe, keep=keep)
    assert len(by_edits.removed) == len(texts) - 1


def test_documents_equal_to_a_removed_one_share_its_fate(tmp_path: Path) -> None:
    stored = write_lines(tmp_path / "stored.jsonl", lines_of([{"id": "s", "text": prose(1, 80)}]))
    add_documents(tmp_path / "old.sdx", stored, CollectionSpec(DEFAULT_RECIPE))
    near = edited(prose(1, 80), 1)
    texts = [near, prose(2, 80), near, edited(prose(2, 80), 1), near]
    against = StoredCollection.open(tmp_path / "old.sdx")
    done = deduplicated(texts, tmp_path, against=against)
    rows = [(row.document, row.kept, row.cluster) for row in done.removed]
    assert rows[:2] == [("t0", "s", None), ("t2", "s", None)]
    assert rows[2:] == [("t3", "t1", 1), ("t4", "s", None)]
    for row in done.removed[:2]:
        assert row.similarity == pytest.approx(float(similarity(near, prose(1, 80))))


def test_a_cluster_is_a_kept_document_and_those_removed_for_it(tmp_path: Path) -> None:
    texts = mixture(9)
    done = deduplicated(texts, tmp_path)
    removed = {row.document: row for row in done.removed}
    assert sum(cluster.documents - 1 for cluster in done.clusters) == len(removed)
    firsts = [int(cluster.members[0][1:]) for cluster in done.clusters]
    assert firsts == sorted(firsts)
    for number, cluster in enumerate(done.clusters, 1):
        rows = [removed[name] for name in cluster.members if name != cluster.kept]
        assert {(row.kept, row.cluster) for row in rows} == {(cluster.kept, number)}
        assert cluster.weakest == pytest.approx(min(row.similarity for row in rows), abs=1e-6)
        assert cluster.mean == pytest.approx(
            sum(row.similarity for row in rows) / len(rows), abs=1e-6
        )


edges_ = st.lists(
    st.tuples(st.integers(0, 14), st.integers(0, 14), st.sampled_from([80, 81, 90])).filter(
        lambda edge: edge[0] != edge[1]
    ),
    unique_by=lambda edge: frozenset(edge[:2]),
)


class MissingEdges:
    """Links that are given when asked for."""

    def __init__(self, places: set[int], score: dict[frozenset[int], int]) -> None:
        self.places = np.array(sorted(places), np.int64)
        self._score = score

    def edges_of(self, places: Rows) -> Iterator[tuple[int, Callable[[], Links]]]:
        for place in places.tolist():
            yield place, partial(self._later, place, places.tolist())

    def _later(self, place: int, places: list[int]) -> Links:
        pairs = ((place, other) for other in places if other > place)
        return edges_of(
            [(*pair, self._score[key]) for pair in pairs if (key := frozenset(pair)) in self._score]
        )


def edges_of(rows: list[tuple[int, int, int]]) -> Links:
    left, right, scores = (np.array([row[part] for row in rows], np.int64) for part in range(3))
    return Links(left, right, scores, scores / 100)


@given(edges=edges_, incomplete=st.sets(st.integers(0, 14)))
def test_missing_edges_are_asked_for(
    edges: list[tuple[int, int, int]], incomplete: set[int]
) -> None:
    """Without edges that connect nothing new, the choice is the same."""
    score = {frozenset(edge[:2]): edge[2] for edge in edges}
    connects: list[set[int]] = []
    known = []
    for edge in edges:
        touched = [group for group in connects if group & set(edge[:2])]
        if len(touched) == 1 and set(edge[:2]) <= incomplete & touched[0]:
            continue  # it may be left out
        known.append(edge)
        connects = [group for group in connects if group not in touched]
        connects.append(set(edge[:2]).union(*touched))
    missing: Any = MissingEdges(incomplete, score)
    kept, best_edges = greedy_choice(15, edges_of(known), missing)
    expected: dict[int, tuple[int, int]] = {}
    for place in range(15):
        near = [other for other in range(place) if other not in expected]
        near = [other for other in near if frozenset((place, other)) in score]
        if near:
            best = max(near, key=lambda other: (score[frozenset((place, other))], -other))
            expected[place] = best, score[frozenset((place, best))]
    named = zip(best_edges.left.tolist(), best_edges.score.tolist(), strict=True)
    assert dict(zip(best_edges.right.tolist(), named, strict=True)) == expected
    assert np.flatnonzero(~kept).tolist() == sorted(expected)
