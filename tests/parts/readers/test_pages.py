"""Where pages begin in the texts of word processors, beside what LibreOffice makes of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext import read
from sdtext.parts.readers.opendocument import Odt
from sdtext.parts.units.pages_chapters_paragraphs import Page
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document
from tests.parts.readers.office import docx, paragraph, run, t, text_of
from tests.parts.readers.packages import DOCUMENTS, blocks_of, flat, joined_text, open_document, p
from tests.parts.readers.paging import LAST, SOFT, styled, table, with_styles
from tests.strategies import BRISK

OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
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


BODY = [
    styled("Chapter", "The harbour has nine berths."),
    styled("Chapter", "Two of them are for ferries.", tag="h"),
    p("It is lit at dusk."),
    styled("P2", "Mind the tide."),
    styled("P1", "The quay is deep."),
    table(p("North quay"), p("deep water"), style="T1"),
    p("Ferries come at noon."),
    styled("Wide", "The map of the harbour."),
    styled("P1"),
    styled("P1", "The lighthouse."),
]
PAGES = [
    "The harbour has nine berths.",
    "Two of them are for ferries. It is lit at dusk. Mind the tide.",
    "The quay is deep.",
    "North quay deep water Ferries come at noon.",
    "The map of the harbour.",
    "The lighthouse.",
]


def words_of_pages(path: Path) -> list[str]:
    document = read(path)
    spans = Page()(document)
    return [" ".join(document.text[span.start : span.end].split()) for span in spans]


def saved(source: Path, form: str, folder: Path) -> Path:
    """The file as LibreOffice saves it in another form."""
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [str(OFFICE), profile, "--headless", "--convert-to", form, "--outdir", str(folder)]
    subprocess.run([*command, str(source)], check=True, capture_output=True, timeout=120)
    return folder / f"{source.stem}.{form}"


@pytest.mark.deep
@pytest.mark.skipif(not OFFICE, reason="LibreOffice is not installed")
@pytest.mark.parametrize(
    "forms",
    [
        ["pdf"],
        pytest.param(["odt"], marks=pytest.mark.deep),
        pytest.param(["docx", "odt"], marks=pytest.mark.deep),  # and back
    ],
    ids="-".join,
)
def test_libreoffice_saves_the_same_pages_in_each_format(forms: list[str], tmp_path: Path) -> None:
    source = pages(tmp_path)
    for number, form in enumerate(forms):
        folder = tmp_path / str(number)
        folder.mkdir()
        source = saved(source, form, folder)
        assert words_of_pages(source) == PAGES


def pages(folder: Path) -> Path:
    """A file of some pages, one of them empty."""
    source = folder / "pages.fodt"
    source.write_text(with_styles(flat("".join(BODY))), "utf-8")
    return source


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
