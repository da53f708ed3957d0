"""A similarity is a number, and knows the ratio that it is."""

import json
import pickle
from copy import deepcopy
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any

from bitarray import bitarray
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.model import Similarity


@st.composite
def similarities(draw: st.DrawFn) -> Similarity:
    """Ratios of whole numbers of any size, and their roots."""
    bottom = draw(st.integers(1, 2**80))
    return Similarity(draw(st.integers(0, bottom)), bottom, draw(st.booleans()))


@given(similarity=similarities())
def test_a_similarity_is_the_nearest_number_and_its_copies_keep_the_ratio(
    similarity: Similarity,
) -> None:
    ratio = Fraction(similarity.top, similarity.bottom)
    expected = sqrt(ratio) if similarity.root else float(ratio)
    assert similarity == float(similarity) == expected
    assert 0 <= similarity <= 1
    assert (similarity > 0.5) == (expected > 0.5)
    assert f"{similarity:.2f}" == f"{expected:.2f}"
    assert round(similarity, 3) == round(expected, 3)
    assert json.loads(json.dumps([similarity])) == [expected]
    assert repr(similarity) == repr(expected)
    hundredths = isqrt(int(10_000 * ratio)) if similarity.root else int(100 * ratio)
    assert similarity.score == min(99, hundredths)
    for again in (pickle.loads(pickle.dumps(similarity)), deepcopy(similarity)):  # noqa: S301 (its own)
        assert isinstance(again, Similarity)
        assert (again.top, again.bottom) == (similarity.top, similarity.bottom)
        assert again.root == similarity.root


BITS = st.lists(st.booleans(), max_size=40)


@given(BITS, st.sampled_from(["little", "big"]))
def test_a_vector_gives_the_bits_that_it_is_made_of(bits: list[bool], endian: Any) -> None:
    array = bitarray(bits, endian=endian)
    vector = sdtext.Vector.of(array, "guid")
    assert vector.bits().tolist() == array.tolist() == bits
    assert (vector.length, vector.count, vector.dictionary) == (len(bits), sum(bits), "guid")
    assert vector.number == sum(1 << place for place, bit in enumerate(bits) if bit)
