"""What every matcher of the registry keeps to: of sets, vectors, sequences and codes."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.memory import MemoryCollection
from sdtext.errors import MismatchError, OptionError
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import PartSpec, RecipeSpec, Similarity
from sdtext.model.dictionary import Dictionary
from sdtext.parts.matchers.edit_and_hamming_matchers import Levenshtein
from sdtext.parts.registry import PARTS, build, find
from sdtext.search.find import links
from sdtext.search.fingerprint_scores import FingerprintScorer
from sdtext.search.score import score
from sdtext.search.score import similarity as of_texts
from sdtext.search.search_plan import Question
from tests.support.cases import cases
from tests.support.dictionaries import fingerprint_of
from tests.support.strategies import BRISK, specs_of

Squared = Callable[[int, int, int], Fraction]


def _cosine(common: int, left: int, right: int) -> Fraction:
    return Fraction(common**2, left * right)


# The squares of the similarities, since those are all rational.
SQUARES: Mapping[str, Squared] = {
    "cosine": _cosine,
    "idf-cosine": _cosine,
    "exact": lambda common, left, right: Fraction(common == left == right),
    "jaccard": lambda common, left, right: Fraction(common, left + right - common) ** 2,
    "idf-jaccard": lambda common, left, right: Fraction(common, left + right - common) ** 2,
    "containment": lambda common, left, _: Fraction(common, left) ** 2,
    "dice": lambda common, left, right: Fraction(2 * common, left + right) ** 2,
    "overlap": lambda common, left, right: max(
        Fraction(common, left) ** 2, Fraction(common, right) ** 2
    ),
}
OF_SETS = [name for name in PARTS["matchers"] if find("matchers", name).compares == "sets"]
SYMMETRIC = sorted(set(SQUARES) - {"containment"})
MOST_DOCUMENTS = 10**12 - 1  # as many as a dictionary file can name

of_sets = cases("name", OF_SETS)


@st.composite
def sums(draw: st.DrawFn) -> tuple[int, int, int]:
    """The common terms of two sets, of the one and of the other: small ones and huge ones."""
    most = draw(st.sampled_from([12, 1000, 10**30]))
    left, right = draw(st.integers(1, most)), draw(st.integers(1, most))
    return draw(st.integers(0, min(left, right))), left, right


@of_sets
@BRISK
@given(pick=st.data(), counts=sums())
def test_a_score_is_the_greatest_percentage_not_above_the_similarity(
    name: str, pick: st.DataObject, counts: tuple[int, int, int]
) -> None:
    matcher, square = build("matchers", pick.draw(specs_of(name))), SQUARES[name](*counts)
    reached = [percent for percent in range(100) if Fraction(percent, 100) ** 2 <= square]
    result = matcher(*counts)
    assert result.score == max(reached)
    assert float(result) ** 2 == pytest.approx(float(square), rel=1e-12)
    common, left, right = counts
    assert matcher.symmetric is (name in SYMMETRIC)
    same = float(result) == float(matcher(common, right, left))
    assert same or not matcher.symmetric
    of_itself = matcher(left, left, left)
    assert (float(of_itself), of_itself.score) == (1.0, 99)


def test_every_matcher_has_its_contract() -> None:
    kinds = {name: find("matchers", name).compares for name in PARTS["matchers"]}
    others = {"surprise": "vectors", "edit": "sequences", "hamming": "codes"}
    assert kinds == dict.fromkeys(SQUARES, "sets") | others


@cases("name", sorted(set(SQUARES) - {"exact"}))
@cases("percent", [1, 29, 57, 70, 99])
def test_a_score_is_exact_at_the_very_bounds_of_a_percentage(name: str, percent: int) -> None:
    size = 10**18  # where a float is no longer exact

    def reaches(common: int) -> bool:
        return SQUARES[name](common, size, size) >= Fraction(percent, 100) ** 2

    least = bisect_left(range(size), True, key=reaches)  # noqa: FBT003 (what is looked for)
    matcher = build("matchers", PartSpec(name))
    assert matcher(least, size, size).score == percent
    assert matcher(least - 1, size, size).score == percent - 1


def dictionary(documents: int, counts: list[int]) -> Dictionary:
    frequencies = {f"{place:03}": count for place, count in enumerate(counts)}
    return Dictionary.of(frequencies, documents, RecipeSpec(PartSpec("words")))


@of_sets
def test_only_matchers_by_idf_weigh_terms(name: str) -> None:
    matcher = build("matchers", PartSpec(name))
    weights = matcher.weights(dictionary(9, [1, 2, 8]))
    assert (weights is None) is not name.startswith("idf-")


def test_idf_cosine_needs_a_dictionary() -> None:
    with pytest.raises(MismatchError, match="idf-cosine needs the dictionary"):
        build("matchers", PartSpec("idf-cosine")).weights(None)


@BRISK
@given(
    documents=st.integers(3, MOST_DOCUMENTS),
    shares=st.lists(st.floats(0, 1), max_size=9),
    power=st.floats(0.01, 2) | st.sampled_from([1.0, 2.0]),
)
def test_idf_weights_are_squares_of_idf_to_the_power_in_2_to_the_minus_20ths(
    documents: int, shares: list[float], power: float
) -> None:
    counts = [1, *(min(documents, 1 + int(share * documents)) for share in shares)]
    matcher = build("matchers", PartSpec.of("idf-cosine", power=power))
    result = matcher.weights(dictionary(documents, counts))
    with localcontext() as context:
        context.prec = 50
        for count, weight in zip(counts, result, strict=True):
            idf = max(Decimal(0), (Decimal(documents) / (1 + count)).ln())
            exact = idf ** Decimal(power) * 2**20 if idf else Decimal(0)
            assert math.isqrt(weight) ** 2 == weight
            assert abs(math.isqrt(weight) - exact) <= Decimal("0.5") + exact * Decimal("1e-12")


def test_no_weight_overflows_64_bits_with_any_power_that_is_taken() -> None:
    taken = set()
    for power in (number / 10 for number in range(1, 50)):
        with suppress(OptionError):
            matcher = build("matchers", PartSpec.of("idf-cosine", power=power))
            assert max(matcher.weights(dictionary(MOST_DOCUMENTS, [1]))) < 2**64
            taken.add(power)
    assert {0.5, 1.0, 2.0} <= taken


OF_CODES = [name for name in PARTS["matchers"] if find("matchers", name).compares == "codes"]
of_codes = cases("name", OF_CODES)
codes = st.binary(min_size=13, max_size=13).map(lambda code: code[:12] + bytes([code[12] & 15]))
BITS = 100


@of_codes
@BRISK
@given(first=codes, by=codes, other=codes)
def test_the_similarity_is_symmetric_and_the_distance_a_metric(
    name: str, first: bytes, by: bytes, other: bytes
) -> None:
    matcher = build("matchers", PartSpec(name))
    result = matcher.of_codes(first, other, BITS)
    assert matcher.symmetric
    assert result == matcher.of_codes(other, first, BITS)
    assert 0 <= float(result) <= 1
    assert (float(result) == 1) is (first == other)
    assert float(matcher.of_codes(first, first, BITS)) == 1
    direct = matcher.distance(first, other)
    assert direct == matcher.distance(other, first) >= 0
    assert (direct == 0) is (first == other)
    assert direct <= matcher.distance(first, by) + matcher.distance(by, other)
    assert direct == sum((a ^ b).bit_count() for a, b in zip(first, other, strict=True))


@cases("distance, expected", [
    (0, 99), (2, 96), (10, 80), (49, 2), (50, 0), (90, 0),
])  # fmt: skip
def test_the_estimate_falls_by_2_percent_with_a_bit_of_100(distance: int, expected: int) -> None:
    assert Similarity.of_codes(distance, BITS).score == expected


OF_SEQUENCES = [
    name for name in PARTS["matchers"] if find("matchers", name).compares == "sequences"
]
SAMPLES = Path(__file__).parents[1] / "samples" / "formats" / "1.0"
of_sequences = cases("name", OF_SEQUENCES)
tokens = st.lists(st.sampled_from(["a", "b", "ab", "naïve", "中", "😀"]), max_size=8)


def edits(left: str | list[str], right: str | list[str]) -> int:
    """The Levenshtein distance, row by row, as in Wagner and Fischer's paper of 1974."""
    row = list(range(len(right) + 1))
    for place, first in enumerate(left, 1):
        before, row[0] = row[0], place
        for column, other in enumerate(right, 1):
            before, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, before + (first != other)),
            )
    return row[-1]


