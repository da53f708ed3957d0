"""Where pages begin in the texts of word processors, beside what LibreOffice makes of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext import read
from sdtext.parts.readers.opendocument import Odt
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document
from tests.parts.readers.office import docx, paragraph, run, t, text_of
from tests.parts.readers.packages import DOCUMENTS, blocks_of, joined_text, open_document, p
from tests.parts.readers.paging import LAST, SOFT
from tests.strategies import BRISK

SAVED = DOCUMENTS / "libreoffice"


def numbers(text: str) -> dict[str, int]:
    """The number of the page on which each marked word stands, where form feeds end pages."""
    pages = enumerate(text.split("\f"), 1)
    return {word: number for number, page in pages for word in re.findall(r"Begin\d+", page)}


def test_pages_are_those_that_libreoffice_printed_as_it_saved_the_file() -> None:
    """Soft breaks in long paragraphs, rows and between lines; breaks of styles; an empty page."""
    printed = read(SAVED / "pages.pdf").text
    result = read(SAVED / "pages.odt").text
    assert printed.count("\f") == 15
    assert result.count("\f") == 14  # the last page ends with the text
    assert numbers(result) == numbers(printed)
    assert len(numbers(result)) == 55


PIECES = st.lists(st.lists(st.sampled_from(["word", "soft", "line"]), max_size=8), max_size=6)
KINDS: Mapping[str, tuple[str, str]] = {
    "odt": ("<text:line-break/>", SOFT),
    "docx": (run("<w:br/>"), LAST),
}


def written(path: Path, kind: str, paragraphs: list[list[str]]) -> str:
    """The text of a file of such paragraphs, behind a first one; words are numbered."""
    line, soft = KINDS[kind]
    count = 0
    body = []
    for pieces in [["word"], *paragraphs]:
        inside = []
        for piece in pieces:
            text = f"Begin{count} "
            count += piece == "word"
            words = t(text).replace("<w:t>", "<w:t xml:space='preserve'>")
            spoken = words if kind == "docx" else text
            inside.append({"word": spoken, "soft": soft, "line": line}[piece])
        body.append(p(*inside) if kind == "odt" else paragraph(*inside))
    if kind == "docx":
        return text_of(path, docx("".join(body)))
    return joined_text(blocks_of(Odt(), path, open_document("".join(body))))


@BRISK
@given(paragraphs=PIECES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_line_stands_whole_on_the_page_where_it_begins(
    path: Path, kind: str, paragraphs: list[list[str]]
) -> None:
    actual = written(path, kind, paragraphs)
    plain = written(path, kind, [[item for item in each if item != "soft"] for each in paragraphs])
    assert actual.replace("\f", "") == plain
    assert actual.count("\f") == sum(each.count("soft") for each in paragraphs)
    expected, page, count = {"Begin0": 1}, 1, 1
    for pieces in paragraphs:
        of_line = 0
        for piece in pieces:
            page += piece == "soft"
            of_line = 0 if piece == "line" else of_line
            if piece == "word":
                of_line = of_line or page
                expected[f"Begin{count}"] = of_line
                count += 1
    assert numbers(actual) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_soft_breaks_part_no_sentence(path: Path, kind: str) -> None:
    pieces = ["word", "soft", "word", "word"]
    first, other = (
        written(path, kind, each) for each in ([pieces, pieces], [["word"] * 3, ["word"] * 3])
    )
    result, plain = (Document(each, each, line_paragraphs=True) for each in (first, other))
    assert [result.text[span.start : span.end] for span in Sentence()(result)] == [
        plain.text[span.start : span.end] for span in Sentence()(plain)
    ]
