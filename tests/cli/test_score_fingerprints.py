"""ScoreFingerprints: every matcher by its formula, and what does not compare."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import check_refused, done, here

from .conftest import Shelf


def test_a_container_is_not_one_fingerprint(shelf: Shelf) -> None:
    done("Fingerprint", "-d", shelf.trimmed, "-o", "c.xml", *sorted(shelf.texts.iterdir())[:3])
    refused = here("ScoreFingerprints", "-f", shelf.full, "-f", "c.xml")
    check_refused(refused, 2, "c.xml", "3", "CompareDirectory")


def test_equal_vectors_of_few_terms_are_a_warning(folder: Path) -> None:
    (folder / "a.txt").write_text("Short text here.", "utf-8")
    (folder / "b.txt").write_text("Another short text.", "utf-8")
    outcome = done("ScoreFingerprints", "a.txt", "b.txt", "-d", "english")
    assert "warning: only 2 terms of the dictionary on one side" in outcome.err
    rows = done("CompareDirectory", "a.txt", "a.txt", ".", "-d", "english", "--format", "json")
    assert len(rows.json["rows"]) == 1
