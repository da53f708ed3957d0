"""What every aligner of the registry keeps to; those of windows are run here, too."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.kernels.terms.document_words import LEFT_OUT, DocumentWords
from sdtext.model import PartSpec
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
