"""Passages from windows: merged, trimmed, grown, in order if asked, with edits."""

import random
import re
from collections import Counter
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from sdtext.kernels.passages.boxes import merged
from sdtext.kernels.terms.document_words import LEFT_OUT, DocumentWords, WordOffsets
from sdtext.model import Passage, Similarity, Span
from sdtext.parts.aligners import window_passages
from sdtext.parts.aligners import word_alignment as edits
from sdtext.parts.aligners.window_passages import WindowPassages
from tests.support.word_offsets import placed

Box = tuple[int, int, int, int]
STOP = {"the", "of"}


def documents(*texts: str) -> list[DocumentWords]:
    """The words of texts, parted by single blanks; "the" and "of" are no terms."""
    return placed(
        *([LEFT_OUT + word if word in STOP else word for word in text.split()] for text in texts)
    )


def passage_texts(
    aligner: WindowPassages, texts: tuple[str, str], *rows: Box, w: int = 4
) -> list[tuple[str, str]]:
    left, right = documents(*texts)
    passages = aligner(np.array(rows, np.int64).reshape(-1, 4), left, right, w)
    return [
        (
            texts[0][passage.left.start : passage.left.end],
            texts[1][passage.right.start : passage.right.end],
        )
        for passage in passages
    ]


def plainly_trimmed(left: list[int], right: list[int], weight: float) -> Box:
    """The rule of trimming, by trying all stretches."""
    a, b, c, d = 0, len(left), 0, len(right)
    for _ in range(4):
        before = a, b, c, d
        a, b = _best(left, (a, b), set(right[c:d]), weight)
        c, d = _best(right, (c, d), set(left[a:b]), weight)
        if before == (a, b, c, d):
            break
    return a, b, c, d


def _best(
    side: list[int], stretch: tuple[int, int], there: set[int], weight: float
) -> tuple[int, int]:
    start, end = stretch
    runs = [
        (-sum(1 if term in there else -weight for term in side[a:b]), b, a)
        for a, b in combinations(range(start, end + 1), 2)
    ]
    total, last, first = min(runs, default=(0, start, start))
    return (first, last) if total < 0 else (start, start)


TERMS = st.lists(st.integers(1, 6), min_size=1, max_size=14)


@given(left=TERMS, right=TERMS, weight=st.sampled_from([0.25, 0.5, 1.0, 2.0]))
def test_trimming_is_that_of_the_rule(left: list[int], right: list[int], weight: float) -> None:
    """Words apart from the terms differ on both sides, so that nothing grows; ends stay."""
    start, end, right_start, right_end = plainly_trimmed(left, right, weight)
    sides = []
    for own, terms in (("l", left), ("r", right)):
        words = [word for place, term in enumerate(terms) for word in (f"{own}{place}", str(term))]
        sides.append([(LEFT_OUT + word if word[0] in "lr" else word) for word in words] + [own])
    placed = WordOffsets.of(
        [[(word, place, place + 1) for place, word in enumerate(side)] for side in sides]
    )
    box = np.array([[0, len(left), 0, len(right)]])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(window_passages, "cut_to_equal_words", lambda _, __, whole, ___: [whole])
        passages = WindowPassages(weight=weight, shortest=1)(
            box, placed.document(0), placed.document(1), 1
        )
    if start == end or right_start == right_end:
        assert passages == []
        return
    spans = Span(2 * start + 1, 2 * end), Span(2 * right_start + 1, 2 * right_end)
    counts = Counter(left[start:end]) & Counter(right[right_start:right_end])
    common, both = counts.total(), (end - start, right_end - right_start)
    assert passages == [Passage(*spans, Similarity(common, max(both)), common, both)]


def test_boxes_over_a_gap_as_long_as_a_window_are_one_passage() -> None:
    text = " ".join(f"w{place}" for place in range(40))
    boxes = [(0, 5, 0, 5), (9, 14, 9, 14)]
    sides = [text, text]
    assert len(passage_texts(WindowPassages(shortest=1), (sides[0], sides[1]), *boxes, w=4)) == 1
    apart = text.replace("w7", "v7")
    assert len(passage_texts(WindowPassages(shortest=1), (text, apart), *boxes, w=3)) == 2
    assert len(passage_texts(WindowPassages(shortest=1, gap=4), (text, apart), *boxes, w=3)) == 1


