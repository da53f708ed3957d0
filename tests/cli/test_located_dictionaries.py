"""Fingerprints whose dictionary is not in their file: it comes with sdtext or stands beside it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from .command import ROOT, Argument, Outcome, check_refused, done, here
from .conftest import Shelf


@pytest.fixture
def received(folder: Path, shelf: Shelf) -> Path:
    """A folder with a container of two fingerprints, without their dictionary."""
    place = folder / "received"
    place.mkdir()
    _share(shelf, shelf.trimmed, place / "share.xml")
    return Path("received")


def _share(shelf: Shelf, dictionary: Argument, path: Path) -> None:
    some = [shelf.texts / name for name in ("007.txt", "008.txt")]
    done("Fingerprint", *some, "-d", dictionary, "--profile", "minimal", "-o", path)


SAMPLES = ROOT / "tests" / "samples" / "texts"
BUNDLED = "dictionary: english, which comes with sdtext"


def _compared(*arguments: Argument) -> tuple[Outcome, list[str]]:
    """The outcome of a comparison that must go well, and the dictionaries that it names."""
    outcome = done("CompareDirectory", *arguments)
    label = "dictionary: "
    lines = [line.removeprefix(label) for line in outcome.errors if line.startswith(label)]
    return outcome, lines


def _beside(shelf: Shelf, name: str) -> Callable[[Path], object]:
    def plain(place: Path) -> None:
        data = shelf.trimmed.read_bytes()
        (place / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)

    return plain


@pytest.mark.parametrize("name", ["office.xml", "office.xml.gz", "OFFICE.XML"])
def test_a_dictionary_beside_a_fingerprint_file_is_as_if_named(
    shelf: Shelf, received: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = done("CompareDirectory", received / "share.xml", shelf.texts, "-d", shelf.trimmed)
    _beside(shelf, name)(received)
    outcome, named = _compared(received / "share.xml", shelf.texts)
    assert outcome.out == expected.out
    assert named == [f"trimmed (received/{name})"]
    assert any(line.endswith("by idf-cosine") for line in outcome.errors)
    explained, _ = _compared(received / "share.xml", shelf.texts, "--explain", "--format", "json")
    assert all(row["shared_terms"] for row in explained.json["rows"])
    monkeypatch.chdir(received)
    outcome, named = _compared("share.xml", shelf.texts)
    assert named == [f"trimmed ({name})"]


@pytest.mark.parametrize("query", ["received/share.xml", "received", "share.zip", "-"])
def test_a_dictionary_that_comes_with_sdtext_is_used_unnamed(received: Path, query: str) -> None:
    options = ("--profile", "minimal", "-o", received / "share.xml")
    done("Fingerprint", SAMPLES / "union.txt", SAMPLES / "bees.txt", "-d", "english", *options)
    with ZipFile("share.zip", "w") as archive:
        archive.write(received / "share.xml", "share.xml")
    stdin = (received / "share.xml").read_bytes() if query == "-" else b""
    line = ("CompareDirectory", "-f", query, "-p", SAMPLES)
    outcome, named = (here(*line, *given, stdin=stdin) for given in ([], ["-d", "english"]))
    assert outcome.code == named.code == 0
    assert outcome.out == named.out
    assert outcome.table[0]["score"] == "99"
    assert BUNDLED in outcome.errors
    assert "dictionary: " not in named.err
    assert any(line.endswith("by idf-cosine") for line in outcome.errors)


def test_a_new_collection_takes_the_dictionary_beside(shelf: Shelf, received: Path) -> None:
    refused = here("AddDocuments", "x.sdx", received / "share.xml")
    check_refused(refused, 4)
    _beside(shelf, "office.xml")(received)
    added = done("AddDocuments", "x.sdx", received / "share.xml")
    assert added.errors[0] == "recipe: that of the dictionary trimmed, whose terms are compared"
    done("AddDocuments", "y.sdx", received / "share.xml", "-d", shelf.trimmed)
    similar = [done("FindSimilar", name, received / "share.xml").out for name in ("x.sdx", "y.sdx")]
    assert similar[0] == similar[1]
