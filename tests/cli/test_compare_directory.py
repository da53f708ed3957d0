"""CompareDirectory: the same rows however it is run, files opened once, and --watch."""

import gzip
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from sdtext.reports import row_formats
from sdtext.search import watched_hits
from tests.support.command import (
    ROOT,
    Argument,
    chance,
    check_refused,
    done,
    here,
    opened_by,
    prose,
    shell,
    write_texts,
)

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


@pytest.fixture
def case(folder: Path) -> Path:
    """A folder with documents 0 to 2 in new/, and fingerprints/ with documents 0 and 9."""
    for name, numbers in (("new", (0, 1, 2)), ("fingerprints", (0, 9))):
        (folder / name).mkdir()
        for number in numbers:
            (folder / name / f"{number}.txt").write_text(prose(number) + prose(5), "utf-8")
    return folder


def hits(*options: Argument, folder: Argument = "new") -> set[tuple[str, str]]:
    command = "CompareDirectory", folder, "--watch", "fingerprints/", "--format", "json", *options
    rows = done(*command).json["rows"]
    return {(row["path"], row["fingerprint"].rpartition("/")[2]) for row in rows}


EVERY = {(f"{document}.txt", f"{query}.txt") for document in (0, 1, 2) for query in (0, 9)}


def test_a_growing_case_prints_each_hit_once(case: Path) -> None:
    assert hits() == EVERY
    assert hits() == set()
    assert (
        "0 new hits, 6 of earlier runs"
        in done("CompareDirectory", "new", "--watch", "fingerprints").err
    )
    with (case / "new" / "1.txt").open("a") as file:
        file.write("one more word")
    assert hits() == {("1.txt", "0.txt"), ("1.txt", "9.txt")}
    shutil.copy(case / "new" / "2.txt", case / "fingerprints" / "2.txt")
    assert hits() == {(f"{number}.txt", "2.txt") for number in (0, 1, 2)}
    (case / "new" / "0.txt").rename(case / "new" / "moved.txt")
    assert hits() == set()
    by_another = {name.replace("0.txt", "moved.txt") for name, _ in EVERY}
    assert {path for path, _ in hits("-m", "containment")} == by_another
    shutil.make_archive("packed", "zip", "new")
    assert hits(folder="packed.zip") == set()
    (case / "new" / "3.txt").write_text(prose(3) + prose(5), "utf-8")
    assert hits("-s", "99") == set()
    assert {path for path, _ in hits()} == {"3.txt"}


def test_fingerprints_in_containers_are_known_by_their_vectors(shelf: Shelf) -> None:
    texts = sorted(shelf.texts.iterdir())
    make = "Fingerprint", "-d", shelf.trimmed, "--force", "-o"
    command = "CompareDirectory", shelf.texts, "--watch", "all.xml", "-d", shelf.trimmed, "-s", "30"

    def queries() -> set[str]:
        return {row["fingerprint"] for row in done(*command, "--format", "json").json["rows"]}

    done(*make, "all.xml", *texts[:2])
    assert queries() == {"all.xml#000.txt", "all.xml#001.txt"}
    assert queries() == set()
    done(*make, "all.xml", *texts[:3])
    assert queries() == {"all.xml#002.txt"}


@pytest.mark.usefixtures("case")
def test_what_can_be_read_once_only_is_always_new() -> None:
    command = 'cat new/0.txt | "$@" CompareDirectory - new --watch fingerprints --format tsv'
    assert shell(command).out.count(b"\n") == 1 + 6 + 3
    assert shell(command).out.count(b"\n") == 1 + 3


@pytest.mark.parametrize("stop", [KeyboardInterrupt, BrokenPipeError, OSError(28, "full")])
@pytest.mark.usefixtures("case")
def test_an_interrupted_run_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, stop: BaseException
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(row_formats, "write_rows", lambda *_: (_ for _ in ()).throw(stop))
        patch.setattr("sdtext.cli.main._silence", lambda: None)
        here("CompareDirectory", "new", "--watch", "fingerprints")
    assert hits() == EVERY
    assert hits() == set()


@pytest.mark.usefixtures("case")
def test_a_second_run_waits_and_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hits() == EVERY
    monkeypatch.setattr(watched_hits, "_PATIENCE", 0.01)
    with closing(sqlite3.connect("fingerprints.watch", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        outcome = here("CompareDirectory", "new", "--watch", "fingerprints", "--quiet")
    assert outcome.out == b""
    check_refused(outcome, 6, "fingerprints.watch")


def _foreign(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE hits (anything)")


DAMAGES: list[Callable[[Path], object]] = [
    lambda file: file.write_bytes(file.read_bytes()[:5000]),
    _foreign,
    lambda file: file.write_text("my notes about what I watch" * 9),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_foreign_list_is_refused_and_unchanged(
    case: Path, damage: Callable[[Path], object]
) -> None:
    assert hits() == EVERY
    file = case / "fingerprints.watch"
    damage(file)
    before = file.read_bytes()
    outcome = here("CompareDirectory", "new", "--watch", "fingerprints", "--quiet")
    assert outcome.out == b""
    check_refused(outcome, 5, "fingerprints.watch")
    assert file.read_bytes() == before