@of_sequences
@BRISK
@given(pick=st.data(), left=tokens, right=tokens)
def test_a_similarity_is_symmetric_and_1_for_equal_texts_alone(
    name: str, pick: st.DataObject, left: list[str], right: list[str]
) -> None:
    matcher = build("matchers", pick.draw(specs_of(name)))
    result = matcher.of_sequences(left, right)
    assert matcher.symmetric
    assert result == matcher.of_sequences(right, left)
    assert 0 <= result.score <= 99
    assert (float(result) == 1) is (left == right)


@of_sequences
def test_sums_over_sets_and_fingerprints_are_refused(name: str) -> None:
    with pytest.raises(MismatchError):
        build("matchers", PartSpec(name))(1, 2, 3)
    file = SAMPLES / "fingerprint-full.xml"
    for matcher in (name, f"{name}()"):
        with pytest.raises(OptionError, match=name):
            score(file, file, matcher=matcher)
    with pytest.raises(OptionError, match=name):
        FingerprintScorer(name).part  # noqa: B018 (asked for is refused)


@given(left=tokens, right=tokens)
def test_edit_counts_edits_of_tokens_or_characters(left: list[str], right: list[str]) -> None:
    matcher, by_characters = Levenshtein(), Levenshtein(of="characters")
    expected = edits(left, right)
    longest = max(len(left), len(right)) or 1
    assert float(matcher.of_sequences(left, right)) == pytest.approx(1 - expected / longest)
    texts = " ".join(left), " ".join(right)
    similarity = by_characters.of_sequences(left, right)
    assert similarity == by_characters.of_sequences(*texts)
    longest = max(map(len, texts)) or 1
    assert float(similarity) == pytest.approx(1 - edits(*texts) / longest)


