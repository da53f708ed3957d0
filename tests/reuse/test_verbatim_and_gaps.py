"""Words of passages that both sides have in runs, and text of their own: against sets of places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext import find_reuse
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Similarity, Span
from sdtext.reports.reuse_report import record_of
from sdtext.reuse.verbatim_and_gaps import Range, describe, gaps_between, verbatim_words
from sdtext.text.document import Document
from tests.reuse.word_documents import placed
from tests.support.strategies import BRISK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WORDS = st.lists(st.integers(1, 4), max_size=30)


def score(*texts: NDArray[np.uint32]) -> int | None:
    """The verbatim score of a passage that is all of both texts, a word at each offset."""
    left, right = (
        DocumentWords(words, np.ones(len(words), bool), places := np.arange(len(words)), places + 1)
        for words in texts
    )
    spans = Span(0, len(left.words)), Span(0, len(right.words))
    return describe(Passage(*spans, Similarity(1, 1)), left, right).verbatim


def plain_score(left: list[int], right: list[int]) -> int:
    """The definition, run by run."""

    def covered(own: list[int], other: list[int]) -> int:
        runs = {tuple(other[i : i + 5]) for i in range(len(other) - 4)}
        starts = [i for i in range(len(own) - 4) if tuple(own[i : i + 5]) in runs]
        return len({place for i in starts for place in range(i, i + 5)})

    words = min(covered(left, right), covered(right, left))
    return min(99, 100 * words // max(len(left), len(right), 1))


@given(left=WORDS, right=WORDS, scale=st.sampled_from([1, 10**9]), copied=st.booleans())
def test_the_score_is_that_of_the_definition(
    left: list[int], right: list[int], scale: int, copied: bool
) -> None:
    if copied:
        right = [*right[:10], *left[:12], *right[10:]]
    sides = [np.array(side, np.uint32) * np.uint32(scale) for side in (left, right)]
    assert score(*sides) == plain_score(left, right)


def test_runs_of_many_kinds_of_words_are_numbered_exactly() -> None:
    left = np.arange(9000, dtype=np.uint32)
    right = left.copy()
    right[::9] = 9000 + np.arange(1000)
    assert score(left, right) == 88
    right[::5] = 99_999
    assert score(left, right) == 0


def test_passages_tell_copies_from_rewritten_text() -> None:
    words = [f"w{place}" for place in range(100)]
    pasted = [*words[:50], *(f"new{place}" for place in range(5)), *words[55:]]
    rewritten = [f"x{place}" if place % 4 == 0 else word for place, word in enumerate(words)]
    scores = []
    for other in (words, pasted, rewritten):
        text, changed = " ".join(words), " ".join(other)
        evidence = find_reuse(Document(text, text), Document(changed, changed))
        scores += [passage.verbatim for shared in evidence.shared for passage in shared.passages]
    assert scores[:2] == [99, 95]
    assert scores[2:] == [0]


def gaps_of(left: Sequence[str], right: Sequence[str]) -> tuple[list[Range], list[Range]]:
    texts = placed([left, right])
    sides = texts.document(0), texts.document(1)
    return gaps_between(*sides, verbatim_words(sides[0].words, sides[1].words))


PIECES = st.lists(
    st.tuples(st.sampled_from(["both", "left", "right"]), st.integers(1, 30)), max_size=9
)


def sides(pieces: Sequence[tuple[str, int]]) -> tuple[list[str], list[str]]:
    """Two texts of distinct words; what both have is at least five words in a row."""
    left, right = list[str](), list[str]()
    for number, (where, count) in enumerate([("both", 5), *pieces, ("both", 5)]):
        words = [f"{where}{number}x{place}" for place in range(max(5, count))]
        left += words if where != "right" else []
        right += words if where != "left" else []
    return left, right


def plain_gaps(words: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """Twenty words in a row with sixteen or more that the other side lacks, but for their ends."""
    lacking = [word not in other for word in words]
    inside = {
        place
        for start in range(len(words) - 19)
        if sum(lacking[start : start + 20]) >= 16
        for place in range(start, start + 20)
    }
    gaps = list[tuple[int, int]]()
    for start in sorted(inside - {place + 1 for place in inside}):
        end = next(place for place in range(start, len(words) + 1) if place not in inside)
        ranges = [(first, last) for last in range(start, end + 1) for first in range(start, last)]
        best = max(ranges, key=lambda run: sum(1 if flag else -2 for flag in lacking[slice(*run)]))
        gaps += [best] if best[1] - best[0] > 15 else []
    return gaps


@BRISK
@given(pieces=PIECES)
def test_gaps_are_long_runs_that_the_other_side_lacks(pieces: list[tuple[str, int]]) -> None:
    left, right = sides(pieces)
    expected = plain_gaps(left, right), plain_gaps(right, left)
    assert gaps_of(left, right) == expected
    assert gaps_of(right, left) == expected[::-1]


def test_a_sentence_that_was_moved_and_reworded_is_no_gap() -> None:
    sentence = [f"moved{place}" for place in range(24)]
    reworded = [word if place % 3 else f"new{place}" for place, word in enumerate(sentence)]
    rest = [f"rest{place}" for place in range(40)]
    assert gaps_of([*sentence, *rest, "end"], [*rest, *reworded, "end"]) == ([], [])


@BRISK
@given(
    pair=st.tuples(*[st.lists(st.integers(0, 60).map(str), min_size=20, max_size=60)] * 2).filter(
        lambda pair: len(pair[0]) != len(pair[1])
    )
)
def test_gaps_do_not_depend_on_the_order_of_the_sides(pair: tuple[list[str], list[str]]) -> None:
    """Where words repeat, several alignments have the least edits."""
    gaps = gaps_of(*pair)
    assert gaps_of(*pair[::-1]) == gaps[::-1]
    for runs, words in zip(gaps, pair, strict=True):
        assert sum(last - first for first, last in runs) < len(words)


COPIED = [f"copied{place}" for place in range(100)]


@pytest.mark.parametrize(("own", "counted"), [(15, 115), (16, 100), (20, 100)])
def test_a_long_insertion_is_not_counted_as_copied(own: int, counted: int) -> None:
    inserted = [f"own{place}" for place in range(own)]
    right = [*COPIED[:50], *inserted, *COPIED[50:]]
    documents = Document.of(" ".join(COPIED), "left"), Document.of(" ".join(right), "right")
    evidence = find_reuse(*documents)
    shared = evidence.shared[0]
    assert len(shared.passages) == 1
    start = len(" ".join(COPIED[:50])) + 1
    gap = Span(start, start + len(" ".join(inserted)))
    assert shared.passages[0].gaps == ((), () if own == 15 else (gap,))
    assert (shared.left_share, shared.right_share) == (1.0, counted / len(right))
    assert evidence.coverage[0].share == 1.0
    assert record_of(evidence)["pairs"][0]["right_share"] == shared.right_share
    turned = find_reuse(documents[1], documents[0])
    assert turned.coverage[0].share == counted / len(right)
