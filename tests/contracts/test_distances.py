"""The distances that matchers of sets offer: what their similarities lack, or the angle."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import PARTS, build, find
from tests.support.cases import cases
from tests.support.strategies import BRISK, specs_of

OF_SETS = [name for name in PARTS["matchers"] if find("matchers", name).compares == "sets"]
METRICS = {"cosine", "exact", "idf-cosine", "idf-jaccard", "jaccard"}
COUNTS = [1, 1, 3, 5, 9, 9, 20]
DICTIONARY = Dictionary.of(
    {f"{place}": count for place, count in enumerate(COUNTS)}, 40, RecipeSpec(PartSpec("words"))
)
TERMS = range(len(COUNTS))
sets = st.frozensets(st.sampled_from(TERMS), min_size=1)
of_sets = cases("name", OF_SETS)


def sums_of(matcher: Any, left: frozenset[int], right: frozenset[int]) -> list[int]:
    """The weights of the common terms and of both sets, each term weighing what is said."""
    weights = matcher.weights(DICTIONARY) or [1] * len(TERMS)
    return [sum(weights[term] for term in item) for item in (left & right, left, right)]


def between(matcher: Any, left: frozenset[int], right: frozenset[int]) -> Fraction | float:
    result: Fraction | float = matcher.distance(*sums_of(matcher, left, right))
    return result


@of_sets
@BRISK
@given(pick=st.data(), left=sets, right=sets)
def test_a_distance_is_what_the_similarity_lacks_or_the_angle(
    name: str, pick: st.DataObject, left: frozenset[int], right: frozenset[int]
) -> None:
    matcher = build("matchers", pick.draw(specs_of(name)))
    assert between(matcher, left, left) == 0
    result, similarity = (
        between(matcher, left, right),
        float(matcher(*sums_of(matcher, left, right))),
    )
    assert 0 <= result <= 1
    if name in METRICS:
        assert (result == 0) is (left == right)
    if matcher.symmetric:
        assert result == between(matcher, right, left)
    if isinstance(result, Fraction):
        assert float(1 - result) == pytest.approx(similarity)
    else:
        assert math.cos(result * math.pi) == pytest.approx(similarity, abs=1e-9)


def test_an_angle_tells_the_largest_sets_apart() -> None:
    matcher = build("matchers", PartSpec("cosine"))
    assert matcher.distance(10**30, 10**30, 10**30) == 0
    assert matcher.distance(10**30 - 1, 10**30, 10**30) > 0
