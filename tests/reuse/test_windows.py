"""Passages and pairs of windows equal those of brute force."""

from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.kernels.windows import window_join
from sdtext.kernels.windows.window_join import TooMuchWork, WindowJoin
from sdtext.model import Passage
from sdtext.parts.aligners.window_passages import WindowPassages
from sdtext.reuse.choose_finder import recipe_and_finder
from sdtext.reuse.document_batch import DocumentBatch
from sdtext.reuse.window_finder import MIN_TERMS, WindowFinder
from sdtext.reuse.window_pair_search import StoredWindowPair
from tests.kernels.near_windows import near_windows
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
    assert found_pairs(left, right) == plainly(left, right)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_numpy_numbers_give_the_same_windows(kind: type[np.integer[Any]]) -> None:
    asked: list[dict[str, Any]] = [{"w": kind(40)}, {"w": kind(120), "distance": kind(60)}]
    finders = [recipe_and_finder(**options)[1] for options in asked]
    plain = recipe_and_finder(w=40)[1], recipe_and_finder(w=120, distance=60)[1]
    assert finders == [*plain]
    assert all(type(finder.w) is int for finder in finders)


NUMBERS = st.integers(-2, 3) | st.sampled_from([2**40, -(2**70), 2**64])


@given(left=st.lists(NUMBERS, max_size=24), right=st.lists(NUMBERS, max_size=24), pick=st.data())
def test_numbers_of_any_size(left: list[int], right: list[int], pick: st.DataObject) -> None:
    w = pick.draw(st.integers(1, 9) | st.just(10**30))
    tau = pick.draw(st.integers(0, w - 1))
    result = sdtext.window_pairs(left, right, w=w, distance=tau)
    assert (str(result.dtype), result.shape[1:]) == ("int64", (3,))
    assert [tuple(row) for row in result.tolist()] == near_windows(left, right, w, tau)
    turned = sdtext.window_pairs(right, left, w=w, distance=tau)
    assert sorted((j, i, d) for i, j, d in turned.tolist()) == [
        tuple(row) for row in result.tolist()
    ]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint64])
def test_small_numbers_of_numpy_say_the_same(kind: type[np.integer[Any]]) -> None:
    left, right = [*range(90), *range(200, 290)], [*range(40, 300)]
    result = sdtext.window_pairs(left, right, w=kind(60), distance=kind(50))  # type: ignore[call-overload]
    assert [tuple(row) for row in result.tolist()] == near_windows(left, right, 60, 50)


WORDS = st.lists(
    st.sampled_from([*"abcde", "the", "of", "\n", "\n\n", "Wax,", "e\u0301t"]), max_size=30
).map(" ".join)


