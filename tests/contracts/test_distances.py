"""The distances that matchers offer: which are metrics, and that the others are none."""

import math
from fractions import Fraction
from itertools import combinations, product
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
METRICS = {"cosine", "exact", "idf-cosine", "idf-jaccard", "jaccard", "edit", "hamming"}
COUNTS = [1, 1, 3, 5, 9, 9, 20]
DICTIONARY = Dictionary.of(
    {f"{place}": count for place, count in enumerate(COUNTS)}, 40, RecipeSpec(PartSpec("words"))
)
TERMS = range(len(COUNTS))
_ROUNDING = 1e-9  # an angle is a float, and so is the sum of two

sets = st.frozensets(st.sampled_from(TERMS), min_size=1)
sequences = st.lists(st.sampled_from("abc"), max_size=8)
of_sets = cases("name", OF_SETS)
metrics = cases("name", sorted(METRICS & set(OF_SETS)))


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


@metrics
@BRISK
@given(pick=st.data(), three=st.tuples(sets, sets, sets))
def test_no_way_round_is_shorter_in_a_metric_of_sets(
    name: str, pick: st.DataObject, three: tuple[frozenset[int], ...]
) -> None:
    matcher = build("matchers", pick.draw(specs_of(name)))
    first, by, other = three
    direct = between(matcher, first, other)
    assert direct <= between(matcher, first, by) + between(matcher, by, other) + _ROUNDING


@cases("name", sorted(set(OF_SETS) - METRICS))
def test_a_way_round_may_be_shorter_in_what_is_no_metric(name: str) -> None:
    matcher = build("matchers", PartSpec(name))
    subsets = [frozenset(some) for size in (1, 2, 3) for some in combinations(range(3), size)]
    assert any(
        between(matcher, first, other) > between(matcher, first, by) + between(matcher, by, other)
        for first, by, other in product(subsets, repeat=3)
    )


def test_an_angle_tells_the_largest_sets_apart() -> None:
    matcher = build("matchers", PartSpec("cosine"))
    assert matcher.distance(10**30, 10**30, 10**30) == 0
    assert matcher.distance(10**30 - 1, 10**30, 10**30) > 0


@BRISK
@given(pick=st.data(), first=sequences, by=sequences, other=sequences)
def test_the_number_of_edits_is_a_metric(
    pick: st.DataObject, first: list[str], by: list[str], other: list[str]
) -> None:
    matcher = build("matchers", pick.draw(specs_of("edit")))
    direct = matcher.distance(first, other)
    assert (direct == 0) is (first == other)
    assert direct == matcher.distance(other, first) >= 0
    assert direct <= matcher.distance(first, by) + matcher.distance(by, other)