def test_a_copy_that_trimming_cuts_off_is_not_lost() -> None:
    """27 foreign terms weigh more than the 16 behind them, which are a passage as well."""
    first, second = ([f"{name}{place}" for place in range(20)] for name in "ab")
    between = [[f"{side}{place}" for place in range(27)] for side in "lr"]
    texts = [" ".join([*first, *middle, *second[:16]]) for middle in between]
    boxes = [(0, 20, 0, 20), (47, 63, 47, 63)]
    together = passage_texts(WindowPassages(), (texts[0], texts[1]), *boxes, w=30)
    assert together == [(texts[0], texts[1])]
    apart = passage_texts(WindowPassages(gap=26), (texts[0], texts[1]), *boxes, w=16)
    assert apart == [(text, text) for text in (" ".join(first), " ".join(second[:16]))]


@pytest.mark.deep
def test_what_is_cut_off_of_many_copies_goes_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of 20 words in every 75: all hang together, and each is cut off from the others."""
    seen = []

    def counted(boxes: NDArray[np.int64], gap: int) -> NDArray[np.int64]:
        seen.append(len(boxes))
        return merged(boxes, gap)

    monkeypatch.setattr(window_passages, "merged", counted)
    length = 75 * 600
    copies = np.arange(length) % 75 < 20
    rows = [[(f"{name}{place}", place, place + 1) for place in range(length)] for name in "lr"]
    for place in np.flatnonzero(copies).tolist():
        rows[1][place] = rows[0][place]
    placed = WordOffsets.of(rows)
    starts = np.arange(75, length - 75, 75)[:, None]
    boxes = np.hstack([starts - 10, starts + 30] * 2)
    passages = WindowPassages()(boxes, placed.document(0), placed.document(1), w=40)
    assert [passage.left.start for passage in passages] == starts[:, 0].tolist()
    assert sum(seen) < 150 * len(boxes)


GROWN = "of the bees dance of the old wax"


@pytest.mark.parametrize(("shortest", "left", "right", "box", "expected"), [
    (1, f"one {GROWN} two", f"three {GROWN} four", (1, 3, 1, 3), [(GROWN, GROWN)]),
    (1, "the bees", "the bees", (0, 1, 0, 1), [("the bees", "the bees")]),
    (4, "a b c d", "a b c d", (0, 4, 0, 4), [("a b c d", "a b c d")]),
    (5, "a b c d", "a b c d", (0, 4, 0, 4), []), (2, "a a a", "a", (0, 3, 0, 1), []),
])  # fmt: skip
def test_a_passage_grows_over_all_words_and_is_long_enough_on_both_sides(
    shortest: int, left: str, right: str, box: Box, expected: list[tuple[str, str]]
) -> None:
    assert passage_texts(WindowPassages(shortest=shortest), (left, right), box) == expected


def test_ordered_leaves_out_what_comes_in_another_order() -> None:
    words = [f"w{place}" for place in range(60)]
    shuffled = random.Random(5).sample(words, 60)
    swapped = [*words[10:], *words[:10]]
    half = [*words[30:], *words[:30]]
    box = (0, 60, 0, 60)
    for other, is_ordered in ((words, 1), (swapped, 1), (half, 0), (shuffled, 0)):
        texts = " ".join(words), " ".join(other)
        assert len(passage_texts(WindowPassages(), texts, box)) == 1
        assert len(passage_texts(WindowPassages(ordered=True), texts, box)) == is_ordered


@given(left=TERMS, right=TERMS)
def test_the_longest_common_sequence_counts_as_order(left: list[int], right: list[int]) -> None:
    sequences = combinations_of(left[:9])
    longest = max(len(some) for some in combinations_of(right[:9]) & sequences)
    sides = np.array(left[:9], np.uint32), np.array(right[:9], np.uint32)
    for common in range(15):
        assert edits.are_in_order(*sides, common) is (3 * longest >= 2 * common)


def combinations_of(terms: list[int]) -> set[tuple[int, ...]]:
    return {some for size in range(len(terms) + 1) for some in combinations(terms, size)}


def test_of_very_long_sides_terms_that_occur_once_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "_MOST_COUNTED", 1)
    once = np.array([7, 1, 7, 2, 3], np.uint32)
    assert edits.are_in_order(once, np.array([1, 7, 2, 7, 3], np.uint32), 5)
    assert edits.are_in_order(once, np.array([2, 1, 3, 7, 7], np.uint32), 5)
    assert not edits.are_in_order(once, np.array([3, 2, 1], np.uint32), 3)


def edits_of(left: str, right: str) -> list[tuple[str, str, str]]:
    first, other = documents(left, right)
    whole = Passage(Span(0, len(left)), Span(0, len(right)), Similarity(1, 1))
    return [
        (edit.kind, left[slice(edit.left.start, edit.left.end)],
         right[slice(edit.right.start, edit.right.end)])
        for edit in edits.edits_in(whole, first, other)
    ]  # fmt: skip


def test_edits_keep_a_word_between_what_is_taken_out_and_put_in() -> None:
    assert edits_of("for the interpretation of that bee", "that revered bee") == [
        ("delete", "for the interpretation of", ""),
        ("insert", "", "revered"),
    ]


WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


@given(left=WORDS, right=WORDS, most=st.sampled_from([1, 9, 10**8]))
def test_edits_make_right_sides_of_left_ones(left: list[str], right: list[str], most: int) -> None:
    """Also where sides are so long that they are cut in pieces."""
    first, other = " ".join(left), " ".join(right)
    worded = documents(first, other)
    whole = Passage(Span(0, len(first)), Span(0, len(other)), Similarity(1, 1))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(edits, "_MOST_WORK", most)
        found_edits = edits.edits_in(whole, *worded)
    kept = []
    for text, side in ((first, "left"), (other, "right")):
        spans = [getattr(edit, side) for edit in found_edits]
        words = [(match.start(), match[0]) for match in re.finditer(r"\S+", text)]
        kept.append([word for at, word in words if not any(s.start <= at < s.end for s in spans)])
    assert kept[0] == kept[1]
    if most == 10**8 and all(edit.kind != "moved" for edit in found_edits):
        sizes = [
            max(len(first[slice(edit.left.start, edit.left.end)].split()),
                len(other[slice(edit.right.start, edit.right.end)].split()))
            for edit in found_edits
        ]  # fmt: skip
        assert sum(sizes) == Levenshtein.distance(left, right)


@given(st.data())
def test_words_in_common_runs_are_in_no_edit_but_moved_ones(data: st.DataObject) -> None:
    """Also where sentences are repeated, changed or left out; what is left is equal in order."""
    word = st.sampled_from("abcdefghij") if data.draw(st.booleans()) else st.sampled_from("ab")
    sentences = data.draw(st.lists(st.lists(word, min_size=1, max_size=12), min_size=1, max_size=6))
    sides = [
        [*chain(*data.draw(st.lists(st.sampled_from(sentences), min_size=1, max_size=8)))],
        [*chain(*data.draw(st.permutations(sentences)))],
    ]
    texts = [" ".join(side) for side in sides]
    whole = Passage(Span(0, len(texts[0])), Span(0, len(texts[1])), Similarity(1, 1))
    found = edits.edits_in(whole, *documents(*texts))
    kept = []
    for side, (own, other) in zip(("left", "right"), (sides, sides[::-1]), strict=True):
        runs = {tuple(other[at : at + 5]) for at in range(len(other) - 4)}
        is_verbatim = [
            any(tuple(own[at : at + 5]) in runs for at in range(max(0, place - 4), place + 1))
            for place in range(len(own))
        ]
        kinds = [""] * len(own)
        for edit in found:
            span = getattr(edit, side)
            for place in range(span.start // 2, (span.end + 1) // 2):
                assert span.start == span.end or not kinds[place], "edits overlap"
                kinds[place] = edit.kind if span.start < span.end else kinds[place]
        for verbatim, kind in zip(is_verbatim, kinds, strict=True):
            assert not kind or verbatim == (kind == "moved")
        kept.append([word for word, kind in zip(own, kinds, strict=True) if not kind])
    assert kept[0] == kept[1]
    for edit in found:
        left = texts[0][slice(edit.left.start, edit.left.end)]
        right = texts[1][slice(edit.right.start, edit.right.end)]
        assert edit.kind != "moved" or left == right or not left or not right
