"""Mistakes: a message names the place and the value, the exit code is right, nothing is written."""

import gzip
import shutil
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.reading.options import limits_in
from tests.support.command import ROOT, check_usage, done, here, prose, write_texts

from .conftest import Shelf

MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))

MINIMAL = ("-d", "english", "--profile", "minimal")


@pytest.fixture(scope="module")
def place(shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    shutil.copytree(ROOT / "tests" / "samples" / "mistakes", folder, dirs_exist_ok=True)
    (folder / "one.txt").write_text(prose(1), "utf-8")
    for line in (
        ("AddDocuments", folder / "t.sdx", folder / "one.txt"),
        ("AddDocuments", folder / "near.sdx", folder / "one.txt", "-c", "deduplicate"),
        ("AddDocuments", folder / "bits.sdx", folder / "one.txt", "-d", shelf.trimmed),
        ("AddDocuments", folder / "reuse.sdx", folder / "one.txt", "-c", "reuse"),
        ("Fingerprint", folder / "a.txt", *MINIMAL, "-o", folder / "a.xml"),
        ("Fingerprint", folder / "b.txt", *MINIMAL, "-o", folder / "b.xml"),
        ("Fingerprint", folder / "a.txt", folder / "b.txt", *MINIMAL, "-o", folder / "box.xml"),
    ):
        assert here(*line).code == 0
    english = ROOT / "tests" / "samples" / "texts" / "union.txt"
    (folder / "union.txt").write_bytes(english.read_bytes())
    (folder / "minimal").mkdir()
    (folder / "minimal" / "minimal.xml").write_bytes(shelf.minimal.read_bytes())
    (folder / "empty.sdx").mkdir()
    (folder / "lost.sdx" / "segments").mkdir(parents=True)
    for source, name, array in (("near", "broken", "sketches"), ("reuse", "cut", "tokens")):
        shutil.copytree(folder / f"{source}.sdx", folder / f"{name}.sdx")
        (file,) = folder.glob(f"{name}.sdx/segments/*/{array}.npy")
        file.write_bytes(file.read_bytes()[:-1])
    return folder


@pytest.mark.parametrize(
    ("code", "line"),
    [(int(code), line) for code, text in MISTAKES.items() for line in text.splitlines()],
)
def test_a_mistake_is_one_short_message_and_nothing_is_written(
    shelf: Shelf, place: Path, monkeypatch: pytest.MonkeyPatch, line: str, code: int
) -> None:
    monkeypatch.chdir(place)
    before = sorted(place.iterdir())
    command, _, named = line.partition(" |")
    outcome = here(*shelf.line(command, NUMBER="9" * 5000, EMPTY=""))
    if code == 2:
        check_usage(outcome, named.strip())
    assert outcome.code == code, outcome.err
    assert len(outcome.errors[-1]) < 900
    assert named.strip() in outcome.errors[-1]
    assert ("it is empty, as of a variable" in outcome.errors[-1]) == (" EMPTY" in command)
    assert sorted(place.iterdir()) == before


def test_without_a_verb_the_verbs_are_listed() -> None:
    outcome = here()
    assert (outcome.code, outcome.out) == (2, b"")
    assert "CompareDirectory" in outcome.err


def test_a_table_holds_records_and_one_in_a_folder_is_a_document() -> None:
    Path("r.csv").write_text("id,text\n1,one\n2,two\n", "utf-8")
    Path("folder").mkdir()
    Path("folder/r.csv").write_text("id,text\n1,one\n2,two\n", "utf-8")
    assert "3 added" in done("AddDocuments", "t.sdx", "r.csv", "folder").err


def test_a_wrong_dictionary_is_refused_before_the_documents_are_read(
    shelf: Shelf, folder: Path
) -> None:
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.1", "-t", "0.9", "-o", "other.xml")
    texts = write_texts(folder / "texts", 3)
    (texts / "damaged.pdf").write_bytes(b"%PDF-1.7\n")  # reading it would be an error
    outcome = here("CompareDirectory", "-f", shelf.minimal, "-p", texts, "-d", "other.xml")
    assert outcome.code == 4
    assert "damaged.pdf" not in outcome.err
    (line,) = outcome.errors
    assert "is comparable: made with different dictionaries: " in line
    shutil.copy(shelf.minimal, texts / "same.xml")  # comparable, so all is read
    outcome = here("CompareDirectory", "-f", shelf.minimal, "-p", texts, "-d", "other.xml")
    assert "damaged.pdf" in outcome.err
    assert [row["path"] for row in outcome.table] == ["same.xml"]


def test_sizes_have_units(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.txt.gz").write_bytes(gzip.compress(shelf.document.read_bytes()))
    for size, code in (("1KB", 3), ("1MB", 0), ("1GB", 0), ("1XB", 2), ("1,5GB", 2)):
        monkeypatch.setenv("SDTEXT_MAX_BYTES", size)
        assert here("Doctor", "a.txt.gz").code == code


@given(st.text(max_size=8))
def test_any_text_is_a_limit_or_refused(text: str) -> None:
    for name in ("max_bytes", "max_seconds"):
        with suppress(OptionError):
            assert limits_in({f"SDTEXT_{name.upper()}": text}).get(name, 1) > 0
