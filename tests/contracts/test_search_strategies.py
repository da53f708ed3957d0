"""The contract of search strategies, which agree with brute force, and of indexes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.stored_collection import StoredCollection
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.model import RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.indexes import Index
from sdtext.parts.matchers.edit_and_hamming_matchers import Levenshtein
from sdtext.parts.registry import PARTS, build, parse
from sdtext.search.bit_vector_search import ByVectors
from sdtext.search.find import STRATEGIES, search_pairs
from sdtext.search.fingerprint_scores import FingerprintScorer
from sdtext.search.search_plan import Question, plan_search
from sdtext.search.searchable import Table, segment_views
from sdtext.search.similar_documents import similar
from tests.search.stored import RECIPE, WORDS, document, shingles_of, stored, texts_of
from tests.support.cases import cases
from tests.support.strategies import BRISK, specs_of

TEXTS = texts_of(6, number=24)
CHAIN = RecipeSpec(RECIPE.tokenizer, RECIPE.filters)
COUNTS = {word: 1 + place * 99 // 40 for place, word in enumerate(WORDS)}
DICTIONARY = Dictionary.of(COUNTS, 100, CHAIN)
MINIMA = [1, 40, 80]
Scores = dict[tuple[int, int], int]
Measure = Callable[[str, str], int | None]


@dataclass(frozen=True)
class Case:
    """A strategy, a matcher that uses it, and the score of two texts by definition."""

    strategy: str
    matcher: str
    score: Measure


def by_sets(matcher: str) -> Measure:
    part = build("matchers", parse(matcher))

    def score(left: str, right: str) -> int | None:
        first, other = shingles_of(left), shingles_of(right)
        if not (first and other):
            return None
        result: int = part(len(first & other), len(first), len(other)).score
        return result

    return score


def by_vectors(matcher: str) -> Measure:
    comparer = FingerprintScorer(matcher, (DICTIONARY,))

    def score(left: str, right: str) -> int | None:
        first, other = (fingerprint(document(text), DICTIONARY) for text in (left, right))
        return comparer.best(first, other).score if first.vectors[0].count else None

    return score


def by_sequences(left: str, right: str) -> int | None:
    first, other = (Chain(RECIPE).terms(text) for text in (left, right))
    return Levenshtein().of_sequences(first, other).score if first and other else None


OF_SHINGLES = ("jaccard", "containment", "overlap", "dice")
CASES = [
    *(Case("shingles", name, by_sets(name)) for name in OF_SHINGLES),
    Case("bits", "cosine", by_vectors("cosine")),
    Case("bits", "idf-cosine", by_vectors("idf-cosine")), Case("sequences", "edit", by_sequences),
]  # fmt: skip
every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.matcher)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> StoredCollection:
    folder = tmp_path_factory.mktemp("strategies")
    return stored(folder / "texts.sdx", TEXTS, RECIPE, (DICTIONARY,))


def scores(case: Case, minimum: int, places: Iterable[tuple[int, int]]) -> Scores:
    """The pairs of places that score `minimum`, each compared by definition."""
    measured = {pair: _score(case, *pair) for pair in places}
    return {pair: score for pair, score in measured.items() if score and score >= minimum}


@cache
def _score(case: Case, left: int, right: int) -> int | None:
    return case.score(TEXTS[left], TEXTS[right])


def place(name: str) -> int:
    return int(name.removeprefix("t"))


def pairs_of(collection: StoredCollection, question: Question) -> Scores:
    """The pairs within, in both orders if the matcher is symmetric."""
    rows = search_pairs(collection, question).rows
    pairs = {(place(row.left), place(row.right)): row.score for row in rows}
    assert len(pairs) == len(rows)
    assert all(row.left_id != row.right_id for row in rows)
    if plan_search(collection, question).symmetric:
        assert all(row.left_id < row.right_id for row in rows)
        pairs |= {(right, left): score for (left, right), score in pairs.items()}
    return pairs


def test_every_strategy_has_a_case() -> None:
    """But for those whose weights depend on the collection; they have tests of their own."""
    assert {case.strategy for case in CASES} == set(STRATEGIES) - {"weights", "sketches"}


@every
@pytest.mark.parametrize("minimum", MINIMA)
def test_pairs_and_queries_of_stored_documents_are_those_of_brute_force(
    case: Case, minimum: int, collection: StoredCollection
) -> None:
    question = Question(minimum, case.matcher)
    assert plan_search(collection, question).compares == case.strategy
    expected = scores(case, minimum, permutations(range(len(TEXTS)), 2))
    assert pairs_of(collection, question) == expected
    queries = [document(text, f"t{number}") for number, text in enumerate(TEXTS)]
    rows = similar(collection, queries, question).rows
    result = {(place(row.query), place(row.document)): row.score for row in rows}
    own = {pair: result.pop(pair) for pair in [*result] if pair[0] == pair[1]}
    assert set(own.values()) == {99}
    assert len(own) == len(TEXTS) - 1  # one is empty
    assert result == expected


@every
def test_between_two_collections_all_pairs_cross(
    case: Case, collection: StoredCollection, tmp_path: Path
) -> None:
    other = stored(tmp_path / "other.sdx", TEXTS[::3], RECIPE, (DICTIONARY,))
    question = Question(30, case.matcher)
    for sides in ((collection, other), (other, collection)):
        steps = [3 if side is other else 1 for side in sides]
        result = {
            (steps[0] * place(row.left), steps[1] * place(row.right)): row.score
            for row in search_pairs(sides[0], question, sides[1]).rows
        }
        left, right = (range(0, len(TEXTS), step) for step in steps)
        assert result == scores(case, 30, product(left, right))


@every
def test_documents_that_are_not_selected_are_in_no_result(case: Case, tmp_path: Path) -> None:
    years = [{"year": 2000 + number} for number in range(len(TEXTS))]
    collection = stored(tmp_path / "years.sdx", TEXTS, RECIPE, (DICTIONARY,), years)
    question = Question(1, case.matcher, where="year >= 2012")
    rows = search_pairs(collection, question).rows
    assert {row.left for row in rows} <= {f"t{number}" for number in range(12, len(TEXTS))}
    result = {(place(row.left), place(row.right)) for row in rows}
    every_pair = scores(case, 1, permutations(range(12, len(TEXTS)), 2)).keys()
    assert result | {pair[::-1] for pair in result} == every_pair | {p[::-1] for p in every_pair}
    hits = similar(collection, [document(TEXTS[3])], question).rows
    assert {place(row.document) for row in hits} == {
        right for _, right in scores(case, 1, ((3, right) for right in range(12, len(TEXTS))))
    }


@every
def test_what_is_comparable_can_match_and_an_empty_query_has_no_matches(
    case: Case, collection: StoredCollection
) -> None:
    hits = similar(collection, [document("...")], Question(1, case.matcher))
    assert hits.rows == ()
    assert any(problem.path == "query" for problem in hits.problems)
    plan = plan_search(collection, Question(1, case.matcher))
    if plan.compares != "bits":
        return  # all that have shingles are comparable
    strategy = ByVectors(Table(segment_views(collection, plan.derivation), plan.derivation), plan)
    queries = [document(text) for text in (TEXTS[3], "...")]
    one, none = strategy.encoded(queries)
    assert set(strategy.query(one).ids) <= set(strategy.comparable(one))
    assert len(strategy.comparable(one)) == len(TEXTS) - 1  # one is empty
    assert len(strategy.comparable(none)) == 0


SLOTS = 1024


@cases("name", sorted(PARTS["indexes"]))
@BRISK
@given(pick=st.data())
def test_probability_grows_with_similarity_to_1(name: str, pick: st.DataObject) -> None:
    index: Index = build("indexes", pick.draw(specs_of(name, "indexes")))
    curve = index.curve(SLOTS)
    result = [probability for _, probability in curve]
    assert [jaccard for jaccard, _ in curve] == sorted({jaccard for jaccard, _ in curve})
    assert all(0 <= probability <= 1 for probability in result)
    assert result == sorted(result)
    assert result == [index.probability(jaccard, SLOTS) for jaccard, _ in curve]
    assert index.probability(1, SLOTS) == 1
