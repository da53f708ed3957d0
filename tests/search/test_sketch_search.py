"""Scores and estimates of sketches beside plain references, by every way that gives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from math import isqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.memory import MemoryCollection
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.wordless_fingerprints import sketch_recipe
from sdtext.errors import FormatError, MismatchError
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.bottom_k import END, Row, smallest
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.fingerprints.minhash import BBit
from sdtext.search.find import links
from sdtext.search.results import Links
from sdtext.search.search_plan import Question, plan_search
from sdtext.search.searchable import Table, segment_views
from sdtext.search.similar_documents import similar
from sdtext.search.sketch_search import BySketches
from tests.search.stored import RECIPE, document, stored, texts_of
from tests.support.strategies import BRISK

SKETCHED = sketch_recipe()
DOCUMENTS = st.lists(
    st.tuples(st.integers(0, 400), st.integers(0, 90), st.sampled_from([32, 128, 512])),
    min_size=2,
    max_size=9,
)
MATCHERS = st.sampled_from(["idf-cosine(power=2)", "cosine", "containment", "jaccard"])


def row(document: tuple[int, int, int]) -> Row:
    """The sketch of a run of numbers: documents that overlap share some."""
    first, length, size = document
    return smallest(np.arange(first, first + length, dtype=np.uint64), size)


def collection(rows: Sequence[Row]) -> MemoryCollection:
    return MemoryCollection(SKETCHED, Ragged.of(rows), [str(place) for place in range(len(rows))])


def search(rows: Sequence[Row], matcher: str) -> BySketches:
    plan = plan_search(collection(rows), Question(minimum=1, matcher=matcher))
    return BySketches(
        Table(segment_views(collection(rows), plan.derivation), plan.derivation), plan
    )


def plain_score(left: Row, right: Row, rows: Sequence[Row], matcher: str) -> int | None:
    """The score, by the formula in the docs; None where the two are not comparable."""
    cut = min(int(left[-1]), int(right[-1])) - END
    a, b = ({p for p in side.tolist()[:-1] if p < cut} for side in (left, right))
    if min(len(a), len(b)) < 3 and not (left.tolist() == right.tolist() and a):
        return None
    counts = Counter(position for each in rows for position in each.tolist()[:-1])
    most = len(rows).bit_length() + 1
    power = 4 if "power=2" in matcher else 0

    def weight(positions: set[int]) -> int:
        return sum(max(1, most - max(1, counts[p]).bit_length()) ** power for p in positions)

    common, one, other = weight(a & b), weight(a), weight(b)
    if "cosine" in matcher:
        return min(99, isqrt(10_000 * common**2 // (one * other)))
    whole = one if matcher == "containment" else one + other - common
    return min(99, 100 * common // whole)


def scores_of(found: Links) -> dict[tuple[int, int], int]:
    columns = zip(found.left.tolist(), found.right.tolist(), found.score.tolist(), strict=True)
    return {(left, right): score for left, right, score in columns}


def plain_scores(
    left: Sequence[Row], right: Sequence[Row], rows: Sequence[Row], matcher: str
) -> dict[tuple[int, int], int]:
    """The scores above 0 of all pairs of two sides."""
    return {
        (a, b): score
        for a, one in enumerate(left)
        for b, other in enumerate(right)
        if (score := plain_score(one, other, rows, matcher) or 0) >= 1
    }


@BRISK
@given(documents=DOCUMENTS, matcher=MATCHERS)
def test_scores_are_those_of_the_plain_formula(
    documents: list[tuple[int, int, int]], matcher: str
) -> None:
    rows = [row(each) for each in documents]
    way = search(rows, matcher)
    query, *_ = rows
    expected = [plain_score(query, each, rows, matcher) for each in rows]
    assert [way.match(query, place).score for place in range(len(rows))] == expected
    comparable = [place for place, score in enumerate(expected) if score is not None]
    assert way.comparable(query).tolist() == comparable
    matches = way.query(query)
    reached = {place: score for place, score in enumerate(expected) if score}
    assert dict(zip(matches.ids.tolist(), matches.scores.score.tolist(), strict=True)) == reached


@BRISK
@given(documents=DOCUMENTS, matcher=MATCHERS, split=st.integers(1, 8))
def test_pairs_are_those_of_queries(
    documents: list[tuple[int, int, int]], matcher: str, split: int
) -> None:
    rows = [row(each) for each in documents]
    way = search(rows, matcher)
    found = links(collection(rows), way.plan.question)
    symmetric = matcher != "containment"
    assert scores_of(found) == {
        (a, b): score
        for (a, b), score in plain_scores(rows, rows, rows, matcher).items()
        if (a < b if symmetric else a != b)
    }
    sides = rows[:split], rows[split:]
    if not all(sides):
        return
    between = links(collection(sides[0]), way.plan.question, collection(sides[1]))
    assert scores_of(between) == plain_scores(*sides, rows, matcher)


def test_damaged_rows_are_refused() -> None:
    whole = row((0, 50, 512))
    for bad in (whole[:-1], np.append(whole, np.uint64(3 * END)), whole[:0]):
        with pytest.raises(FormatError):
            search([whole, bad], "cosine").query(whole)


def test_matchers_of_other_things_and_recipes_of_shingles_are_refused() -> None:
    rows = [row((0, 50, 512))]
    for matcher in ("surprise", "edit", "hamming"):
        with pytest.raises(MismatchError):
            search(rows, matcher)
    other = replace(SKETCHED, fingerprint=None, matcher=None)
    with pytest.raises(MismatchError):
        links(collection(rows), Question(recipe=other))


TEXTS = texts_of(8, 28)
PACKED = {
    bits: replace(RECIPE, fingerprint=PartSpec.of("bbit", slots=256, bits=bits))
    for bits in (1, 2, 4, 8)
}


@pytest.fixture(scope="module")
def stored_as(tmp_path_factory: pytest.TempPathFactory) -> Callable[[RecipeSpec], StoredCollection]:
    """The collection of the texts by a recipe, which is made once."""
    folder = tmp_path_factory.mktemp("stored")
    return cache(lambda recipe: stored(folder / f"{hash(recipe)}.sdx", TEXTS, recipe))


def score_of(jaccard: float, matcher: str) -> tuple[int, float]:
    share = max(jaccard, 0.0)
    similarity = share if matcher == "jaccard" else 2 * share / (1 + share)
    return min(99, int(100 * similarity + 1e-9)), similarity


@pytest.mark.parametrize(
    "bits", [1, *(pytest.param(each, marks=pytest.mark.deep) for each in (2, 4)), 8]
)
def test_packed_sketches_are_estimated_without_bias(
    bits: int, stored_as: Callable[[RecipeSpec], StoredCollection]
) -> None:
    """The same whether they are stored, or asked of a collection that has others."""
    bbit = BBit(slots=256, bits=bits)
    first, other = stored_as(RECIPE), stored_as(PACKED[bits])
    rows = bbit(joined([segment.ragged("shingles") for segment in first.segments()]))
    every = [bbit.estimate(row, rows) for row in rows]
    for collection, matcher in product((first, other), ("jaccard", "dice")):
        question = Question(5, matcher, estimate=True, recipe=PACKED[bits])
        if collection.recipe != RECIPE:
            kept = [segment.arrays["bbits"] for segment in collection.segments()]
            assert (np.concatenate(kept) == rows).all()
        result = links(collection, question)
        assert "scores are estimates from sketches" in result.how
        assert len(result) > 20
        columns = result.left.tolist(), result.right.tolist(), result.score.tolist()
        for left, right, score, found in zip(*columns, result.similarity.tolist(), strict=True):
            expected, similarity = score_of(every[left - 1][right - 1], matcher)
            assert (score, found) == (expected, pytest.approx(similarity))
        hits = similar(collection, [document(TEXTS[0])], question)
        scores = [score_of(each, matcher)[0] for each in every[0]]
        wanted = {f"t{place}": score for place, score in enumerate(scores) if score >= 5}
        assert {row.document: row.score for row in hits.rows} == wanted


def test_packed_sketches_that_do_not_fit_are_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = stored(tmp_path / "texts.sdx", TEXTS, PACKED[2])
    segment = collection.segments()[0]
    arrays = {**segment.arrays, "bbits": segment.arrays["bbits"][:, :-8]}
    monkeypatch.setattr(segment, "arrays", arrays)
    with pytest.raises(FormatError, match="packed sketches of the collection do not fit"):
        similar(collection, [document(TEXTS[0])], Question(5, estimate=True))
