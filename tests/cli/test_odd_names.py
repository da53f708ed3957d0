"""Names of files with anything in them, from documents to results."""

import os
from pathlib import Path

import pytest

from tests.support.command import NOISE, check_partly, done, here, prose

from .conftest import Shelf

NAMES: tuple[bytes, ...] = (
    b"two\nlines.txt",
    b'it\'s "quoted".txt',
    b"a\ttab and \\ .txt",
    b"\x1b[31mred\r.txt",
    b"not \xff\xfe utf-8.txt",
    "Übergröße \u2028 \u202e 漢字.txt".encode(),
    b"100% & <b>.txt",
    b" .txt ",
)


@pytest.fixture(params=NAMES, ids=repr)
def name(request: pytest.FixtureRequest) -> str:
    return os.fsdecode(request.param)


def test_a_document_with_an_odd_name_goes_all_the_way(shelf: Shelf, name: str) -> None:
    odd = Path("odd") / name
    odd.parent.mkdir()
    odd.write_text(prose(7), "utf-8")
    made = ("CreateDictionary", "-o", "d.xml", "-p", "odd", "-p", shelf.texts, "-c", shelf.recipe)
    assert len(done(*made).errors) == 1
    done("Fingerprint", "-i", odd, "-d", shelf.trimmed, "-o", "prints/")
    (made_print,) = Path("prints").iterdir()
    assert made_print.name == f"{name}.xml"

    tsv = done("CompareDirectory", "-f", made_print, "-p", "odd")
    assert tsv.text.count("\n") == 2
    assert "\x1b" not in tsv.text
    (row,) = done("CompareDirectory", "-f", made_print, "-p", "odd", "--format", "json").json[
        "rows"
    ]
    assert (row["score"], row["path"]) == (99, name)
    assert row["fingerprint"] == f"prints/{name}.xml"
    table = done("CompareDirectory", "-f", made_print, "-p", "odd", "--format", "table")
    assert "\x1b" not in table.text


def test_a_bad_document_with_an_odd_name_is_one_printable_line(shelf: Shelf, name: str) -> None:
    odd = Path("odd") / name
    odd.parent.mkdir()
    odd.write_bytes(b"%PDF-1.4\n" + NOISE[:50])
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", "odd")
    check_partly(outcome, 3, ".txt")


def test_a_result_with_an_odd_name_is_written_and_can_be_read(shelf: Shelf, name: str) -> None:
    (line,) = done("CreateDictionary", "-o", name, "-p", shelf.texts, "-c", shelf.recipe).errors
    assert line.isprintable()
    Path("trimmed").mkdir()
    trimmed = Path("trimmed") / name
    done("TrimDictionary", "-d", name, "-o", trimmed, "-b", "0.2")
    for outcome in (
        done("Fingerprint", "-i", shelf.document, "-d", trimmed, "-o", "f.xml"),
        done("ExtractDictionary", "-f", "f.xml", "-d", "e.xml"),
    ):
        (line,) = outcome.errors
        assert line.isprintable()
    done("ShowDictionaryStatistics", "-d", name)


@pytest.mark.parametrize("label", ["\x01", "two\nlines", "\x1b[31mred", "\ufffe", ""])
def test_a_dictionary_may_be_called_anything_or_is_refused_in_a_line(
    shelf: Shelf, label: str
) -> None:
    result = here(
        "CreateDictionary", "-o", "d.xml", "-p", shelf.texts, "-c", shelf.recipe, "--name", label
    )
    if result.code == 0:
        shown = done("ShowDictionaryStatistics", "-d", "d.xml", "--format", "json").json
        assert shown["name"] == (label or "d")
    else:
        assert result.code == 2
        assert result.errors[-1].isprintable()
