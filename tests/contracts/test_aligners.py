"""What every aligner of the registry keeps to: of windows, weighted words and units."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.kernels.terms.document_words import LEFT_OUT, DocumentWords
from sdtext.model import PartSpec, Passage, Span
from sdtext.parts.aligners.sentence_passages import SentencePassages
from sdtext.parts.aligners.window_passages import WindowPassages
from sdtext.parts.aligners.word_alignment import edits_in
from sdtext.parts.registry import build
from tests.support.strategies import BRISK, specs_of
from tests.support.word_offsets import placed

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", f"{LEFT_OUT}of", "e", "f"]), max_size=60)


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[list[int]], DocumentWords, DocumentWords]:
    """Boxes of the terms of two documents, and the documents."""
    left, right = placed(draw(WORDS), draw(WORDS))
    sides = [
        st.tuples(st.integers(0, len(item.terms) - 1), st.integers(1, 20)) for item in (left, right)
    ]
    if not (len(left.terms) and len(right.terms)):
        return [], left, right
    rows = draw(st.lists(st.tuples(*sides), max_size=8))
    boxes = [
        [start, min(start + length, len(left.terms)), there, min(there + more, len(right.terms))]
        for (start, length), (there, more) in rows
    ]
    return boxes, left, right


def drawn(
    pick: st.DataObject,
) -> tuple[WindowPassages, list[list[int]], DocumentWords, DocumentWords, int]:
    """An aligner, boxes, the words of both sides and the length of windows."""
    aligner: WindowPassages = build("aligners", pick.draw(specs_of("windows", "aligners")))
    return aligner, *pick.draw(questions()), pick.draw(st.integers(1, 8))


def boxed(rows: list[list[int]]) -> NDArray[np.int64]:
    return np.array(rows, np.int64).reshape(-1, 4)


@given(pick=st.data())
def test_passages_lie_within_texts_and_hold_words_from_end_to_end(pick: st.DataObject) -> None:
    aligner, rows, left, right, w = drawn(pick)
    for passage in aligner(boxed(rows), left, right, w):
        for span, worded, terms in (
            (passage.left, left, passage.terms[0]),
            (passage.right, right, passage.terms[1]),
        ):
            assert span.start in worded.starts
            assert span.end in worded.ends
            assert span.start < span.end
            inside = (worded.starts >= span.start) & (worded.ends <= span.end) & worded.is_term
            assert inside.sum() == terms
        assert 0 < passage.common <= min(passage.terms)
        assert passage.similarity.top == passage.common
        assert passage.similarity.bottom == max(passage.terms)


@BRISK
@given(pick=st.data())
def test_passages_depend_on_the_set_of_boxes_and_edits_join_sides(pick: st.DataObject) -> None:
    aligner, rows, left, right, w = drawn(pick)
    result = aligner(boxed(rows), left, right, w)
    turned = pick.draw(st.permutations(rows))
    assert aligner(boxed([*turned, *turned[:2]]), left, right, w) == result
    places = [(item.left.start, item.left.end, item.right.start, item.right.end) for item in result]
    assert places == sorted(set(places))
    for passage in result:
        assert passage.edits == ()
        for edit in edits_in(passage, left, right):
            assert passage.left.start <= edit.left.start <= edit.left.end <= passage.left.end
            assert passage.right.start <= edit.right.start <= edit.right.end <= passage.right.end
            is_there = edit.left.start < edit.left.end, edit.right.start < edit.right.end
            kinds = {(True, True): "replace", (True, False): "delete", (False, True): "insert"}
            assert edit.kind == kinds[is_there]


def test_no_boxes_and_no_common_words_give_no_passages() -> None:
    left, right = placed(["a", "b"], [])
    assert build("aligners", PartSpec("windows"))(boxed([]), left, right, 30) == []
    left, right = placed(["a"], ["b"])
    weighted = build("aligners", PartSpec("weighted-words"))
    assert weighted(boxed([[0, 1, 0, 1]]), left, right, np.array([1.0])) == []


@BRISK
@given(question=questions(), pick=st.data())
def test_passages_by_weighted_words_lie_apart_in_any_order_of_boxes(
    question: tuple[list[list[int]], DocumentWords, DocumentWords], pick: st.DataObject
) -> None:
    rows, left, right = question
    number = len(right.terms)
    draws = st.lists(st.floats(0.01, 1), min_size=number, max_size=number)
    weights = np.array(pick.draw(draws))
    part = build("aligners", pick.draw(specs_of("weighted-words", "aligners")))
    result = part(boxed(rows), left, right, weights)
    turned = pick.draw(st.permutations(rows))
    assert part(boxed([*turned, *turned[:2]]), left, right, weights) == result
    assert all(one.left.end <= two.left.start for one, two in pairwise(result))
    for passage in result:
        for span, worded in ((passage.left, left), (passage.right, right)):
            assert span.start in worded.starts
            assert span.end in worded.ends
        assert 0 < passage.common <= min(passage.terms)
        assert 0 <= passage.similarity <= 1


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
