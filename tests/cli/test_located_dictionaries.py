"""Fingerprints whose dictionary is not in their file: it comes with sdtext or stands beside it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Argument, Outcome, done

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
