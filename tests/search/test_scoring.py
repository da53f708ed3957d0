"""Scores over arrays and in ranges of IDF are those of the matchers' own integers."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.collections.memory import MemoryCollection
from sdtext.errors import OptionError
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import PARTS, build, find, parse
from sdtext.search.all_scores import ScoresInRanges, ranked_ranges
from sdtext.search.bit_vector_scoring import NOT_COMPARABLE
from sdtext.search.fingerprint_scores import FingerprintScorer
from sdtext.search.scoring import Scorer, least_equal_slots
from sdtext.text.document import Document
from tests.search.sets import OF_SETS
from tests.support.strategies import BRISK

every = pytest.mark.parametrize("name", OF_SETS)


@st.composite
def triples(draw: st.DrawFn) -> tuple[int, int, int]:
    """What two sets share, and their sizes: often right at a whole score."""
    most = draw(st.sampled_from([8, 1000, 10**7]))
    left, right = draw(st.integers(1, most)), draw(st.integers(1, most))
    exact = draw(st.booleans())
    share = draw(st.integers(0, 100))
    common = min(left, right) * share // 100 if exact else draw(st.integers(0, min(left, right)))
    return common, left, right


@every
@given(counts=triples(), minimum=st.integers(1, 99), less=st.integers(0, 50))
def test_what_a_score_needs_is_bounded_from_below(
    name: str, counts: tuple[int, int, int], minimum: int, less: int
) -> None:
    common, left, right = counts
    scorer = Scorer(PartSpec(name))
    part, similarity = scorer.part, minimum / 100
    if build("matchers", PartSpec(name))(*counts).score < minimum:
        return
    assert scorer.can_reach(minimum, np.array([left]), np.array([right])).all()
    assert common / (left + right - common) >= part.least_jaccard(similarity) - 1e-9
    size = min(left, right) if part.symmetric else left
    assert common / size >= part.least_share(similarity) - 1e-9
    sizes = np.array([left]), np.array([max(1, right - less)])
    assert common >= part.least_common(similarity, *sizes)[0] - 1e-9


def test_all_matchers_of_sets_are_here() -> None:
    of_sets = {name for name in PARTS["matchers"] if find("matchers", name).compares == "sets"}
    assert of_sets - {"idf-cosine", "idf-jaccard"} == set(OF_SETS)


@every
@BRISK
@given(rows=st.lists(triples(), min_size=1, max_size=20))
def test_scores_are_those_of_the_matcher(name: str, rows: list[tuple[int, int, int]]) -> None:
    part = build("matchers", PartSpec(name))
    columns = (np.array(column) for column in zip(*rows, strict=True))
    result = Scorer(PartSpec(name))(*columns)
    assert result.score.tolist() == [part(*row).score for row in rows]
    assert result.similarity == pytest.approx([float(part(*row)) for row in rows], abs=1e-12)


@every
def test_scores_right_at_a_hundredth_are_those_of_the_matcher(name: str) -> None:
    part = build("matchers", PartSpec(name))
    common = np.arange(101)
    for left, right in ((100, common), (common, 100), (100, 100), (common, common)):
        ones, others = (np.broadcast_to(np.maximum(side, 1), 101) for side in (left, right))
        shared = np.minimum(common, np.minimum(ones, others))
        wanted = [part(*map(int, row)).score for row in zip(shared, ones, others, strict=True)]
        assert Scorer(PartSpec(name))(shared, ones, others).score.tolist() == wanted


def test_least_jaccard_is_tight() -> None:
    for name, counts in (("dice", (80, 100, 100)), ("cosine", (64, 64, 100))):
        common, left, right = counts
        assert build("matchers", PartSpec(name))(*counts).score == 80
        promised = Scorer(PartSpec(name)).part.least_jaccard(0.8)
        assert promised == pytest.approx(common / (left + right - common))


@BRISK
@given(slots=st.integers(1, 200), hundredths=st.integers(0, 100))
def test_fewer_equal_slots_occur_once_in_a_million(slots: int, hundredths: int) -> None:
    share = Fraction(hundredths, 100)
    least = least_equal_slots(slots, hundredths / 100)

    def below(bound: int) -> Fraction:
        terms = (
            comb(slots, item) * share**item * (1 - share) ** (slots - item) for item in range(bound)
        )
        return sum(terms, Fraction())

    assert below(least) <= Fraction(1000001, 10**12)
    assert below(least + 1) > Fraction(999999, 10**12)


MATCHERS = (
    "cosine", "idf-cosine", "idf-cosine(power=2)", "exact", "jaccard", "containment", "surprise",
)  # fmt: skip
RECIPE = RecipeSpec(PartSpec("words"))
RANGES = [(low, high) for low in (0.0, 0.2, 0.5) for high in (0.4, 0.7, 1.0) if low < high]

Texts = list[set[str]]

words = st.sampled_from([f"w{number:02}" for number in range(40)])
documents = st.lists(st.sets(words, min_size=1, max_size=30), min_size=4, max_size=9)


def dictionary_of(documents: Texts) -> Dictionary:
    vocabulary = {word for words in documents for word in words}
    frequencies = {word: sum(word in words for words in documents) for word in vocabulary}
    return Dictionary.of(frequencies, len(documents), RECIPE)


def scores_in_pipeline(
    dictionary: Dictionary, query: set[str], documents: Texts, min_terms: int
) -> Iterator[list[list[int]]]:
    """For each range the scores of `ScoreFingerprints` over what `TrimDictionary` makes.

    Rows are matchers, columns documents.
    """
    for least, most in RANGES:
        try:
            trimmed = dictionary.trim(least, most)
        except OptionError:  # no term is left
            yield [[NOT_COMPARABLE] * len(documents)] * len(MATCHERS)
            continue
        query_print, *prints = (
            fingerprint(Document.of(" ".join(sorted(words))), trimmed)
            for words in (query, *documents)
        )
        comparers = [FingerprintScorer(name, (trimmed,), min_terms) for name in MATCHERS]
        scores = [[each.best(query_print, other).score for other in prints] for each in comparers]
        yield [[NOT_COMPARABLE if score is None else score for score in row] for row in scores]


@given(documents=documents, query=st.sets(words, min_size=1), min_terms=st.integers(1, 9))
def test_a_range_scores_as_fingerprints_over_the_trimmed_dictionary(
    documents: Texts, query: set[str], min_terms: int
) -> None:
    dictionary = dictionary_of(documents)
    if dictionary.max_idf <= 0:
        return

    def packed(words: set[str]) -> NDArray[np.uint8]:
        places = [dictionary.places[word] for word in words if word in dictionary.places]
        return np.frombuffer(pack(places, len(dictionary.terms)), np.uint8)

    names = [str(place) for place in range(len(documents))]
    vectors = np.stack([*map(packed, documents)])
    collection = MemoryCollection.of_vectors(names, vectors, dictionary)
    scorer = ScoresInRanges(collection, RANGES, [*map(parse, MATCHERS)], min_terms)
    queries = query, documents[0]
    blocks = [*scorer([*map(packed, queries)])]
    for place, words in enumerate(queries):
        scores = {number: scores for which, number, scores in blocks if which == place}
        given = np.stack([scores[number][scorer.row_of] for number in range(len(MATCHERS))], axis=1)
        expected = [*scores_in_pipeline(dictionary, words, documents, min_terms)]
        assert given.tolist() == expected


def test_a_dictionary_without_normalized_idf_is_refused() -> None:
    with pytest.raises(OptionError, match="maximum IDF"):
        ranked_ranges(dictionary_of([{"a"}, {"a"}]), RANGES)
