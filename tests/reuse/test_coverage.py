"""Shares of words equal those of a naive set of words; passages that do not count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.terms.document_words import LEFT_OUT, DocumentWords, WordOffsets
from sdtext.model import Part, Passage, Similarity, Span
from sdtext.reuse.coverage import parts_of, share_of_document, shares_of_pair, words_in
from sdtext.reuse.excluded_text import Exclusions, mark_excluded

if TYPE_CHECKING:
    from collections.abc import Sequence

SPANS = st.lists(
    st.tuples(st.integers(0, 70), st.integers(0, 30)).map(lambda row: Span(row[0], sum(row))),
    max_size=5,
)


NOWHERE = Span(0, 0)


def document(words: int) -> DocumentWords:
    """A document of so many words, one at every third place; every second is no term."""
    rows = [
        (f"{LEFT_OUT if place % 2 else ''}w{place}", 3 * place, 3 * place + 2)
        for place in range(words)
    ]
    return WordOffsets.of([rows]).document(0)


def places_in(worded: DocumentWords, spans: Sequence[Span]) -> set[int]:
    """The places of words that begin in any of the spans."""
    starts = enumerate(worded.starts.tolist())
    return {place for place, at in starts if any(span.start <= at < span.end for span in spans)}


def passage(left: Span, right: Span = NOWHERE, excluded: str = "") -> Passage:
    return Passage(left, right, Similarity(1, 1), excluded=excluded)


@given(words=st.integers(0, 25), spans=SPANS, without=SPANS)
def test_a_share_counts_each_word_once_and_no_excluded_words(
    words: int, spans: list[Span], without: list[Span]
) -> None:
    worded = document(words)
    inside = places_in(worded, spans)
    assert words_in(worded.starts, spans).nonzero()[0].tolist() == sorted(inside)
    expected = len(inside - places_in(worded, without)) / words if words else 0.0
    assert share_of_document(worded, spans, without) == expected


@given(words=st.integers(0, 25), chapters=SPANS, spans=SPANS, without=SPANS)
def test_the_share_of_a_chapter_is_that_of_its_own_words(
    words: int, chapters: list[Span], spans: list[Span], without: list[Span]
) -> None:
    worded = document(words)
    actual = places_in(worded, spans) - places_in(worded, without)
    expected = []
    for chapter in chapters:
        own = places_in(worded, [chapter])
        expected.append(Part(chapter, len(own), len(actual & own) / len(own) if own else 0.0))
    assert parts_of(worded, chapters, spans, without) == expected


def test_each_side_has_its_share_and_excluded_passages_have_none() -> None:
    words = document(10), document(20)
    passages = [passage(Span(0, 9), Span(0, 9)), passage(Span(9, 12), Span(9, 60), "quote")]
    assert shares_of_pair(passages, words) == (0.3, 0.15)
    assert shares_of_pair(passages, words, ([Span(0, 3)], [])) == (0.2, 0.15)
    assert shares_of_pair([], words) == (0.0, 0.0)


def reason_of(passages: list[Passage], left: Exclusions, right: Exclusions) -> list[str]:
    worded = document(20)
    return [item.excluded for item in mark_excluded(passages, (left, right), (worded, worded))]


@pytest.mark.parametrize(
    ("end", "expected"), [(12, ""), (13, "quote"), (15, "quote"), (99, "quote")]
)
def test_a_passage_is_excluded_if_more_than_half_of_a_side_is(end: int, expected: str) -> None:
    first, other = passage(Span(0, 24), Span(30, 54)), passage(Span(30, 54), Span(0, 24))
    quotes = [("quote", Span(0, 3)), ("quote", Span(3, end))]
    assert reason_of([first, other], quotes, []) == [expected, "" if end < 99 else "quote"]
    assert reason_of([first, other], [], quotes) == ["" if end < 99 else "quote", expected]


def test_the_reason_with_the_largest_share_wins_then_the_first() -> None:
    whole = [passage(Span(0, 30), Span(0, 30))]
    most, more = Span(0, 24), Span(0, 18)
    assert reason_of(whole, [("quote", more), ("references", most)], []) == ["references"]
    assert reason_of(whole, [("form.txt", more)], [("quote", more)]) == ["form.txt"]
    assert reason_of(whole, [("quote", Span(0, 15)), ("references", Span(15, 30))], []) == [""]
    assert reason_of([passage(Span(0, 30), excluded="form.txt")], [("quote", most)], []) == [
        "form.txt"
    ]
