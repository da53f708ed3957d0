"""ExtractText prints the pages, chapters, paragraphs and sentences of one document."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from .command import check_refused, check_usage, done, here, prose

DOCUMENTS = Path(__file__).parents[1] / "samples" / "documents"
UNITS = ("document", "page", "chapter", "paragraph", "sentence", "sentence(length=80)")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", ["harbour.pptx", "harbour.epub", "letter.docx"])
def test_places_of_units_are_those_in_the_text_as_it_is_printed(unit: str, name: str) -> None:
    text = done("ExtractText", "-i", DOCUMENTS / name).text
    shown = done("ExtractText", "-i", DOCUMENTS / name, "--unit", unit, "--format", "json").json
    assert shown["schema"] == "sdtext/units/1"
    rows = shown["rows"]
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    assert [text[row["start"] : row["end"]] for row in rows] == [row["text"] for row in rows]
    assert "".join(text.split()) == "".join("".join(row["text"] for row in rows).split())


def test_slides_are_pages_with_numbers_and_chapters_with_titles() -> None:
    def titles(unit: str) -> list[str]:
        return [
            row["title"]
            for row in done("ExtractText", "-i", DOCUMENTS / "harbour.pptx", "--unit", unit).table
        ]

    assert titles("page") == ["1", "2"]
    assert titles("chapter") == ["The harbour", "The lighthouse"]
    assert set(titles("sentence")) == {""}


def test_a_text_without_chapters_is_named() -> None:
    Path("plain.txt").write_text(prose(1), "utf-8")
    Path("marked.md").write_text(f"# One\n\n{prose(1)}\n\n# Two\n\n{prose(2)}\n", "utf-8")
    outcome = done("ExtractText", "plain.txt", "--unit", "chapter")
    assert len(outcome.table) == 1
    (line,) = outcome.errors
    assert line == "warning: plain.txt: has no headings of chapters; the whole text is one"
    for name, unit in (("marked.md", "chapter"), ("plain.txt", "document")):
        assert not done("ExtractText", name, "--unit", unit).errors


def test_an_option_of_a_unit_is_taken() -> None:
    Path("a.txt").write_text(prose(1), "utf-8")
    long, short = (
        len(done("ExtractText", "-i", "a.txt", "--unit", f"sentence(length={length})").table)
        for length in (400, 100)
    )
    assert long < short


def test_the_standard_input_has_units_too() -> None:
    outcome = here("ExtractText", "-i", "-", "--unit", "paragraph", stdin=b"One.\n\nTwo.\n")
    assert [row["text"] for row in outcome.table] == ["One.", "Two."]


def test_of_an_archive_one_document_is_asked_for() -> None:
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(f"In {name}.", "utf-8")
    with tarfile.open("both.tar", "w") as archive:
        archive.add("a.txt")
        archive.add("b.txt")
    refused = here("ExtractText", "-i", "both.tar", "--unit", "page")
    check_refused(refused, 2, "both.tar!a.txt")
    (row,) = done("ExtractText", "-i", "both.tar!b.txt", "--unit", "page").table
    assert row["text"] == "In b.txt."


@pytest.mark.parametrize(
    ("unit", "reported"),
    [
        ("word", "there is no unit 'word'; available: document, page"),
        ("pages", "available:"),
        ("segment", "segment: divides terms, not text"),
        ("segment(tokens=9)", "segment: divides terms, not text"),
        ("page(length=9)", "page: there is no option 'length'; it takes none"),
        ("sentence(length=-1)", "sentence: length is -1; it must be"),
        ("chapter(level=one)", "chapter: level is 'one'; it must be a whole number"),
        ("sentence(", "names no part"),
    ],
)
def test_a_wrong_unit_is_refused_with_the_right_ones(unit: str, reported: str) -> None:
    Path("a.txt").write_text("One.", "utf-8")
    check_refused(here("ExtractText", "-i", "a.txt", "--unit", unit), 2, reported)


def test_rows_are_of_units_and_go_to_the_standard_output() -> None:
    Path("a.txt").write_text("One.", "utf-8")
    assert done("ExtractText", "-i", "a.txt", "--format", "tsv").table[0]["text"] == "One."
    check_usage(here("ExtractText", "-i", "a.txt", "--format", "tsv", "-o", "b.txt"))
    check_usage(here("ExtractText", "-i", "a.txt", "--unit", "page", "-o", "b.txt"))
    assert not Path("b.txt").exists()
