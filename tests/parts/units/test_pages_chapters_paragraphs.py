"""Pages, chapters and paragraphs: cut by signs and headings, those of plain text too."""

import os
import re
import time
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.model import Heading, Span
from sdtext.parts.units.pages_chapters_paragraphs import Chapter, Page, Paragraph, headings_in
from sdtext.text.document import Document
from tests.support.cases import cases
from tests.support.planted import text
from tests.support.strategies import BRISK

LINES = st.lists(
    st.sampled_from(["one", " two ", "\n", "\r", "\r\n", "\x85", "\u2028", "\u2029", "\f"])
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
def test_paragraphs_are_lines_between_blank_ones_or_lines_where_the_format_says_so(
    text: str,
) -> None:
    parts = re.split("[\f\u2029]", text)
    expected = [
        [line.strip() for line in lines]
        for part in parts
        for visible, lines in groupby(lines_of(part), lambda line: bool(line.strip()))
        if visible
    ]
    document = plain(text)
    actual = [
        [line.strip() for line in lines_of(item)] for item in texts(document, Paragraph()(document))
    ]
    assert actual == expected
    document = plain(text, lines=True)
    each = [line.strip() for part in parts for line in lines_of(part)]
    assert texts(document, Paragraph()(document)) == [line for line in each if line]


def test_a_page_of_preformatted_text_is_plain_text(path: Path) -> None:
    wrapped = "\n".join(["one two three four five"] * 3 + ["six"])
    for body, number in ((f"<pre>{wrapped}\n\n{wrapped}</pre>", 2), (f"<pre>{wrapped}</pre>", 4)):
        path.write_text(f"<html><body>{body}</body></html>")
        assert len(Paragraph()(sdtext.read(path))) == number


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


@cases("headings, titles", [
    ([Heading(1, "far", 99), Heading(1, "B", 8), Heading(1, "before", -1)], ["before", "B"]),
    ([Heading(1, "Part", 6), Heading(1, "Chapter", 6)], ["", "Chapter"]),
])  # fmt: skip
def test_headings_may_stand_anywhere_and_at_one_place(
    headings: list[Heading], titles: list[str]
) -> None:
    document = Document(TEXT, TEXT, headings=tuple(headings))
    assert [span.title for span in Chapter()(document)] == titles


ROOT = Path(__file__).parents[3]
ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]
CHINESE = "一二三四五六七八九十"
ARABIC = ["الأول", "الثاني", "الثالث", "الرابع", "الخامس", "السادس", "السابع", "الثامن"]
KINDS = {
    "roman": lambda place: f"CHAPTER {ROMAN[place]}.",
    "title": lambda place: f"Chapter {place + 1}: The Bees",
    "spelled": lambda place: f"Chapter {['One', 'Two', 'Three', 'Four', 'Five'][place]}",
    "german": lambda place: f"Kapitel {place + 1} — Die Bienen",
    "russian": lambda place: f"Глава {ROMAN[place]}",
    "chinese": lambda place: f"第{CHINESE[place]}章 蜂",
    "arabic": lambda place: f"الفصل {ARABIC[place]}",
    "numerals": lambda place: f"{ROMAN[place]}. THE BEES.",
    "underlined": lambda place: f"The bees {place}\n----------",
}


@given(
    kind=st.sampled_from(sorted(KINDS)),
    count=st.integers(3, 5),
    end=st.sampled_from(["\n", "\r\n", " \n"]),
    front=st.sampled_from(["", "A book of bees.\n\n", "Contents\n\n"]),
)
def test_each_heading_begins_a_chapter(kind: str, count: int, end: str, front: str) -> None:
    titles = [KINDS[kind](place) for place in range(count)]
    body = text("body", 0, 60)
    book = front + "".join(f"{title}\n\n{body}\n\n" for title in titles)
    document = Document.of(book.replace("\n", end))
    headings = headings_in(document)
    assert [heading.title for heading in headings] == [title.split("\n")[0] for title in titles]
    for heading, title in zip(headings, titles, strict=True):
        assert document.text[heading.offset :].startswith(title.split("\n")[0])
    spans = [span for span in Chapter()(document) if span.title]
    assert [span.start for span in spans] == [heading.offset for heading in headings]


@cases("line", [
    "Chapter 5 describes how bees dance.", "Chapter 5 of this book says,",
    "the text of\nChapter 5\nis about bees", "Chapter 5: The bees\nand more of a paragraph",
    "Chapter 5. The bees ........ 17", "Parting is such sweet sorrow", "Book reviews", "Act now",
    "第五章主要介绍蜂。", "如图，参见\n第 5 章 蜂，\n等等", "I. THE BEES", "II", "# a comment",
    "Name    Value\n-------------", "a long paragraph that ends here\n---", "x = 1\n=",
])  # fmt: skip
def test_what_only_resembles_a_heading_is_none(line: str) -> None:
    body = text("body", 0, 60)
    assert not headings_in(Document.of(f"{body}\n\n{line}\n\n{body}\n"))


