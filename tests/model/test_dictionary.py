import math
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary

RECIPE = RecipeSpec(PartSpec("words"))
TERMS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=5)


@st.composite
def dictionaries(draw: st.DrawFn) -> Dictionary:
    documents = draw(st.integers(3, 500))
    counts = draw(st.dictionaries(TERMS, st.integers(1, documents), min_size=1, max_size=30))
    counts["rare"] = 1
    return Dictionary.of(counts, documents, RECIPE)


@given(dictionaries(), st.floats(-1, 1), st.floats(-1, 1))
def test_trim_keeps_the_terms_in_range(dictionary: Dictionary, first: float, other: float) -> None:
    low, high = sorted((first, other))
    max_idf = math.log(dictionary.documents / (1 + min(dictionary.counts)))
    wanted = [
        (term, count)
        for term, count in zip(dictionary.terms, dictionary.counts, strict=True)
        if low <= math.log(dictionary.documents / (1 + count)) / max_idf <= high
    ]
    if not wanted:
        with pytest.raises(OptionError, match="wider range"):
            dictionary.trim(low, high)
        return
    trimmed = dictionary.trim(low, high)
    assert list(zip(trimmed.terms, trimmed.counts, strict=True)) == wanted
    assert trimmed.trimmed == (low, high)
    assert trimmed.parent == dictionary.guid


@given(dictionaries())
def test_ranges_and_digests_are_those_of_the_dictionary_as_made(dictionary: Dictionary) -> None:
    twice = dictionary.trim(-1, 1).trim(0.5, 1)
    assert twice.terms == dictionary.trim(0.5, 1).terms
    assert twice.max_idf == dictionary.max_idf
    assert twice.trimmed == (0.5, 1)
    values = [dictionary.nidf(count) for count in range(1, dictionary.documents + 1)]
    everything = dictionary.trim(min(values), 1)
    assert everything.terms == dictionary.trim(-1, 1).terms == dictionary.terms
    assert replace(dictionary, name="other").digest == dictionary.digest
    counts = dict(zip(dictionary.terms, dictionary.counts, strict=True))
    fewer = Dictionary.of(counts, dictionary.documents + 1, RECIPE)
    other = Dictionary.of({**counts, "rare": 2}, dictionary.documents, RECIPE)
    assert len({dictionary.digest, fewer.digest, other.digest}) == 3


@given(dictionaries(), st.floats(0, 1), st.floats(0, 1))
def test_the_range_in_words_is_kept(dictionary: Dictionary, first: float, other: float) -> None:
    low, high = dictionary.count_range(min(first, other), max(first, other))
    inside = {
        count
        for count in range(1, dictionary.documents + 1)
        if min(first, other) <= dictionary.nidf(count) <= max(first, other)
    }
    assert inside == set(range(low, high + 1))


def test_too_small_a_dictionary_says_why_it_has_no_normalized_idf() -> None:
    for documents, counts in ((1, {"a": 1}), (2, {"a": 1}), (5, {"a": 5})):
        dictionary = Dictionary.of(counts, documents, RECIPE)
        for use in (dictionary.trim, dictionary.weights, lambda: dictionary.nidf(1)):  # noqa: B023
            with pytest.raises(OptionError, match=f"N = {documents}"):
                use()


def test_a_bound_that_no_term_reaches_is_refused() -> None:
    of_max = (0.8, 0.3), (0.3, 80), (0.3, 1.5), (0, math.inf)
    of_min = (30, 80), (-1.5, 1), (-math.inf, 1), (math.nan, 1)
    for name, every in (("max_idf", of_max), ("min_idf", of_min)):
        for bounds in every:
            with pytest.raises(OptionError, match=f"trim: {name} is "):
                Dictionary.of({"a": 1}, 5, RECIPE).trim(*bounds)


def test_the_digest_is_the_one_described() -> None:
    recipe = RecipeSpec(PartSpec("words"), (PartSpec.of("min-length", length=3),))
    dictionary = Dictionary.of({"zebra": 2, "ärger": 1, "apple": 3}, 7, recipe)
    text = '[["words",{}],["min-length",{"length":3}]]\n7\napple\t3\nzebra\t2\närger\t1\n'
    assert dictionary.digest == sha256(text.encode("utf-8")).hexdigest()


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.sampled_from([0.5, 1.0, 2.0]))
def test_weights_are_whole_powers_of_idf(documents: int, count: int, power: float) -> None:
    documents = max(documents, count, 3)
    dictionary = Dictionary.of({"a": count, "rare": 1}, documents, RECIPE)
    idf = max(0.0, math.log(documents / (1 + count)))
    weight = dictionary.weights(power)[0]
    assert abs(Fraction(weight, 2**20) - Fraction(idf**power)) <= Fraction(1, 2**21)
    assert weight * weight < 2**64
