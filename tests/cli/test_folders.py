"""Folders on the command line: what is read of them, what is skipped, and lists of files."""

import shutil
from pathlib import Path

import pytest

from tests.support.command import done, here, prose, write_texts

from .conftest import Shelf

_WALKERS = (
    "CreateDictionary -o OUT -c RECIPE FOLDER",
    "CompareDirectory -f PRINT -d DICT -p FOLDER",
    "Fingerprint -d DICT -o OUT FOLDER",
    "Doctor FOLDER",
    "AddDocuments x.sdx FOLDER",
    "Deduplicate FOLDER -o OUT",
    "FindReuse FOLDER TEXT",
    "Mangle FOLDER -m ocr -o OUT",
)
"""Command lines of the verbs that read a folder."""
_INPUTS = (
    ("CreateDictionary -o OUT -c RECIPE", "-p"),
    ("CompareDirectory -f PRINT -d DICT", "-p"),
    ("Fingerprint -d DICT -o OUT", "-i"),
    ("AddDocuments new.sdx -c near-duplicate", ""),
    ("FindReuse TEXT", ""),
)
"""The verbs that select files of a folder, and the option that names one beside a bare argument."""


_TEXTLESS = {"picture.png": b"\x89PNG\r\n\x1a\n", "program": b"\x7fELF" + bytes(99), "empty": b""}


@pytest.mark.parametrize("line", _WALKERS)
def test_files_without_text_are_no_errors_of_a_folder(
    shelf: Shelf, folder: Path, line: str
) -> None:
    texts = write_texts(folder / "texts", 3)
    for name, content in _TEXTLESS.items():
        (texts / name).write_bytes(content)
    outcome = done(*shelf.line(line, FOLDER="texts", OUT="out"))
    for name in _TEXTLESS:
        assert f"texts/{name}" in outcome.err + outcome.text
        (texts / name).rename(folder / name)
    outcome = here(*shelf.line(line, FOLDER="picture.png", OUT="out2"))
    assert outcome.code == 3
    assert "not text" in outcome.err + outcome.text


@pytest.mark.parametrize("line", _WALKERS)
def test_a_folder_without_files_or_without_text_is_an_error(
    shelf: Shelf, folder: Path, line: str
) -> None:
    (folder / "empty").mkdir()
    outcome = here(*shelf.line(line, FOLDER="empty", OUT="out.xml"))
    assert outcome.code == 3
    assert sum("empty: contains no files" in error for error in outcome.errors) == 1
    (folder / "empty/picture.png").write_bytes(_TEXTLESS["picture.png"])
    outcome = here(*shelf.line(line, FOLDER="empty", OUT="out"))
    assert outcome.code == 3, outcome.err
    assert "empty/picture.png" in outcome.err + outcome.text


def test_a_folder_is_the_same_however_it_is_named(
    shelf: Shelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = write_texts(folder / "texts", 2, 60)
    write_texts(texts / "drafts", 1, 60)
    write_texts(texts / "node_modules", 1, 60)
    selected = ("--include", "*.txt", "--exclude", "drafts/")
    for line, option in _INPUTS:
        ways = [["../texts"], *([[option, "../texts"]] if option else [])]
        seen = []
        for number, way in enumerate(ways):
            place = folder / f"{line.split()[0]}{number}"
            place.mkdir()
            monkeypatch.chdir(place)
            outcome = here(*shelf.line(line, OUT="out"), *way, *selected)
            assert outcome.code == 0, (line, way, outcome.err)
            seen.append((outcome.out, outcome.err, sorted(path.name for path in place.iterdir())))
        assert all(item == seen[0] for item in seen), (line, seen)


def test_a_file_of_sdtext_among_documents_is_a_warning_named_itself_an_error(shelf: Shelf) -> None:
    Path("in").mkdir()
    shutil.copy(shelf.minimal, "in/print.xml")
    for number in range(2):  # short ones, which also differ from those of the dictionary
        Path(f"in/{number}.txt").write_text(prose(number, 40), "utf-8")
    outcome = done(*shelf.line("Fingerprint in -d DICT -o out.xml"))
    what = "in/print.xml: is a <fingerprint> file of sdtext, not a document; skipped"
    assert f"warning: {what}" in outcome.errors
    assert all(line.startswith(("warning: ", "out.xml: ")) for line in outcome.errors)
    outcome = here(*shelf.line("Fingerprint in/0.txt in/print.xml -d DICT -o out.xml"))
    assert outcome.code == 3
    assert f"error: {what}" in outcome.errors
