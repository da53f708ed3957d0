"""Passages by windows equal those of brute force; batches of documents share one vocabulary."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.windows import repeated_blocks
from sdtext.model import Passage
from sdtext.parts.aligners.window_passages import WindowPassages
from sdtext.reuse.choose_finder import recipe_and_finder
from sdtext.reuse.document_batch import DocumentBatch
from sdtext.reuse.window_finder import MIN_TERMS, WindowFinder
from tests.support.strategies import BRISK

from .word_documents import plain_passages, texts, words

WORD_LISTS = st.lists(st.lists(st.sampled_from(["a", "b", "c", "A", "C", "D"])), max_size=4)


def spelled(result: DocumentBatch) -> list[list[bytes]]:
    vocabulary = [word.tobytes() for word in result.words.words]
    return [[vocabulary[token - 1] for token in row] for row in result.words.tokens]


@BRISK
@given(left=WORD_LISTS, right=WORD_LISTS)
def test_renumbered_words_have_the_numbers_of_the_other_batch(
    left: list[list[str]], right: list[list[str]]
) -> None:
    first, other = texts(left), texts(right)
    spoken = first.renumbered_as(other)
    assert spelled(spoken) == spelled(first)
    numbers = {word.tobytes(): number for number, word in enumerate(spoken.words.words, 1)}
    assert len(numbers) == len(spoken.words.words)
    assert other.numbers.items() <= numbers.items()
    assert [row.tolist() for row in spoken.words.starts] == [
        row.tolist() for row in first.words.starts
    ]


@BRISK
@given(documents=WORD_LISTS)
def test_terms_are_the_words_that_the_chain_keeps(documents: list[list[str]]) -> None:
    result = texts(documents)
    terms = [
        [result.words.words[token - 1].tobytes().decode() for token in row] for row in result.terms
    ]
    assert terms == [[word for word in words if word.islower()] for words in documents]
    assert len(result.terms) == len(documents)


W, TAU = 16, 8
ALIGN = WindowPassages(shortest=8)
FIND = WindowFinder(W, TAU, ALIGN)
Pairs = dict[tuple[int, int], list[Passage]]


def found_pairs(
    left: DocumentBatch, right: DocumentBatch | None = None, finder: WindowFinder = FIND
) -> Pairs:
    result = list(finder(left, right))
    pairs = {(item.left, item.right): list(item.passages) for item in result}
    assert len(pairs) == len(result)
    return pairs


def plainly(left: DocumentBatch, right: DocumentBatch | None = None) -> Pairs:
    """Each pair by itself: by windows, or by one window where a text is shorter."""
    pairs = {}
    other = left if right is None else right
    for item in range(len(left.infos)):
        for two in range(item + 1 if right is None else 0, len(other.infos)):
            sides = left.take([item]), other.take([two])
            least = min(side.terms.lengths[0] for side in sides)
            if least < MIN_TERMS:
                continue
            w, align = W, ALIGN
            if least < W:
                w, align = int(least), replace(ALIGN, shortest=min(8, -(-2 * int(least) // 3)))
            if result := plain_passages(*sides, w, w * TAU // W, align):
                pairs[item, two] = result
    return pairs


DOCUMENTS = st.lists(
    st.tuples(st.integers(0, 2**32), st.integers(0, 45)).map(lambda drawn: words(*drawn, kinds=30)),
    min_size=1,
    max_size=4,
)


@BRISK
@given(documents=DOCUMENTS)
def test_passages_within_a_batch_equal_those_of_brute_force(documents: list[list[str]]) -> None:
    result = texts(documents)
    assert found_pairs(result) == plainly(result)


@BRISK
@given(left=DOCUMENTS, right=DOCUMENTS)
def test_passages_of_two_batches_equal_those_of_brute_force(
    left: list[list[str]], right: list[list[str]]
) -> None:
    sides = texts(left), texts(right)
    assert found_pairs(*sides) == plainly(*sides)


@BRISK
@given(lines=st.lists(st.lists(st.sampled_from("abcdEF"), min_size=1, max_size=12), max_size=4))
def test_texts_that_repeat_a_line_have_the_passages_of_brute_force(lines: list[list[str]]) -> None:
    left = texts([[word for line in lines for word in line * 9], words(3, 30, kinds=4)])
    right = texts([[word for line in lines[::-1] for word in [*line * 7, "g"]]])
    expected = plainly(left, right)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeated_blocks, "_FEW", -1)
        patch.setattr(repeated_blocks, "_MANY", 0)
        assert found_pairs(left, right) == expected


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_numpy_numbers_give_the_same_windows(kind: type[np.integer[Any]]) -> None:
    asked: list[dict[str, Any]] = [{"w": kind(40)}, {"w": kind(120), "distance": kind(60)}]
    finders = [recipe_and_finder(**options)[1] for options in asked]
    plain = recipe_and_finder(w=40)[1], recipe_and_finder(w=120, distance=60)[1]
    assert finders == [*plain]
    assert all(type(finder.w) is int for finder in finders)
