"""Pages, chapters and paragraphs: cut by signs and headings."""

from __future__ import annotations

import re
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import Heading, Span
from sdtext.parts.units.pages_chapters_paragraphs import Chapter, Page, Paragraph
from sdtext.text.document import Document
from tests.support.cases import cases
from tests.support.strategies import BRISK

LINES = st.lists(
    st.sampled_from(["one", " two ", ".", "\n", "\r", "\r\n", "\x85", "\u2028", "\u2029", "\f"])
    | st.sampled_from(["\n\n", " ", "\t", "\x0b", "\u3000", "\xa0"]),
    max_size=40,
).map("".join)


def texts(document: Document, spans: list[Span]) -> list[str]:
    return [document.text[span.start : span.end] for span in spans]


def plain(text: str, *, lines: bool = False) -> Document:
    return Document(text, text, line_paragraphs=lines)


@BRISK
@given(LINES)
def test_pages_are_what_form_feeds_part(text: str) -> None:
    pages = [(str(number), page.strip()) for number, page in enumerate(text.split("\f"), 1)]
    spans = Page()(plain(text))
    result = [(span.title, text[span.start : span.end]) for span in spans]
    numbered = [(number if "\f" in text else "", page) for number, page in pages if page]
    assert result == numbered


def lines_of(text: str) -> list[str]:
    return re.split("\r\n|[\n\r\x85\u2028]", text)


@BRISK
@given(LINES)
def test_paragraphs_are_the_lines_between_blank_ones_on_a_page(text: str) -> None:
    expected = [
        [line.strip() for line in lines]
        for part in re.split("[\f\u2029]", text)
        for visible, lines in groupby(lines_of(part), lambda line: bool(line.strip()))
        if visible
    ]
    document = plain(text)
    actual = [
        [line.strip() for line in lines_of(item)] for item in texts(document, Paragraph()(document))
    ]
    assert actual == expected


@BRISK
@given(LINES)
def test_paragraphs_are_lines_where_the_format_says_so(text: str) -> None:
    document = plain(text, lines=True)
    expected = [line.strip() for part in re.split("[\f\u2029]", text) for line in lines_of(part)]
    assert texts(document, Paragraph()(document)) == [line for line in expected if line]


# A word for each chapter; a letter and its level for each heading.
TEXT = "front A a B b C c"


def chapters(level: int, *headings: tuple[str, int]) -> list[tuple[str, str]]:
    """Title and text of each chapter of TEXT under these headings."""
    marked = tuple(Heading(level, letter, TEXT.index(letter)) for letter, level in headings)
    document = Document(TEXT, TEXT, headings=marked)
    spans = Chapter(level)(document)
    return [(span.title, TEXT[span.start : span.end]) for span in spans]


SPLIT = [("", "front"), ("A", "A a"), ("B", "B b"), ("C", "C c")]


@cases(
    "level, headings, expected",
    [
        (0, [], [("", TEXT)]),
        (3, [], [("", TEXT)]),
        (0, [("A", 2), ("B", 2), ("C", 2)], SPLIT),
        (2, [("A", 2), ("B", 1), ("C", 3)], [*SPLIT[:2], ("B", "B b C c")]),
        # The only heading of its level is that of the document.
        (0, [("A", 1), ("B", 3), ("C", 3)], SPLIT),
        # Without a repeated level the highest is taken.
        (0, [("A", 2), ("B", 3), ("C", 4)], [("", "front"), ("A", "A a B b C c")]),
        (1, [("A", 2), ("B", 2)], [("", TEXT)]),
    ],
)
def test_a_chapter_ends_where_one_of_its_level_or_above_begins(
    level: int, headings: list[tuple[str, int]], expected: list[tuple[str, str]]
) -> None:
    assert chapters(level, *headings) == expected


def test_headings_may_stand_anywhere_and_in_any_order() -> None:
    headings = (Heading(1, "far", 99), Heading(1, "B", 8), Heading(1, "before", -1))
    document = Document(TEXT, TEXT, headings=headings)
    assert [span.title for span in Chapter()(document)] == ["before", "B"]


def test_of_headings_at_one_place_the_last_gives_the_title() -> None:
    headings = (Heading(1, "Part", 6), Heading(1, "Chapter", 6))
    document = Document(TEXT, TEXT, headings=headings)
    assert [span.title for span in Chapter()(document)] == ["", "Chapter"]