def test_contents_and_headings_of_pages_are_left_out() -> None:
    entries = "".join(f"CHAPTER {number}.\n\nA summary of it.\n\n" for number in ROMAN[:4])
    body = "".join(f"{text('page', 40 * page, 100)}\n\nCHAPTER II.\n\n" for page in range(3))
    first = f"CHAPTER I.\n\n{text('first', 0, 200)}\n\n"
    last = "".join(f"CHAPTER {number}\n\n{text('more', 0, 200)}\n\n" for number in ("III", "IV"))
    book = f"{entries}{first}CHAPTER II.\n\n{body}{last}"
    headings = headings_in(Document.of(book))
    assert [heading.title for heading in headings] == [
        "CHAPTER I.", "CHAPTER II.", "CHAPTER III", "CHAPTER IV",
    ]  # fmt: skip
    assert headings[0].offset == len(entries)


def test_a_part_and_its_first_chapter_begin_one_chapter() -> None:
    body = text("body", 0, 60)
    book = (
        f"PART I\n\nCHAPTER I\n\n{body}\n\nCHAPTER II\n\n{body}\n\nPART II\n\nCHAPTER I\n\n{body}"
    )
    headings = headings_in(Document.of(book))
    assert [heading.title for heading in headings] == ["CHAPTER I", "CHAPTER II", "CHAPTER I"]
    assert book[headings[2].offset :].startswith("PART II")


def test_markdown_has_levels_and_no_headings_in_code() -> None:
    code = "```sh\n# no\n```"
    book = f"---\ntitle: x\n# no\n---\n# Bees #\n\n1\n\n## Dance\n\n{code}\n\n2\n\nWax\n---\n\n3\n"
    document = Document(book, book, source="bees.md")
    assert [(item.level, item.title) for item in headings_in(document)] == [
        (1, "Bees"), (2, "Dance"), (2, "Wax"),
    ]  # fmt: skip
    assert not headings_in(Document(book.replace("Wax\n---", ""), book, source="bees.txt"))


def test_headings_that_the_format_marks_come_first(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(
        "<html><h1>One</h1><p>It begins.</p><p>Chapter 5</p><h1>Two</h1><p>It ends.</p>"
    )
    spans = sdtext.units(page, "chapter")
    assert [span.title for span in spans] == ["One", "Two"]
    page.write_text("<html><p>Chapter 1</p><p>It begins.</p><p>Chapter 2</p><p>It ends.</p>")
    assert [span.title for span in sdtext.units(page, "chapter")] == ["Chapter 1", "Chapter 2"]


@cases(
    "line",
    ["CHAPTER I" + " " * 200_000 + "x", "# a" + " #" * 100_000, "#" * 100_000, "I" * 200_000],
)
def test_long_lines_take_linear_time(line: str) -> None:
    begin = time.process_time()
    headings_in(Document(line, line, source="a.md"))
    headings_in(Document(f"{line}\n===\n" * 3, line))
    assert time.process_time() - begin < 1


DATA = Path(os.environ.get("SDTEXT_DATA", ROOT.parent / "shared" / "data"))


@pytest.mark.skipif(not DATA.is_dir(), reason="no folder of real texts: name one by SDTEXT_DATA")
@cases("path, first, count", [
    ("ats/ats/remember00palm.txt", "I. ANTICIPATION.", 7),
    ("ats/ats/memoirjamesbrai00ricegoog.txt", "CHAPTER I.", 8),
    ("languages/debian-faq.en.txt", "Chapter 1. Definitions and overview", 16),
    ("languages/debian-faq.zh-cn.txt", "第 1 章 定义和概览", 16),
    ("inaugural/1861-Lincoln.txt", "", 0), ("federalist/10.txt", "", 0),
])  # fmt: skip
def test_chapters_of_real_books(path: str, first: str, count: int) -> None:
    content = (DATA / path).read_text("utf-8")
    titles = [heading.title for heading in headings_in(Document(content, content))]
    assert len(titles) == count
    assert titles[:1] == [first] * bool(count)


@given(st.lists(st.integers(3, 13), min_size=4), st.sampled_from(["\n", "\r\n"]))
def test_lines_of_sentences_are_paragraphs(sizes: list[int], end: str) -> None:
    lines = end.join("歌うや。" * size for size in sizes)
    assert len(Paragraph()(Document.of(lines))) == len(sizes)


@cases("lines", [
    ["* Take the change of the parser of names", "and of numbers.", "* Mend.", "* Read.", "* Go."],
    ["ก" * 40, *["ข" * 60] * 4],  # phrases of Thai, which may be wrapped at blanks alone
])  # fmt: skip
def test_a_line_without_room_for_the_next_word_goes_on(lines: list[str]) -> None:
    first, *_ = Paragraph()(Document.of("\n".join(lines)))
    assert first.end > len(lines[0])
