"""Fingerprints whose dictionary is not in their file: it comes with sdtext or stands beside it."""

from __future__ import annotations

import gzip
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from .command import ROOT, Argument, Outcome, check_refused, done, here, shell, write_texts
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


def test_of_the_files_beside_only_the_right_dictionary_is_used(
    shelf: Shelf, received: Path
) -> None:
    alone, _ = _compared(received / "share.xml", shelf.texts, "-d", shelf.trimmed)
    _write_wrong_ones(shelf, received)
    _beside(shelf, "right.xml")(received)
    outcome, named = _compared(received / "share.xml", shelf.texts)
    assert named == ["trimmed (received/right.xml)"]
    assert (outcome.out, outcome.errors[1:]) == (alone.out, alone.errors)


def _write_wrong_ones(shelf: Shelf, place: Path) -> None:
    """Write what is not the dictionary of the fingerprints, before and behind it in order."""
    xml = shelf.trimmed.read_text("utf-8")
    digest = re.findall("<hashdigest[^>]*>(.*)</hashdigest>", xml)[0]
    other = shelf.dictionary.read_text("utf-8")
    for name in ("a", "z"):
        place.joinpath(f"{name}-other.xml").write_text(other, "utf-8")
        lying = re.sub("(<hashdigest[^>]*>).*<", rf"\g<1>{digest}<", other)
        naming = re.sub("(</hashdigest>)", rf"\1<parts>{digest}</parts>", other)
        place.joinpath(f"{name}-naming.xml").write_text(naming, "utf-8")
        place.joinpath(f"{name}-lying.xml").write_text(lying, "utf-8")
        place.joinpath(f"{name}-changed.xml").write_text(
            re.sub(r'df="(\d)', r'df="1\1', xml, count=1)
        )
        place.joinpath(f"{name}-cut.xml").write_text(xml[:-9], "utf-8")
        place.joinpath(f"{name}-cut.xml.gz").write_bytes(gzip.compress(xml.encode())[:-99])
        place.joinpath(f"{name}-damaged.xml.gz").write_bytes(b"\x1f\x8b\x08" + bytes(range(99)))
        place.joinpath(f"{name}-words.xml").write_text(f"<words>{digest}</words>")
        place.joinpath(f"{name}-empty.xml").touch()
        shutil.copy(shelf.minimal, place / f"{name}-print.xml")
        shutil.copy(shelf.trimmed, place / f"{name}-named-otherwise.txt")
        place.joinpath(f"{name}-folder.xml").mkdir()
        shutil.copy(shelf.trimmed, place / f"{name}-folder.xml")
        place.joinpath(f"{name}-link.xml").symlink_to(shelf.trimmed)
        os.mkfifo(place / f"{name}-pipe.xml")
        with ZipFile(place / f"{name}.xml", "w") as archive:
            archive.write(shelf.trimmed, "trimmed.xml")


def test_without_the_right_one_the_dictionary_is_asked_for(shelf: Shelf, received: Path) -> None:
    _write_wrong_ones(shelf, received)
    outcome = here("CompareDirectory", received / "share.xml", shelf.texts)
    check_refused(outcome, 4)


def test_a_dictionary_beside_an_archive_or_a_pipe_is_not_looked_for(
    shelf: Shelf, received: Path
) -> None:
    _beside(shelf, "office.xml")(received)
    with ZipFile(received / "share.zip", "w") as archive:
        archive.write(received / "share.xml", "share.xml")
    outcome = here("CompareDirectory", received / "share.zip", shelf.texts)
    check_refused(outcome, 4)
    outcome = shell(
        'cd received; cat share.xml | "$@" -p ' + str(shelf.texts), "CompareDirectory", "-"
    )
    check_refused(outcome, 4)


def test_a_dictionary_beside_is_unpacked_within_the_limit(shelf: Shelf, received: Path) -> None:
    _beside(shelf, "office.xml.gz")(received)
    line = ("CompareDirectory", received / "share.xml", shelf.texts, "--max-bytes")
    size = shelf.trimmed.stat().st_size
    check_refused(here(*line, size - 1), 4)
    done(*line, size)


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


