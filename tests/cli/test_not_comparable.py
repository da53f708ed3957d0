"""What CompareDirectory says of documents and fingerprints that do not compare."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.command import done, here, write_texts

from .conftest import Shelf


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
