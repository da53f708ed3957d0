"""Scores in ranges of IDF, compared with those of fingerprints over trimmed dictionaries."""

from collections.abc import Iterator

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
from sdtext.parts.registry import parse
from sdtext.search.all_scores import ScoresInRanges, ranked_ranges
from sdtext.search.bit_vector_scoring import NOT_COMPARABLE
from sdtext.search.fingerprint_scores import FingerprintScorer
from sdtext.text.document import Document

MATCHERS = (
    "cosine",
    "idf-cosine",
    "idf-cosine(power=2)",
    "exact",
    "jaccard",
    "containment",
    "surprise",
)
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
