"""Collections that are shared without documents, and merged, as a user does it."""

from __future__ import annotations

from pathlib import Path

import pytest

import sdtext

from .command import check_refused, check_usage, done, here
from .conftest import Shelf


@pytest.fixture
def mine(shelf: Shelf) -> str:
    done("AddDocuments", "mine.sdx", shelf.texts, "-d", shelf.trimmed)
    return "mine.sdx"


def pairs_in(*arguments: object) -> list[tuple[str, str, str]]:
    rows = done("FindPairs", *arguments, "-s", 5).table
    return [(row["left"], row["right"], row["score"]) for row in rows]


def test_a_collection_is_shared_without_documents(shelf: Shelf, mine: str) -> None:
    shared = done("Fingerprint", mine, "-o", "share.xml.gz")
    assert "share.xml.gz" in shared.err
    assert "added; " in done("AddDocuments", "theirs.sdx", "share.xml.gz").err
    assert pairs_in("theirs.sdx") == pairs_in(mine)
    assert pairs_in(mine)
    assert done("Doctor", "theirs.sdx").code == 0
    done("RemoveDocuments", "theirs.sdx", "007.txt")
    done("AddDocuments", "both.sdx", "theirs.sdx", mine)
    assert {row["root"] for row in done("ShowCollection", "both.sdx", "--documents").table} == {
        str(Path("share.xml.gz").absolute()),
        str(shelf.texts.absolute()),
    }


def test_a_minimal_container_has_numbers_alone(shelf: Shelf, mine: str) -> None:
    minimal = ("--profile", "minimal", "--names", "key.csv")
    done("Fingerprint", mine, "-o", "share.xml", *minimal)
    text = Path("share.xml").read_text()
    assert "007" not in text
    assert "<filename>" not in text
    key = Path("key.csv").read_text().splitlines()
    assert key[1].startswith("1,share.xml,00")
    done("AddDocuments", "theirs.sdx", "share.xml", "-d", shelf.trimmed)
    rows = done("FindSimilar", "theirs.sdx", "-i", shelf.document, "-s", 99).table
    number = rows[0]["document"].removeprefix("share.xml#")
    assert f"{number},share.xml,007.txt" in key
    with sdtext.open(mine) as collection:
        sdtext.save(collection.fingerprints(names=False), "same.xml")
    assert Path("same.xml").read_text() == text
    done("Fingerprint", mine, "-o", "folder/", *minimal[:2], "--names", "other.csv")
    assert len(list(Path("folder").iterdir())) == len(key) - 1


REFUSALS = (
    ("Fingerprint mine.sdx", 2, "mine.sdx is a collection; name OUT with -o"),
    ("Fingerprint mine.sdx a.txt -o x.xml", 2, "mine.sdx is a collection; name it alone"),
    ("Fingerprint mine.sdx -o x.xml --segment 50", 2, "stores whole documents; omit --segment"),
    ("Fingerprint mine.sdx -o x.xml -d english", 4, "has no bit vectors over dictionary engl"),
    ("Fingerprint plain.sdx -o x.xml", 4, "plain.sdx: has no bit vectors, which fingerpr"),
    ("Fingerprint mine.sdx -o mine.sdx/x.xml", 6, "is in the collection mine.sdx"),
    ("Fingerprint a.txt -o x.xml", 2, "Missing option '-d' / '--dictionary'"),
    ("AddDocuments mine.sdx mine.sdx", 2, "mine.sdx: is the collection itself"),
    ("AddDocuments mine.sdx plain.sdx", 4, "cannot take the documents of plain.sdx: its "),
    ("AddDocuments plain.sdx share.xml", 4, "plain.sdx: stores more of documents (tokens"),
    ("AddDocuments new.sdx share.xml", 4, "share.xml: does not contain its dictionary"),
    ("FindReuse theirs.sdx", 4, "theirs.sdx: was created without places of words; "),
    ("FindPairs theirs.sdx -m edit", 4, "edit finds pairs by shingles, but there are none"),
)


def test_refusals_are_one_line(shelf: Shelf, mine: str) -> None:
    Path("a.txt").write_text("Bees dance in the hive.")
    done("AddDocuments", "plain.sdx", "a.txt", "-c", "reuse")
    done("Fingerprint", mine, "-o", "share.xml", "--profile", "minimal")
    done("AddDocuments", "theirs.sdx", "share.xml", "-d", shelf.trimmed)
    for line, code, message in REFUSALS:
        outcome = here(*line.split())
        if outcome.err.startswith("Usage:"):
            check_usage(outcome, message)
        else:
            check_refused(outcome, code, message)
        assert outcome.code == code
    assert not Path("x.xml").exists()
    assert not Path("new.sdx").exists()
