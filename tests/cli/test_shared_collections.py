"""Collections that are shared without documents, and merged, as a user does it."""

from __future__ import annotations

from pathlib import Path

import pytest

import sdtext
from tests.support.command import done

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
    assert "007.txt" not in text
    assert "<filename>" not in text
    key = Path("key.csv").read_text().splitlines()
    assert key[1].startswith("1,share.xml,00")
    done("AddDocuments", "theirs.sdx", "share.xml", "-d", shelf.trimmed)
    rows = done("FindSimilar", "theirs.sdx", shelf.document, "-s", 99).table
    number = rows[0]["document"].removeprefix("share.xml#")
    assert f"{number},share.xml,007.txt" in key
    with sdtext.open(mine) as collection:
        sdtext.save(collection.fingerprints(names=False), "same.xml")
    assert Path("same.xml").read_text() == text
    done("Fingerprint", mine, "-o", "folder/", *minimal[:2], "--names", "other.csv")
    assert len(list(Path("folder").iterdir())) == len(key) - 1
