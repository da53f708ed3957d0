"""Estimates are those of the recipe's own sketch, as it is stored or made of what is."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError
from sdtext.kernels.arrays.ragged import joined
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.fingerprints.minhash import BBit
from sdtext.search.find import links
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar
from tests.search.stored import RECIPE, document, stored, texts_of

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
