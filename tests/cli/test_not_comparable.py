"""What CompareDirectory says of documents and fingerprints that do not compare."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .command import Argument, Outcome, done, here, parsed, prose, write_texts
from .conftest import Shelf


def compare(*arguments: Argument) -> Any:
    return done("CompareDirectory", *arguments, "--format", "json").json["rows"]


@pytest.fixture
def mixed(shelf: Shelf, folder: Path) -> Path:
    """A folder where some compare, some do not, one is damaged and one is a dictionary."""
    place = write_texts(folder / "mixed", 4)
    (place / "deep").mkdir()
    shutil.copy(shelf.minimal, place / "deep" / "same.xml")
    (place / "short.txt").write_text("Hardly anything.\n", "utf-8")
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.1", "-t", "0.9", "-o", "other.xml")
    other = shelf.texts / "008.txt"
    done("Fingerprint", "-i", other, "-d", "other.xml", "-o", place / "other.xml")
    (place / "damaged.xml").write_bytes(shelf.minimal.read_bytes()[:-30])
    shutil.copy(shelf.dictionary, place / "dictionary.xml")
    return place


def problems(outcome: Outcome) -> list[Mapping[str, Any]]:
    return [item for item in outcome.json["problems"] if item["severity"] == "error"]


def test_a_dictionary_among_the_documents_is_passed_over_with_a_word(
    shelf: Shelf, mixed: Path
) -> None:
    (mixed / "damaged.xml").unlink()
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", mixed)
    assert outcome.code == 0
    (line,) = [line for line in outcome.errors if "dictionary.xml" in line]
    assert line.startswith("warning: ")
    assert "dictionary.xml" not in {row["path"] for row in outcome.table}


def test_a_lower_minimum_of_terms_makes_short_documents_comparable(
    shelf: Shelf, mixed: Path
) -> None:
    words = prose(7).split()
    (mixed / "short.txt").write_text(" ".join(words[:16]), "utf-8")
    common = ["CompareDirectory", "-f", shelf.full, "-p", mixed, "-s", "0", "--format", "json"]

    def short(*options: str) -> Mapping[str, Any]:
        rows = here(*common, *options).json["rows"]
        return next(row for row in rows if row["path"] == "short.txt")

    lenient = short("--min-terms", "1")
    assert lenient["score"] is not None
    assert lenient["b"] > 0
    assert short("--min-terms", str(lenient["b"])) == lenient
    assert short("--min-terms", str(lenient["b"] + 1))["score"] is None


def test_equal_bits_score_99_however_few(shelf: Shelf, folder: Path) -> None:
    terms = [term.text for term in parsed(shelf.trimmed).iterfind(".//{*}term")]
    tokens = prose(7).split()
    (folder / "tiny").mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / "tiny" / name).write_text(" ".join(tokens[:16]), "utf-8")
    assert len(terms) > 100
    common = ("-f", "tiny/a.txt", "-d", shelf.trimmed, "-p", "tiny")
    for matcher in ("cosine", "exact", "idf-cosine", "jaccard", "dice"):
        rows = compare("-m", matcher, *common)
        assert [(row["path"], row["score"]) for row in rows] == [("b.txt", 99)]
        assert 0 < rows[0]["a"] < 8
    refused = here("CompareDirectory", "-m", "containment", *common)
    assert refused.code == 4


def test_nothing_comparable_is_code_4(shelf: Shelf, folder: Path) -> None:
    (folder / "short").mkdir()
    (folder / "short" / "a.txt").write_text("Hardly anything.\n", "utf-8")
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", "short")
    assert outcome.code == 4
    assert len(outcome.errors) == 4
    assert any("differs from the documents" in line for line in outcome.errors)
    assert "Traceback" not in outcome.err
    assert "not" in outcome.errors[-1]
    assert "comparable" in outcome.errors[-1]


def test_a_fingerprint_over_a_dictionary_not_at_hand_does_not_stop_the_others(
    shelf: Shelf, mixed: Path
) -> None:
    (mixed / "damaged.xml").unlink()
    (mixed / "dictionary.xml").unlink()
    done(
        "Fingerprint",
        "-i",
        shelf.document,
        "-d",
        "other.xml",
        "-o",
        "q.xml",
        "--profile",
        "minimal",
    )
    Path("other.xml").unlink()
    outcome = here(
        "CompareDirectory",
        "-f",
        shelf.full,
        "-f",
        "q.xml",
        "-p",
        mixed,
        "--all",
        "--format",
        "json",
    )
    assert outcome.code == 0, outcome.err[-500:]
    rows = outcome.json["rows"]
    result = {(row["fingerprint"], row["path"]): row for row in rows}
    assert result[str(shelf.full), "deep/same.xml"]["score"] == 99
    assert result[str(shelf.full), "other.xml"]["score"] is None
    assert result["q.xml", "000.txt"]["score"] is None


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
