"""What every aligner of units keeps to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import Passage, Span
from sdtext.parts.aligners.sentence_passages import SentencePassages
from sdtext.parts.registry import build
from tests.support.strategies import BRISK, specs_of

UNITS = 12
STARTS = np.arange(UNITS) * 100 + 3
PLACES = STARTS, STARTS + 90
BITS = 64
Matches = list[tuple[int, int, int]]
matches = st.lists(
    st.tuples(st.integers(0, UNITS - 1), st.integers(0, UNITS - 1), st.integers(0, 40)), max_size=20
)


def aligned(rows: Matches, part: SentencePassages) -> list[Passage]:
    return part(np.array(rows, np.int64).reshape(-1, 3), PLACES, PLACES, BITS)


@BRISK
@given(pick=st.data(), rows=matches)
def test_passages_are_sentences_and_hold_all_that_match(pick: st.DataObject, rows: Matches) -> None:
    part = build("aligners", pick.draw(specs_of("sentences", "aligners")))
    result = aligned(rows, part)
    held = (set[int](), set[int]())
    for passage in result:
        for side, span in zip(held, (passage.left, passage.right), strict=True):
            assert span.start in STARTS
            assert span.end in STARTS + 90
            side.update(np.flatnonzero((span.start <= STARTS) & (span.end >= STARTS + 90)).tolist())
        assert 0 <= float(passage.similarity) <= 1
        assert passage.terms == (0, 0)
    assert held[0] >= {left for left, _, _ in rows}
    assert held[1] >= {right for _, right, _ in rows}
    assert bool(result) is bool(rows)
    turned = pick.draw(st.permutations(rows))
    assert aligned([*turned, *turned[:2]], part) == result
    places = [(item.left.start, item.left.end, item.right.start, item.right.end) for item in result]
    assert places == sorted(set(places))


def boxes(rows: Matches, gap: int) -> list[tuple[int, int, int, int]]:
    """Passages as first and last units of the left and the right."""
    result = aligned(rows, SentencePassages(gap))
    return [(*_units(item.left), *_units(item.right)) for item in result]


def _units(span: Span) -> tuple[int, int]:
    return (span.start - 3) // 100, (span.end - 3) // 100


@pytest.mark.parametrize(("pairs", "gap", "expected"), [
    ([(0, 5), (1, 6), (2, 7)], 0, [(0, 2, 5, 7)]),
    ([(0, 5), (1, 6), (2, 8)], 0, [(0, 1, 5, 6), (2, 2, 8, 8)]),
    ([(0, 5), (1, 6), (2, 8)], 1, [(0, 2, 5, 8)]),
    ([(0, 5), (3, 8)], 2, [(0, 3, 5, 8)]),
    ([(0, 5), (3, 8)], 1, [(0, 0, 5, 5), (3, 3, 8, 8)]),
    ([(0, 7), (1, 6), (2, 5)], 0, [(0, 2, 5, 7)]),  # turned round
    ([(0, 5), (0, 6)], 0, [(0, 0, 5, 6)]),  # cut in two on the right
    ([(0, 0), (1, 1), (0, 9)], 0, [(0, 0, 9, 9), (0, 1, 0, 1)]),  # a sentence said twice there
    ([(0, 0), (0, 9), (9, 0), (9, 9)], 0, [(0, 0, 0, 0), (9, 9, 9, 9)]),  # twice on both sides
    ([(0, 0), (0, 4), (0, 8)], 0, [(0, 0, 0, 0), (0, 0, 4, 4), (0, 0, 8, 8)]),
])  # fmt: skip
def test_neighbours_with_neighbouring_partners_are_joined(
    pairs: list[tuple[int, int]], gap: int, expected: list[tuple[int, ...]]
) -> None:
    assert boxes([(*pair, 5) for pair in pairs], gap) == expected


def test_the_nearest_partner_is_taken_where_two_passages_have_as_many_sentences() -> None:
    rows = [(0, 0, 9), (0, 4, 2), (4, 0, 3), (4, 4, 9)]
    assert boxes(rows, 0) == [(0, 0, 4, 4), (4, 4, 0, 0)]


def test_the_similarity_is_that_of_the_mean_distance() -> None:
    (passage,) = aligned([(0, 0, 4), (1, 1, 8), (1, 2, 20)], SentencePassages())
    assert float(passage.similarity) == pytest.approx(1 - 2 * 6 / BITS)
    (far,) = aligned([(0, 0, 40)], SentencePassages())
    assert far.similarity.score == 0
