"""CompareDirectory: the right order on real texts, and every way to ask and to answer."""

import gzip
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.support.command import ROOT, Argument, chance, done, opened_by, write_texts

from .conftest import Shelf


def compare(*arguments: Argument) -> Any:
    return done("CompareDirectory", *arguments, "--format", "json").json["rows"]


def test_neither_jobs_nor_the_order_of_files_change_a_row(shelf: Shelf, folder: Path) -> None:
    texts = write_texts(folder / "texts", 85, 120)
    files = sorted(texts.iterdir())
    chance(3).shuffle(files)
    (folder / "copies").mkdir()
    for path in files:
        shutil.copy(path, folder / "copies")
    options = ("-f", shelf.full, "-m", "cosine", "-s", "0", "--jobs")
    assert compare(*options, "2", "-p", "copies") == compare(*options, "1", "-p", texts)


LONG = b"Many words about bees and honey, so that the file has more than one block.\n" * (1 << 15)
PLAIN = ("long.txt", "packed.txt.gz", "print.xml", "short.txt")
ISOLATED = ("draft.pdf", "harbour.epub", "harbour.odt", "letter.docx")
"""Files whose reader runs in a process of its own, which opens them itself, once."""


def _write_each_kind(folder: Path, shelf: Shelf) -> list[Path]:
    """Write a file of each kind in PLAIN and ISOLATED, and an archive."""
    folder.mkdir()
    for name in ISOLATED:
        shutil.copy(ROOT / "tests" / "samples" / "documents" / name, folder)
    shutil.copy(shelf.document, folder / "short.txt")
    shutil.copy(shelf.full, folder / "print.xml")
    (folder / "long.txt").write_bytes(LONG)
    (folder / "packed.txt.gz").write_bytes(gzip.compress(shelf.document.read_bytes()))
    with ZipFile(folder / "several.zip", "w") as archive:
        for path in sorted(folder.iterdir()):
            if path.suffix != ".zip":
                archive.write(path, f"packed-{path.name}")
    return sorted(folder.iterdir())


OPENED = {**dict.fromkeys(PLAIN, 1), **dict.fromkeys(ISOLATED, 2), "several.zip": 2}
"""How often each file may be opened. An archive is unpacked once, by a process of its own."""


@pytest.mark.parametrize(
    "option", [pytest.param(False, marks=pytest.mark.deep), True], ids=["bare", "named"]
)
def test_a_query_is_opened_once(shelf: Shelf, folder: Path, *, option: bool) -> None:
    queries = _write_each_kind(folder / "queries", shelf)
    named = [word for path in queries for word in (["-f", path] if option else [path])]
    opened = opened_by("CompareDirectory", *named, "-p", shelf.texts, "-d", shelf.trimmed)
    assert {path.name: opened[path] for path in queries} == OPENED
    assert opened[shelf.trimmed] == 1


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.deep), 2])
def test_a_candidate_and_a_bundled_dictionary_are_opened_once(
    shelf: Shelf, folder: Path, jobs: int
) -> None:
    query = ROOT / "tests" / "samples" / "texts" / "union.txt"
    candidates = _write_each_kind(folder / "candidates", shelf)
    line = ["CompareDirectory", "-d", "english", query, "candidates", "--jobs", jobs]
    opened = opened_by(*line)
    assert {path.name: opened[path] for path in candidates} == OPENED
    assert opened[ROOT / "dictionaries" / "english.xml.gz"] == 1