def test_a_dictionary_in_the_fingerprint_file_is_not_looked_for(shelf: Shelf, folder: Path) -> None:
    for path in (shelf.full, shelf.trimmed):
        shutil.copy(path, folder)
    outcome, named = _compared("full.xml", shelf.texts)
    assert outcome.errors[0].endswith("by idf-cosine")
    assert named == []


def test_documents_among_the_queries_get_the_located_dictionary(
    shelf: Shelf, received: Path
) -> None:
    _beside(shelf, "office.xml")(received)
    line = (received / "share.xml", shelf.document, "-p", shelf.texts)
    outcome, named = _compared(*line)
    assert named == ["trimmed (received/office.xml)"]
    assert outcome.out == done("CompareDirectory", *line, "-d", shelf.trimmed).out


def test_fingerprints_without_their_dictionary_stay_comparable(
    shelf: Shelf, received: Path
) -> None:
    """Of two dictionaries one is located: cosine, which needs none, compares all of them."""
    _share(shelf, shelf.dictionary, received / "whole.xml")
    files = (received / "share.xml", received / "whole.xml")
    prints = Path("prints")
    shutil.copytree(received, prints)
    before, named = _compared("-f", files[0], "-f", files[1], "-p", prints)
    assert before.errors[0].endswith("by cosine")
    assert named == []
    _beside(shelf, "office.xml")(received)
    after, named = _compared("-f", files[0], "-f", files[1], "-p", prints)
    assert after.errors[1].endswith("by cosine")
    assert named == ["trimmed (received/office.xml)"]
    assert after.out == before.out
    texts = write_texts(Path("texts"), 9)
    partly, _ = _compared("-f", files[0], "-f", files[1], "-p", texts, "--format", "json")
    scored = {row["fingerprint"].partition("#")[0] for row in partly.json["rows"]}
    assert scored == {"received/share.xml"}
    [reason] = partly.json["not_comparable"]
    assert reason["reason"].startswith("made with different dictionaries")
    assert reason["count"] == 18


def test_a_document_and_a_fingerprint_file_are_scored(shelf: Shelf, received: Path) -> None:
    options = ("--profile", "minimal", "-o", received / "one.xml")
    done("Fingerprint", shelf.document, "-d", shelf.trimmed, *options)
    pair = (shelf.texts / "008.txt", received / "one.xml")
    check_refused(here("ScoreFingerprints", *pair), 4)
    _beside(shelf, "office.xml")(received)
    for line in (pair, pair[::-1]):
        outcome = done("ScoreFingerprints", *line, "--explain")
        assert outcome.out == done("ScoreFingerprints", *line, "--explain", "-d", shelf.trimmed).out
        assert outcome.errors[0] == "dictionary: trimmed (received/office.xml)"
    two = done("ScoreFingerprints", pair[1], pair[1])
    assert two.errors == ["bit vectors compared by cosine"]


def test_a_document_is_scored_by_a_dictionary_that_comes_with_sdtext(received: Path) -> None:
    options = ("--profile", "minimal", "-o", received / "one.xml")
    done("Fingerprint", SAMPLES / "union.txt", "-d", "english", *options)
    line = ("ScoreFingerprints", received / "one.xml", SAMPLES / "union-edited.txt")
    outcome = done(*line)
    assert outcome.errors[0] == BUNDLED
    assert outcome.out == done(*line, "-d", "english").out


def test_a_new_collection_takes_the_dictionary_beside(shelf: Shelf, received: Path) -> None:
    refused = here("AddDocuments", "x.sdx", received / "share.xml")
    check_refused(refused, 4)
    _beside(shelf, "office.xml")(received)
    added = done("AddDocuments", "x.sdx", received / "share.xml")
    assert added.errors[0] == "recipe: that of the dictionary trimmed, whose terms are compared"
    done("AddDocuments", "y.sdx", received / "share.xml", "-d", shelf.trimmed)
    similar = [done("FindSimilar", name, received / "share.xml").out for name in ("x.sdx", "y.sdx")]
    assert similar[0] == similar[1]