def plain_rows(left: str, right: str, w: int, tau: int) -> list[tuple[float, ...]]:
    """Each pair of windows of two texts, the nearest first, by the tokens of the chain."""
    chain = sdtext.Chain(sdtext.load_recipe("reuse"))
    sides = [chain.tokens(sdtext.Document.of(text)) for text in (left, right)]
    numbers = {word: number for number, word in enumerate({*sides[0].words, *sides[1].words})}
    first, other = ([numbers[word] for word in side.words] for side in sides)
    rows = []
    for i, j, d in near_windows(first, other, w, tau):
        row = [d]
        for text, side, at in zip((left, right), sides, (i, j), strict=True):
            start, end = int(side.starts[at]), int(side.ends[at + w - 1])
            row += [text[:start].count("\n") + 1, start, end]
        score = min(99, 100 * (w - d) // w)
        rows.append((d, i, j, *row, score, (w - d) / w))
    return [row[3:] for row in sorted(rows)]


@BRISK
@given(left=WORDS, right=WORDS, pick=st.data())
def test_windows_of_documents_are_those_of_brute_force(
    left: str, right: str, pick: st.DataObject
) -> None:
    w = pick.draw(st.integers(1, 6))
    tau = pick.draw(st.integers(0, w - 1))
    expected = plain_rows(left, right, w, tau)
    documents = sdtext.Document.of(left), sdtext.Document.of(right)
    result = sdtext.window_pairs(*documents, w=w, distance=tau, top=None)
    assert [astuple(row) for row in result.rows] == expected
    assert (result.total, result.w, result.distance) == (len(expected), w, tau)
    top = pick.draw(st.integers(1, 9))
    nearest = sdtext.window_pairs(*documents, w=w, distance=tau, top=top)
    assert [astuple(row) for row in nearest] == expected[:top]
    assert nearest.total == len(expected)


def test_the_nearest_are_taken_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_join, "_WAITING", 10)
    first, other = [place * place % 7 for place in range(50)], [place % 7 for place in range(40)]
    w, tau = 6, 3
    pairs = near_windows(first, other, w, tau)
    expected = sorted(pairs, key=lambda row: (row[2], row[0], row[1]))
    assert len(expected) > 100
    sides = np.array(first), np.array(other)
    rows, total = window_join.nearest_windows(*sides, WindowJoin(w, tau), 7)
    assert [tuple(row) for row in rows.tolist()] == expected[:7]
    assert total == len(expected)


def test_files_are_named_by_their_paths(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("bees dance in hives\n")
    (tmp_path / "b.txt").write_text("Old\nhives: dance, bees!\n")
    paths = tmp_path / "a.txt", str(tmp_path / "b.txt")
    (row,) = sdtext.window_pairs(*paths, w=3, distance=0)
    assert astuple(row) == (0, 1, 0, 19, 2, 4, 22, 99, 1.0)
    assert sdtext.window_pairs(*paths).terms == (3, 4)
    with pytest.raises(sdtext.UnreadableError):
        sdtext.window_pairs(paths[0], "bees dance")


@pytest.mark.parametrize(("options", "message"), [
    ({"top": 0}, "top is 0; it must be 1 or more, or None"),
    ({"distance": 30}, "distance is 30; it must be 0 or more and below w, which is 30"),
])  # fmt: skip
def test_options_that_documents_cannot_have_are_refused(
    options: dict[str, Any], message: str
) -> None:
    text = sdtext.Document.of("bees")
    with pytest.raises(sdtext.OptionError, match=f"^window_pairs: {message}"):
        sdtext.window_pairs(text, text, **options)


@pytest.mark.deep
def test_more_pairs_than_memory_should_hold_are_refused() -> None:
    with pytest.raises(TooMuchWork):
        sdtext.window_pairs([1] * 6000, [1] * 6000, w=30, distance=15)


def test_a_collection_has_the_pairs_of_each_of_its_documents(tmp_path: Path) -> None:
    texts = Path("tests/samples/texts")
    collection = tmp_path / "texts.sdx"
    sdtext.create(collection, recipe="reuse", keep_text=True).add(texts)
    query = texts / "union-edited.txt"
    everything = sdtext.window_pairs(query, collection, top=None)
    found: dict[str, list[tuple[float, ...]]] = {}
    for row in everything:
        assert isinstance(row, StoredWindowPair)
        found.setdefault(row.document, []).append(astuple(row)[:-2])
    # Its own stored copy is passed over; each other document gives what its file gives.
    assert everything.own_copies == 1
    for path in sorted(texts.glob("*.txt")):
        alone = sdtext.window_pairs(query, path, top=None)
        expected = [] if path == query else [*map(astuple, alone)]
        assert found.pop(path.name, []) == expected
    assert not found
    assert everything.rows[:7] == sdtext.window_pairs(query, collection, top=7).rows
    assert everything.total == len(everything)
    with sdtext.open(collection) as stored:
        stored.remove(where="1")
        for emptied in (stored, collection):
            assert sdtext.window_pairs(query, emptied).terms == (everything.terms[0], 0)
