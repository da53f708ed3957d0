"""Pairs similar by edits: exact where few texts are stored; the result says where it is not."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import MismatchError
from sdtext.model import PartSpec
from sdtext.parts.matchers import edit_and_hamming_matchers as edit_module
from sdtext.parts.matchers.edit_and_hamming_matchers import Levenshtein
from sdtext.search import sequence_search
from sdtext.search.find import links, search_pairs
from sdtext.search.results import Links
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar
from tests.search.stored import RECIPE, document, stored, texts_of

TEXTS = texts_of(1)
TERMS = [Chain(RECIPE).terms(text) for text in TEXTS]
MATCHERS = ["edit", "edit(of=characters)"]
Pairs = dict[tuple[int, int], float]
every = pytest.mark.parametrize("matcher", MATCHERS)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> StoredCollection:
    return stored(tmp_path_factory.mktemp("edits") / "texts.sdx", TEXTS)


def part(matcher: str) -> Levenshtein:
    return Levenshtein(of="characters" if "characters" in matcher else "tokens")


def right_pairs(matcher: str, minimum: int) -> Pairs:
    """All pairs that score `minimum`, by the places of the texts: each with each."""
    result = {}
    for (first, left), (other, right) in combinations(enumerate(TERMS), 2):
        similarity = part(matcher).of_sequences(left, right)
        if left and right and similarity.score >= minimum:
            result[first, other] = float(similarity)
    return result


def pairs_in(actual: Links) -> Pairs:
    columns = actual.left.tolist(), actual.right.tolist(), actual.similarity.tolist()
    return {(left - 1, right - 1): value for left, right, value in zip(*columns, strict=True)}


@every
def test_all_pairs_of_few_texts_are_found(matcher: str, collection: StoredCollection) -> None:
    for minimum in (1, 40, 99):
        result = links(collection, Question(minimum, matcher))
        assert pairs_in(result) == right_pairs(matcher, minimum)
        assert result.how.startswith("all texts compared; verified exactly")


@every
def test_many_texts_are_selected_by_shingles(
    matcher: str, collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence_search, "MOST_WORK", 10_000)
    recipe = replace(RECIPE, index=PartSpec.of("bands", similarity=0.3))
    question = Question(40, matcher, recipe=recipe)
    near = pairs_in(links(collection, Question(30, "jaccard", recipe=recipe)))
    right = {pair: value for pair, value in right_pairs(matcher, 40).items() if pair in near}
    result = links(collection, question)
    assert pairs_in(result) == right
    assert 0 < len(right) < len(right_pairs(matcher, 40))
    explanation = "only documents with jaccard 0.30 or more are scored by edit"
    assert result.how.startswith(f"all shingles compared; {explanation}")
    asked = replace(question, recall=0.99)
    assert links(collection, asked).how.startswith(f"bands: 64 of 2 rows; {explanation}")
    for some in (question, replace(question, minimum=None, top=50)):
        hits = similar(collection, [document(TEXTS[0])], some)
        assert explanation in hits.how
        known = {int(row.document[1:]) for row in hits.rows} - {0}
        pairs = near if some.minimum is None else right
        assert known == {other for first, other in pairs if first == 0}


def test_the_work_limit_counts_the_searched_texts(collection: StoredCollection) -> None:
    """Just enough work for all pairs, for a text, and a little less than enough."""
    whole = sum(map(len, TERMS))
    number = len(TEXTS) - 1
    pairs = (whole * whole + 40_000 * number * number) / 2
    query = (len(TERMS[0]) + 1000) * whole + 40_000 * number
    asking: list[tuple[float, Callable[[], str]]] = [
        (pairs, lambda: links(collection, Question(50, "edit")).how),
        (query, lambda: similar(collection, [document(TEXTS[0])], Question(50, "edit")).how),
    ]
    for work, asked in asking:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sequence_search, "MOST_WORK", work)
            assert asked().startswith("all texts compared")
            patch.setattr(sequence_search, "MOST_WORK", work - 1)
            assert "only documents with" in asked()


def test_a_refused_pair_does_not_end_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its two documents are named, of many such pairs the first three; equal ones score."""
    monkeypatch.setattr(edit_module, "_MOST_WORK", 29 * 30)
    long = " ".join(f"w{place}" for place in range(30))
    for number, pairs in ((1, 0), (3, 5), (5, 14)):
        texts = ["a b c d", "a b c e", *[long + f" x{place}" for place in range(number)]]
        collection = stored(tmp_path / f"{number}.sdx", [*texts, long + " x0"])
        result = search_pairs(collection, Question(50, "edit"))
        rows = [(row.left, row.right) for row in result.rows]
        assert rows == [("t2", f"t{len(texts)}"), ("t0", "t1")]
        assert {item.category for item in result.problems} <= {"not-compared"}
        messages = [problem.message for problem in result.problems]
        assert len(messages) == min(pairs, 4)
        hits = similar(collection, [document(texts[-1], "mine.txt")], Question(50, "edit"))
        assert hits.rows[0].similarity == 1
        others = [problem.message for problem in hits.problems]
        assert len(others) == (min(number, 4) if number > 1 else 0)
        if pairs:
            assert messages[0].startswith("t2 and t3: ")
            assert messages[3].startswith(f"{pairs - 3} more pairs")
            assert others[0].startswith("mine.txt and t2: ")


words = st.lists(st.sampled_from(["a", "b", "ab", "naïve", "中"]), max_size=9)


@given(left=words, right=words, minimum=st.integers(0, 99), of=st.sampled_from(MATCHERS))
def test_a_minimum_keeps_the_scores_above_it(
    left: list[str], right: list[str], minimum: int, of: str
) -> None:
    whole = part(of).of_sequences(left, right)
    result = part(of).of_sequences(left, right, minimum)
    assert result == whole if whole.score >= minimum else 0 <= result.score < minimum


def test_lengths_that_differ_too_much_are_rejected_early() -> None:
    most = ["w"] * 10**6, ["w"] * (2 * 10**6)
    assert Levenshtein().of_sequences(*most, 80).score < 80
    assert Levenshtein().of_sequences(most[0], most[0]).score == 99
    with pytest.raises(MismatchError, match="too long"):
        Levenshtein().of_sequences(*most, 50)


def test_edits_need_tokens() -> None:
    held = MemoryCollection.of([[1, 2], [1, 2]])
    with pytest.raises(MismatchError, match="stores no tokens"):
        links(held, Question(80, "edit"))
    with pytest.raises(MismatchError, match="stores no tokens"):
        similar(held, [document("bee hive")], Question(80, "edit"))