def test_edit_on_texts_that_would_take_minutes_is_refused() -> None:
    with pytest.raises(MismatchError, match="edit"):
        Levenshtein(of="characters").of_sequences("a" * 10**6, "b" * 10**6)


OF_VECTORS = [name for name in PARTS["matchers"] if find("matchers", name).compares == "vectors"]
DOCUMENTS = 400
COUNTS = [1, 1, 2, 3, 3, 5, 9, 9, 20, 40, 41, 80, 150, 290, 360, 398, 400, 400]
TERMS = [f"{place:02}" for place in range(len(COUNTS))]
WORDS = RecipeSpec(PartSpec("words"))
DICTIONARY = Dictionary.of(dict(zip(TERMS, COUNTS, strict=True)), DOCUMENTS, WORDS)
of_vectors = cases("name", OF_VECTORS)
vectors = st.frozensets(st.sampled_from(range(len(COUNTS))), min_size=1)

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


@of_vectors
@BRISK
@given(left=vectors, right=vectors)
def test_a_similarity_is_what_its_formula_says(name: str, left: Terms, right: Terms) -> None:
    result = compared(name, left, right)
    assert build("matchers", PartSpec(name)).symmetric
    assert float(result) == float(compared(name, right, left))
    assert (float(result) == 1) is (left == right)
    square = Fraction(1) if left == right else squared_surprise(left, right)
    assert float(result) ** 2 == pytest.approx(float(square), rel=1e-12)
    assert result.score == min(99, isqrt(10_000 * square.numerator // square.denominator))


@of_vectors
@BRISK
@given(
    rows=st.lists(vectors, min_size=1, max_size=6), others=st.lists(vectors, min_size=1, max_size=6)
)
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


@of_vectors
def test_other_things_than_vectors_are_refused(name: str) -> None:
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
