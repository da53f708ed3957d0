"""CompareDirectory: the right order on real texts, and every way to ask and to answer."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.support.command import (
    ROOT,
    Argument,
    chance,
    check_partly,
    done,
    here,
    opened_by,
    shell,
)
from tests.support.formulas import bits_of, expected_score, weights_of

from .conftest import Papers, Shelf


def compare(*arguments: Argument) -> Any:
    return done("CompareDirectory", *arguments, "--format", "json").json["rows"]


@pytest.fixture(scope="module")
def by_cosine(papers: Papers) -> Any:
    """The rows of all papers for the ninth."""
    return compare("-m", "cosine", "-f", papers.ninth, "-p", papers.folder, "-s", "0")


@pytest.mark.parametrize(
    "matcher",
    ["cosine", "exact", "idf-cosine", "jaccard", "containment", "dice", "idf-cosine(power=2)"],
)
def test_every_score_is_the_one_its_formula_gives(papers: Papers, matcher: str) -> None:
    bits = bits_of(papers.prints)
    power = 2.0 if "power" in matcher else 1.0
    weights = weights_of(papers.trimmed, power)
    rows = compare("-m", matcher, "-f", papers.ninth, "-p", papers.folder, "-s", "0")
    assert len(rows) == 85
    mine = bits["09.txt"]
    for row in rows:
        other = bits[row["path"]]
        assert row["score"] == expected_score(matcher, mine, other, weights)
        assert (row["a"], row["b"]) == (mine.bit_count(), other.bit_count())
        assert row["common"] == (mine & other).bit_count()
        assert row["score"] == min(99, int(100 * row["similarity"] + 1e-9))


def _two_folders(shelf: Shelf) -> None:
    for place, path in enumerate(sorted(shelf.texts.iterdir())[:8]):
        target = Path(("a", "b/deep")[place % 2]) / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    shutil.copy(shelf.minimal, "b/print.xml")


def test_a_missing_folder_among_several_is_named_and_the_others_are_searched(shelf: Shelf) -> None:
    _two_folders(shelf)
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", "none", "-p", "a", "-s", "0")
    check_partly(outcome, 3, "none")
    assert len(outcome.table) == 4
    check_partly(here("CompareDirectory", "-f", shelf.full, "-p", "x1", "-p", "x2"), 3, "x1", "x2")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_neither_jobs_nor_the_order_of_files_change_a_row(
    papers: Papers, by_cosine: Any, folder: Path, jobs: str
) -> None:
    files = sorted(papers.folder.iterdir())
    chance(3).shuffle(files)
    (folder / "copies").mkdir()
    for path in files:
        shutil.copy(path, folder / "copies")
    options = ("-f", papers.ninth, "-m", "cosine", "-s", "0", "--jobs", jobs)
    assert compare(*options, "-p", folder / "copies") == by_cosine


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


@pytest.mark.parametrize("line", ["TEXT TEXTS -d DICT"])
def test_a_dictionary_is_opened_once(shelf: Shelf, line: str) -> None:
    opened = opened_by("CompareDirectory", *shelf.line(line, DICT=shelf.dictionary))
    assert opened[shelf.dictionary] == 1


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


def test_a_pipe_is_a_query_with_a_named_dictionary(shelf: Shelf) -> None:
    line = shelf.line("CompareDirectory -p TEXTS -d DICT -f")
    piped = shell(f'"$@" <(cat "{shelf.document}")', *line)
    assert piped.code == 0, piped.err
    assert piped.table[0]["path"] == shelf.document.name
