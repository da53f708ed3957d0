"""Bit vectors in a collection score as `Comparer` scores them, one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path

import pytest

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError, OptionError
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import PARTS, find
from sdtext.search import Question, bit_vector_scoring, links, similar, within
from sdtext.search.fingerprint_scores import FingerprintScorer
from tests.search.stored import CHAIN, COUNTS, RECIPE, WORDS, document, stored, texts_of

MATCHERS = [
    name for name in PARTS["matchers"] if find("matchers", name).compares in ("sets", "vectors")
]
FEW = [" ".join(WORDS[:number]) for number in (1, 1, 7, 7, 8, 8, 9)]
TEXTS = [*texts_of(4), *FEW, "none of it", " ".join(WORDS[30:40])]
DICTIONARY = Dictionary.of(COUNTS, 100, CHAIN)
every = pytest.mark.parametrize("name", MATCHERS)
Scored = dict[tuple[int, int], tuple[int, float]]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> StoredCollection:
    path = tmp_path_factory.mktemp("bits") / "texts.sdx"
    return stored(path, TEXTS, CHAIN, (DICTIONARY,))


@pytest.fixture(params=[1, 1000])
def cells(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of all sizes."""
    monkeypatch.setattr(bit_vector_scoring, "_CELLS", request.param)


def compared(name: str, pairs: Iterable[tuple[int, int]], minimum: int) -> Scored:
    """The pairs of texts that score `minimum`, each compared by `Comparer`."""
    every_pair = _all_compared(name)
    scores = {pair: every_pair[pair] for pair in pairs if pair in every_pair}
    return {pair: score for pair, score in scores.items() if score[0] >= minimum}


@cache
def _all_compared(name: str) -> Scored:
    comparer = FingerprintScorer(name, (DICTIONARY,))
    output = [fingerprint(document(text), DICTIONARY) for text in TEXTS]
    result = {}
    for left, right in product(range(len(TEXTS)), repeat=2):
        match = comparer.best(output[left], output[right])
        if match.score is not None and match.similarity:
            result[left, right] = match.score, float(match.similarity)
    return result


@every
@pytest.mark.parametrize("minimum", [1, 60])
@pytest.mark.usefixtures("cells")
def test_pairs_score_as_the_comparer_scores_them(
    name: str, minimum: int, collection: StoredCollection
) -> None:
    result = links(collection, Question(minimum, name))
    both = combinations if find("matchers", name).symmetric else permutations
    ids = {first: place for place, first in enumerate(collection.ids().tolist())}
    rows = zip(
        result.left.tolist(),
        result.right.tolist(),
        result.score.tolist(),
        result.similarity.tolist(),
        strict=True,
    )
    output = {(ids[first], ids[other]): scores for first, other, *scores in rows}
    wanted = compared(name, both(range(len(TEXTS)), 2), minimum)
    assert {pair: score for pair, (score, _) in output.items()} == {
        pair: score for pair, (score, _) in wanted.items()
    }
    for pair, (_, similarity) in output.items():
        assert similarity == pytest.approx(wanted[pair][1], abs=1e-9)


def test_a_query_of_few_terms_gives_a_warning(collection: StoredCollection) -> None:
    hits = similar(collection, [document(WORDS[0], "one.txt")])
    assert [row.score for row in hits.rows] == [99, 99]
    assert hits.problems[-1].path == "one.txt"
    assert "only 1 term" in hits.problems[-1].message


def test_a_matcher_chooses_between_shingles_and_bits(tmp_path: Path) -> None:
    both = stored(tmp_path / "both.sdx", TEXTS, RECIPE, (DICTIONARY,))
    assert "bit vectors" in within(both, Question(80, "cosine")).how
    assert "shingles" in within(both, Question(80, "jaccard")).how
    assert "shingles" in within(both, Question(80)).how


def test_collections_over_other_dictionaries_are_not_compared(
    collection: StoredCollection, tmp_path: Path
) -> None:
    named = replace(Dictionary.of({"bee": 2, "wax": 1}, 9, CHAIN), name="bees")
    other = stored(tmp_path / "other.sdx", TEXTS, CHAIN, (named,))
    with pytest.raises(MismatchError, match="no bit vectors made with the dictionary of the first"):
        links(collection, Question(50), other)


def test_vectors_of_another_length_are_damage(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"bits-{DICTIONARY.digest[:16]}"
    segment = collection.segments()[0]
    narrow = segment.arrays[name][:, :-1]
    monkeypatch.setattr(segment, "arrays", {**segment.arrays, name: narrow})
    with pytest.raises(FormatError, match="does not fit dictionary"):
        within(collection, Question(50))
    monkeypatch.setattr(segment, "arrays", {})
    with pytest.raises(MismatchError, match="has no bit vectors"):
        within(collection, Question(50))


def test_there_is_no_estimate_from_bits(collection: StoredCollection) -> None:
    with pytest.raises(OptionError, match="an estimate needs sketches"):
        within(collection, Question(50, estimate=True))


def test_a_matcher_of_sequences_needs_shingles(collection: StoredCollection) -> None:
    with pytest.raises(MismatchError, match="edit finds pairs by shingles"):
        within(collection, Question(50, "edit"))
