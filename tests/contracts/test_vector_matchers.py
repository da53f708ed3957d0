"""What every matcher of vectors keeps to, and surprise against its formula in plain fractions."""

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.memory import MemoryCollection
from sdtext.errors import MismatchError, OptionError
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import PartSpec, RecipeSpec, Similarity
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import PARTS, build, find
from sdtext.search.find import links
from sdtext.search.fingerprint_scores import FingerprintScorer
from sdtext.search.score import similarity as of_texts
from sdtext.search.search_plan import Question
from tests.support.cases import cases
from tests.support.dictionaries import fingerprint_of
from tests.support.strategies import BRISK

OF_VECTORS = [name for name in PARTS["matchers"] if find("matchers", name).compares == "vectors"]
DOCUMENTS = 400
COUNTS = [1, 1, 2, 3, 3, 5, 9, 9, 20, 40, 41, 80, 150, 290, 360, 398, 400, 400]
TERMS = [f"{place:02}" for place in range(len(COUNTS))]
WORDS = RecipeSpec(PartSpec("words"))
DICTIONARY = Dictionary.of(dict(zip(TERMS, COUNTS, strict=True)), DOCUMENTS, WORDS)
every = cases("name", OF_VECTORS)
sets = st.frozensets(st.sampled_from(range(len(COUNTS))), min_size=1)

Terms = frozenset[int]


def packed(terms: Terms) -> bytes:
    return pack(sorted(terms), len(COUNTS))


def compared(name: str, left: Terms, right: Terms) -> Similarity:
    matcher = build("matchers", PartSpec(name))
    weights = matcher.weights(DICTIONARY)
    common = sum(weights[term] for term in left & right)
    result: Similarity = matcher.over(DICTIONARY).similarity(common, packed(left), packed(right))
    return result


def squared_surprise(left: Terms, right: Terms) -> Fraction:
    """The square of the similarity, by the formula as docs/ideas.md has it."""
    idf = DICTIONARY.weights()
    mean = Fraction(sum(COUNTS), DOCUMENTS)

    def deviations(terms: Terms, others: Terms) -> Fraction:
        excess = Fraction(sum(idf[term] for term in terms & others))
        variance = Fraction(max(idf) ** 2, 4)
        for term in terms:
            chance = min(Fraction(9, 10), Fraction(COUNTS[term], DOCUMENTS) * len(others) / mean)
            excess -= idf[term] * chance
            variance += idf[term] ** 2 * chance * (1 - chance)
        return max(Fraction(0), excess) ** 2 / variance

    square = min(deviations(left, right), deviations(right, left))
    return square / (square + 900)


@every
@BRISK
@given(left=sets, right=sets)
def test_a_similarity_is_what_its_formula_says(name: str, left: Terms, right: Terms) -> None:
    result = compared(name, left, right)
    assert build("matchers", PartSpec(name)).symmetric
    assert float(result) == float(compared(name, right, left))
    assert (float(result) == 1) is (left == right)
    square = Fraction(1) if left == right else squared_surprise(left, right)
    assert float(result) ** 2 == pytest.approx(float(square), rel=1e-12)
    assert result.score == min(99, isqrt(10_000 * square.numerator // square.denominator))


@every
@BRISK
@given(left=sets, right=sets, pick=st.data())
def test_another_common_term_in_place_of_one_that_is_not_is_never_less_similar(
    name: str, left: Terms, right: Terms, pick: st.DataObject
) -> None:
    only = sorted(term for term in left - right if COUNTS[term] < DOCUMENTS)
    if not only:
        return
    term = pick.draw(st.sampled_from(only))
    same_weight = [item for item in right - left if COUNTS[item] == COUNTS[term]]
    if same_weight:
        more = right - {same_weight[0]} | {term}
        assert float(compared(name, left, more)) >= float(compared(name, left, right))


@every
@BRISK
@given(rows=st.lists(sets, min_size=1, max_size=6), others=st.lists(sets, min_size=1, max_size=6))
def test_arrays_give_equal_similarities(name: str, rows: list[Terms], others: list[Terms]) -> None:
    matcher = build("matchers", PartSpec(name))
    weights = matcher.weights(DICTIONARY)
    common = np.array(
        [[float(sum(weights[term] for term in row & other)) for other in others] for row in rows]
    )
    columns = [
        np.array([list(packed(terms)) for terms in side], np.uint8) for side in (rows, others)
    ]
    result = matcher.over(DICTIONARY).similarities(common, *columns)
    for row, terms in enumerate(rows):
        for column, other in enumerate(others):
            if terms != other:
                exact = float(compared(name, terms, other))
                assert result[row, column] == pytest.approx(exact, abs=1e-8)


@every
def test_the_distance_is_0_for_equal_vectors_and_others_are_refused(name: str) -> None:
    over = build("matchers", PartSpec(name)).over(DICTIONARY)
    few, others = packed(frozenset(range(4))), packed(frozenset(range(2, 9)))
    assert over.distance(1, few, few) == 0 < over.distance(1, few, others) <= 1
    with pytest.raises(MismatchError, match=name):
        build("matchers", PartSpec(name)).weights(None)
    with pytest.raises(MismatchError):
        build("matchers", PartSpec(name))(1, 2, 3)
    with pytest.raises(MismatchError, match=name):
        links(MemoryCollection.of([[1, 2], [2]]), Question(5, name))
    with pytest.raises(OptionError, match=name):
        of_texts("a bee", "a wasp", matcher=name)


def test_terms_that_are_everywhere_give_no_surprise() -> None:
    common = Dictionary.of({"a": 400, "b": 399, "c": 1}, 400, WORDS)
    everywhere = common.trim(-1, 0.1)
    over = build("matchers", PartSpec("surprise")).over(everywhere)
    rows = np.array([[1], [3]], np.uint8)
    assert over.similarities(np.zeros((2, 2)), rows, rows).tolist() == [[0, 0], [0, 0]]
    sides = [fingerprint_of([terms], [everywhere]) for terms in ({"a"}, {"a", "b"})]
    match = FingerprintScorer("surprise", (everywhere,), min_terms=1).best(sides[0], sides[1])
    assert match.problem is not None


def test_fewer_than_3_terms_are_not_comparable_by_surprise() -> None:
    sides = [fingerprint_of([set(terms)], [DICTIONARY]) for terms in (TERMS[:2], TERMS[:9])]
    match = FingerprintScorer("surprise", (DICTIONARY,), min_terms=1).best(sides[0], sides[1])
    assert match.problem is not None
    assert match.problem.category == "too-few-terms"
    equal = FingerprintScorer("surprise", (DICTIONARY,), min_terms=1).best(sides[0], sides[0])
    assert equal.score == 99
