"""Search by columns gives the rows of an exhaustive scan, to the last digit and in its order."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError, OptionError
from sdtext.model import PartSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import PARTS, find
from sdtext.reading.parallel_run import COMPARING, INDEXING, Run
from sdtext.search import bit_vector_scoring, bit_vector_search
from sdtext.search.bit_vector_scoring import Vectors, Weighting
from sdtext.search.bit_vector_search import IndexedVectors
from sdtext.search.find import links, search_pairs
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar
from tests.search.stored import CHAIN, COUNTS, RECIPE, WORDS, document, stored, texts_of
from tests.support.strategies import BRISK

MATCHERS = [name for name in PARTS["matchers"] if find("matchers", name).compares == "sets"]
every = pytest.mark.parametrize("name", MATCHERS)
WEIGHTLESS = Dictionary.of({**COUNTS, WORDS[0]: 100, WORDS[1]: 100}, 100, CHAIN)
FEW = [" ".join(WORDS[:number]) for number in (1, 1, 2, 2, 7, 7, 8, 8, 36)]
TEXTS = [*texts_of(7, 80), *FEW, WORDS[0], "none of it"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> StoredCollection:
    path = tmp_path_factory.mktemp("columns") / "texts.sdx"
    facts = [{"year": 2000 + place % 5} for place in range(len(TEXTS))]
    result = stored(path, TEXTS, CHAIN, (WEIGHTLESS,), facts)
    result.remove_ids(result.ids()[:3].tolist())
    return result


@pytest.fixture(autouse=True)
def _batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bit_vector_search, "_BATCH", 7)


@every
def test_the_best_pairs_are_the_first_of_all(
    name: str, collection: StoredCollection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bit_vector_scoring, "_CELLS", 1 << 11)
    other = stored(tmp_path / "other.sdx", TEXTS[::3], CHAIN, (WEIGHTLESS,))
    for right, held in ((collection, 0), (other, 40)):
        monkeypatch.setattr(bit_vector_search, "_HELD", held)
        every_pair = search_pairs(collection, Question(5, name), right).rows
        for top, index in product((1, 7, 30, len(every_pair)), ("columns", "scan")):
            question, run = Question(5, name, top, index=index), Run(jobs=3 if top == 7 else 1)
            assert search_pairs(collection, question, right, run).rows == every_pair[:top]


SKEWED = Dictionary.of(
    {f"{bit:02}": (1, 700, 980, 990)[(bit + 16) // 20] for bit in range(64)}, 1000, CHAIN
)


@every
@BRISK
@given(seed=st.integers(0, 999), number=st.integers(1, 9))
def test_the_best_of_an_index_are_the_best_of_all(name: str, seed: int, number: int) -> None:
    """Too few terms are no match, and rounded weights mislead about the best."""
    chance = np.random.default_rng(seed)
    bits = chance.random((1500, 64)) < chance.random((1500, 1)) * chance.random(64)
    weighting = Weighting.of(PartSpec(name), SKEWED)
    vectors = Vectors.of(np.packbits(bits, axis=1, bitorder="little"), weighting)
    index = IndexedVectors.of(vectors, weighting)
    for row in range(5):
        query = vectors.take(slice(row, row + 1))
        best = index.best(query, 1, number)[1], index.similar(query, 1)[2]
        ours, theirs = (np.sort(scores.similarity)[-number:].tolist() for scores in best)
        assert ours == theirs


@every
def test_queries_give_the_rows_of_a_scan(name: str, collection: StoredCollection) -> None:
    queries = [document(text, f"q{place}") for place, text in enumerate(TEXTS[::30] + FEW[::2])]
    bounds = (None, None), (40, None), (1, 3)
    for (minimum, top), where in product(bounds, (None, "year >= 2003", "year = 2001")):
        question = Question(minimum, name, top, where)
        hits = [
            similar(collection, queries, replace(question, index=index))
            for index in ("columns", "scan")
        ]
        assert hits[0] == hits[1]
        assert hits[0].rows


def test_columns_are_cached_and_follow_removals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = stored(tmp_path / "texts.sdx", TEXTS[:40], CHAIN, (WEIGHTLESS,))
    question = Question(50, "cosine", index="columns")
    query = [document(TEXTS[5], "q")]
    done: list[tuple[str, int, int]] = []
    run = Run(stages=lambda *step: done.append(step))
    first = similar(collection, query, question, run)
    assert [step for step in done if step[0] == INDEXING] == [(INDEXING, 20, 20)] * 2
    monkeypatch.setattr(bit_vector_search, "columns_of", None)  # would fail
    again = StoredCollection.open(tmp_path / "texts.sdx")
    assert similar(again, query, question) == first
    again.remove_ids([first.rows[0].id])
    assert similar(again, query, question).rows == first.rows[1:]


def test_large_inputs_are_searched_by_columns_unasked(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    query = [document(TEXTS[5], "q")]
    scans = [search_pairs(collection, Question(60)), similar(collection, query)]

    def counted(name: str) -> None:
        whole = getattr(bit_vector_search, name)

        def call(*args: Any) -> Any:
            calls.append(name)
            return whole(*args)

        monkeypatch.setattr(bit_vector_search, name, call)

    counted("similar_by_columns")
    counted("indexed_segment")
    assert scans == [search_pairs(collection, Question(60)), similar(collection, query)]
    assert not calls
    monkeypatch.setattr(bit_vector_search, "_LEAST_ROWS", 1)
    monkeypatch.setattr(bit_vector_search, "_QUERY", 0)
    assert scans == [search_pairs(collection, Question(60)), similar(collection, query)]
    assert calls == ["similar_by_columns", "indexed_segment", "indexed_segment"]
    few = Question(where="year = 2004 and year < 2004")
    assert similar(collection, query, few).rows == ()
    similar(collection, query, Question(matcher="surprise", index="columns"))
    search_pairs(collection, Question(60, "surprise", index="columns"))
    search_pairs(collection, Question(60, index="scan"))
    assert len(calls) == 3


def test_an_index_that_does_not_fit_is_refused(collection: StoredCollection) -> None:
    for index in ("bands", "rows"):
        with pytest.raises(OptionError, match=index):
            search_pairs(collection, Question(60, index=index))


def test_progress_is_reported_and_an_interruption_ends_the_search(
    collection: StoredCollection,
) -> None:
    done: list[tuple[str, int, int]] = []
    question = Question(60, index="columns")
    search_pairs(collection, question, run=Run(stages=lambda *step: done.append(step)))
    number = len(collection)
    assert {(stage, total) for stage, _, total in done} == {(INDEXING, number), (COMPARING, number)}
    assert sum(count for stage, count, _ in done if stage == COMPARING) == number
    assert len(done) > 10

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search_pairs(collection, question, run=Run(stages=interrupt))


def test_a_recipe_may_state_the_index(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bit_vector_search, "columns_of", None)  # what makes columns fails
    by_columns, by_scan = (
        Question(60, recipe=replace(CHAIN, index=PartSpec(name), matcher=PartSpec("cosine")))
        for name in ("columns", "scan")
    )
    rows = search_pairs(collection, by_scan).rows
    assert rows
    assert search_pairs(collection, replace(by_columns, index="scan")).rows == rows
    for question in (by_columns, replace(by_scan, index="columns")):
        with pytest.raises(TypeError):
            search_pairs(collection, question)


SHORT = [" ".join(WORDS[:number]) for number in (1, 1, 7, 7, 8, 8, 9)]
SAMPLES = [*texts_of(4), *SHORT, "none of it", " ".join(WORDS[30:40])]
DICTIONARY = Dictionary.of(COUNTS, 100, CHAIN)


@pytest.fixture(scope="module")
def bits(tmp_path_factory: pytest.TempPathFactory) -> StoredCollection:
    path = tmp_path_factory.mktemp("bits") / "texts.sdx"
    return stored(path, SAMPLES, CHAIN, (DICTIONARY,))


def test_a_query_of_few_terms_gives_a_warning(bits: StoredCollection) -> None:
    hits = similar(bits, [document(WORDS[0], "one.txt")])
    assert [row.score for row in hits.rows] == [99, 99]
    assert hits.problems[-1].path == "one.txt"
    assert "only 1 term" in hits.problems[-1].message


def test_a_matcher_chooses_between_shingles_and_bits(tmp_path: Path) -> None:
    both = stored(tmp_path / "both.sdx", SAMPLES, RECIPE, (DICTIONARY,))
    assert "bit vectors" in search_pairs(both, Question(80, "cosine")).how
    assert "shingles" in search_pairs(both, Question(80, "jaccard")).how
    assert "shingles" in search_pairs(both, Question(80)).how


def test_vectors_of_another_length_are_damage(
    bits: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"bits-{DICTIONARY.digest[:16]}"
    segment = bits.segments()[0]
    narrow = segment.arrays[name][:, :-1]
    monkeypatch.setattr(segment, "arrays", {**segment.arrays, name: narrow})
    with pytest.raises(FormatError, match="does not fit dictionary"):
        search_pairs(bits, Question(50))
    monkeypatch.setattr(segment, "arrays", {})
    with pytest.raises(MismatchError, match="has no bit vectors"):
        search_pairs(bits, Question(50))


def test_what_bits_cannot_give_is_refused(bits: StoredCollection, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="an estimate needs sketches"):
        search_pairs(bits, Question(50, estimate=True))
    with pytest.raises(MismatchError, match="edit finds pairs by shingles"):
        search_pairs(bits, Question(50, "edit"))
    named = replace(Dictionary.of({"bee": 2, "wax": 1}, 9, CHAIN), name="bees")
    other = stored(tmp_path / "other.sdx", SAMPLES, CHAIN, (named,))
    with pytest.raises(MismatchError, match="no bit vectors made with the dictionary of the first"):
        links(bits, Question(50), other)
