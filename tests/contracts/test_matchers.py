"""What every matcher of the registry keeps to: those of sets; test_sequences has the others."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import MismatchError, OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import PARTS, build, find
from tests.support.cases import cases
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

every = cases("name", OF_SETS)


@st.composite
def sums(draw: st.DrawFn) -> tuple[int, int, int]:
    """The common terms of two sets, of the one and of the other: small ones and huge ones."""
    most = draw(st.sampled_from([12, 1000, 10**30]))
    left, right = draw(st.integers(1, most)), draw(st.integers(1, most))
    return draw(st.integers(0, min(left, right))), left, right


@every
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


@every
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
