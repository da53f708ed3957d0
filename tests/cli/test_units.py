"""ExtractText prints the pages, chapters, paragraphs and sentences of one document."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import done

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
