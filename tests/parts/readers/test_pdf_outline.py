import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import Heading
from sdtext.parts.readers import pdf as pdf_engines
from sdtext.parts.readers.heading_collector import MAX_TITLE
from sdtext.parts.readers.pdf import Pdf
from tests.parts.readers.packages import gathered, joined_text, titles
from tests.parts.readers.pdfs import Stream, bare, shown
from tests.support.cases import cases


def outlined(pages: Sequence[str], items: Sequence[bytes]) -> bytes:
    """A file with those pages and the items of an outline, the first of which is its root.

    In an item `@3` stands for item number 3, `#1` for page number 1.
    """
    first = 6 + len(items)  # the number of the first page

    def written(text: bytes) -> bytes:
        text = re.sub(rb"@(\d+)", lambda match: b"%d 0 R" % (6 + int(match[1])), text)
        text = re.sub(rb"#(\d+)", lambda at: b"[%d 0 R /Fit]" % (first + 2 * int(at[1])), text)
        return b"<<%s>>" % text

    contents = [Stream(shown(text)) for text in pages]
    return bare(contents, others=[*map(written, items)], catalog=b" /Outlines 6 0 R")


PAGES = ["first page", "second page", "third page"]
ROOT = b"/Type /Outlines /First @1 /Last @9 /Count 9"


def found_in(path: Path, *items: bytes, engine: str = "pypdfium2") -> list[Any]:
    path.write_bytes(outlined(PAGES, [ROOT, *items]))
    return gathered(Pdf(engine=engine), path)


def test_headings_come_before_the_page_they_lead_to(path: Path) -> None:
    items = [
        b"/Title (Part  One) /Dest #0 /First @2 /Last @3 /Next @4",
        b"/Title (Bees) /Dest #0 /Next @3 /First @5", b"/Title (Hives) /A <</S /GoTo /D #2>>",
        b"/Title <FEFF4E2D6587> /Dest #2", b"/Title (Deep) /Dest #1",
    ]  # fmt: skip
    result = found_in(path, *items)
    assert titles(result) == [(1, "Part One"), (2, "Bees"), (3, "Deep"), (2, "Hives"), (1, "中文")]
    text, headings = joined_text(result), [block for block in result if isinstance(block, Heading)]
    assert text.split("\f")[:3] == PAGES
    place = result.index(headings[2])
    assert result[place - 1] == "first page\f"
    assert result[place + 1] == "second page\f"
    # The other engines say nothing of an outline, and the text is the same with and without.
    assert titles(found_in(path, *items, engine="pdfminer")) == []
    assert joined_text(found_in(path, b"/Title (One)")) == text


@cases("item", [
    b"/Title (No page)", b"/Title (No such page) /Dest [99 0 R /Fit]",
    b"/Title (Elsewhere) /A <</S /URI /URI (http://example.org/)>>", b"/Title () /Dest #0",
    b"/Title <FEFFD83D> /Dest #0", b"/Dest #0",
])  # fmt: skip
def test_what_leads_nowhere_or_has_no_title_is_passed_over(path: Path, item: bytes) -> None:
    result = found_in(path, item + b" /Next @2", b"/Title (Bees) /Dest #1")
    assert titles(result) == [(1, "Bees")]


def test_depth_number_and_length_are_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = [b"/Title (T%d) /Dest #0 /First @%d" % (n, n + 2) for n in range(300)]
    levels = [level for level, _ in titles(found_in(path, *deep))]
    assert levels == list(range(1, pdf_engines.MAX_DEPTH + 1))
    monkeypatch.setattr(pdf_engines, "MAX_ITEMS", 7)
    long = [b"/Title (T%d) /Dest #0 /Next @%d" % (n, n + 2) for n in range(30)]
    assert len(titles(found_in(path, *long))) == 7
    result = found_in(path, b"/Title (%s) /Dest #0" % (b"a" * 9999))
    assert titles(result) == [(1, "a" * MAX_TITLE)]


_PIECES = st.sampled_from(
    ["a", "b", "ab", "a.", "b*", " ", "\n", "\r\n", " \n ", "\t", "\x0c", "\x85"]
)
_TEXTS = st.lists(_PIECES).map("".join)


@given(_TEXTS, st.lists(_TEXTS, max_size=3))
def test_titles_are_placed_as_by_a_pattern(text: str, some: list[str]) -> None:
    place, expected = 0, []
    for title in some:
        words = r"\s+".join(map(re.escape, title.split()))
        if match := re.compile(rf"^[^\S\n]*{words}", re.MULTILINE).search(text, place):
            expected.append(text[place : match.start()])
            place = match.start()
        expected.append(title)
    pieces = pdf_engines.placed([Heading(1, title) for title in some], text)
    actual = [piece.title if isinstance(piece, Heading) else piece for piece in pieces]
    assert actual == [*expected, text[place:]]


@pytest.mark.parametrize("view", ["/XYZ 0 781 0", "/FitH 781", "/FitBH 781", "/FitR 0 0 600 781"])
def test_a_chapter_begins_at_the_place_that_its_bookmark_names(path: Path, view: str) -> None:
    lines = ["Two comes later", "The end of one.", "2. Of Bees", "Two begins.", "Bees fly."]
    items = [ROOT, b"/Title (One) /Dest #0 /Next @2", b"/Title (Two) /Dest [11 0 R %s]"]
    items[-1] %= view.encode()
    path.write_bytes(outlined(["first page", "\n".join(lines)], items))
    result = gathered(Pdf(), path)
    place = result.index(Heading(1, "Two"))
    assert str(result[place + 1]).split("\r\n")[0] == "2. Of Bees"
