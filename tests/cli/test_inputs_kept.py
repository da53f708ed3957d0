"""A result never takes the place of what it is made from, not even by a slip."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import check_refused, here
from .conftest import Shelf


@pytest.mark.parametrize(
    "line",
    [
        "CreateDictionary -o doc.txt -p doc.txt -c RECIPE",
        "Fingerprint -o doc.txt -i doc.txt -d DICT",
        "CreateDictionary -o doc.txt -p . -c RECIPE",
        "Fingerprint -o doc.txt -i TEXT -i doc.txt -d DICT",
        "ExtractText -o doc.txt -i doc.txt",
        "ExtractText -o ./doc.txt -i doc.txt",
    ],
)
def test_an_input_is_not_overwritten(shelf: Shelf, line: str) -> None:
    Path("doc.txt").write_text(shelf.document.read_text("utf-8"), "utf-8")
    before = Path("doc.txt").read_bytes()
    check_refused(here(*shelf.line(line)), 6, "doc.txt")
    assert Path("doc.txt").read_bytes() == before


def test_an_earlier_result_gives_way_to_a_new_one(shelf: Shelf) -> None:
    for _ in range(2):
        assert here(*shelf.line("TrimDictionary -o again.xml -d DICT")).code == 0
    assert here("TrimDictionary", "-o", "again.xml", "-d", "again.xml").code == 0
    for _ in range(2):  # a dictionary among the documents is none of them
        assert here(*shelf.line("CreateDictionary -o again.xml -p . -p TEXTS -c RECIPE")).code == 0


def test_no_input_is_overwritten_in_a_folder_of_results(shelf: Shelf) -> None:
    text = shelf.document.read_bytes()
    Path("d.xml").write_bytes(shelf.dictionary.read_bytes())
    for name in ("d", "e", "e.xml"):
        Path(name).write_bytes(text)
    assert here("Fingerprint", "-d", "d.xml", "-o", "./", "d", "e", "e.xml").code == 0
    assert Path("d.xml").read_bytes() == shelf.dictionary.read_bytes()
    assert Path("e.xml").read_bytes() == text
    assert {path.name for path in Path().glob("*-2.xml")} == {"d-2.xml", "e-2.xml"}
