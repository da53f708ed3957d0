"""Scores over arrays are those of the matchers' own integers, and bounds lose nothing."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import PartSpec
from sdtext.parts.registry import PARTS, build, find
from sdtext.search.scoring import Scorer, least_equal_slots
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
