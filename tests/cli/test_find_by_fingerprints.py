"""FindSimilar with fingerprints in place of documents, as a user has it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .command import check_partly, check_refused, done, here
from .conftest import Shelf


@pytest.fixture
def stored(shelf: Shelf) -> str:
    done("AddDocuments", "x.sdx", shelf.texts, "-d", shelf.trimmed)
    return "x.sdx"


@pytest.fixture
def copy(shelf: Shelf) -> str:
    """A copy of the document: the stored file itself is not among what is similar to it."""
    return shutil.copy(shelf.document, "copy.txt")


def hits(*arguments: object) -> list[tuple[str, str, str]]:
    rows = done("FindSimilar", *arguments).table
    return [(row["query"], row["document"], row["score"]) for row in rows]


def test_a_fingerprint_finds_what_its_document_finds(shelf: Shelf, stored: str, copy: str) -> None:
    by_text = hits(stored, "-i", copy)
    assert by_text[0][1:] == ("007.txt", "99")
    for path in (shelf.full, shelf.minimal):
        by_print = hits(stored, "-i", path)
        assert [row[1:] for row in by_print] == [row[1:] for row in by_text]
        assert {row[0] for row in by_print} == {str(path)}


@pytest.mark.parametrize(
    "matcher", ["cosine", "containment", "idf-cosine(power=2)", "surprise", "exact"]
)
def test_every_matcher_scores_fingerprints_as_documents(
    shelf: Shelf, stored: str, copy: str, matcher: str
) -> None:
    by_text = hits(stored, "-i", copy, "-m", matcher, "-s", 1)
    by_print = hits(stored, "-i", shelf.minimal, "-m", matcher, "-s", 1)
    assert [row[1:] for row in by_print] == [row[1:] for row in by_text]


def test_a_damaged_container_gives_what_is_intact(shelf: Shelf, stored: str) -> None:
    texts = sorted(shelf.texts.iterdir())[:3]
    done("Fingerprint", "-d", shelf.trimmed, "--profile", "minimal", "-o", "c.xml", *texts)
    whole = Path("c.xml").read_bytes()
    Path("cut.xml").write_bytes(whole[: whole.rindex(b"<fingerprint ") + 20])
    Path("none.xml").write_bytes(whole[:100])
    partly = here("FindSimilar", stored, "-i", "cut.xml", "-s", 99)
    check_partly(partly, 3, "cut.xml")
    assert [row["document"] for row in partly.table] == [path.name for path in texts[:2]]
    check_refused(here("FindSimilar", stored, "-i", "none.xml"), 5, "none.xml")
