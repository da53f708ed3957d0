"""FindSimilar with fingerprints in place of documents, as a user has it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .command import CONFIGS, NOISE, check_partly, check_refused, done, here, parsed, prose, shell
from .conftest import Shelf

SHINGLES = """
tokenizer = "words"
filters = ["lowercase", "strip-punctuation"]
shingler = "words"
fingerprint = "minhash"
index = "bands"
"""


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


def test_a_container_names_its_documents_where_it_has_their_names(
    shelf: Shelf, stored: str
) -> None:
    texts = sorted(shelf.texts.iterdir())[:3]
    make = ("Fingerprint", "-d", shelf.trimmed, *texts)
    done(*make, "--profile", "evidence", "-o", "named.xml")
    done(*make, "--profile", "minimal", "-o", "share.xml")
    rows = hits(stored, "-i", "named.xml", "-i", "share.xml", "-s", 99)
    assert rows == [
        *((f"named.xml#{path.name}", path.name, "99") for path in texts),
        *((f"share.xml#{place}", path.name, "99") for place, path in enumerate(texts, 1)),
    ]


def test_segments_find_the_documents_that_hold_them(shelf: Shelf, stored: str) -> None:
    done("Fingerprint", "-i", shelf.document, "-d", shelf.trimmed, "--segment", 60, "-o", "s.xml")
    rows = hits(stored, "-i", "s.xml", "-m", "containment", "-s", 90)
    assert ("s.xml", "007.txt", "99") in rows
    assert len({row[1] for row in rows}) == len(rows)


def test_documents_and_fingerprints_are_asked_together(
    shelf: Shelf, stored: str, copy: str
) -> None:
    rows = hits(stored, "-i", shelf.minimal, "-i", copy, "-s", 99)
    assert rows == [
        (copy, "007.txt", "99"),
        (str(shelf.minimal), "007.txt", "99"),
    ]
    piped = shell(f'"$@" < {shelf.minimal}', "FindSimilar", stored, "-i", "-", "-s", 99)
    assert (piped.code, [row["document"] for row in piped.table]) == (0, ["007.txt"])


def test_collections_with_shingles_answer_fingerprints_by_their_bits(shelf: Shelf) -> None:
    chain = (CONFIGS / "english.toml").read_text("utf-8")
    Path("recipe.toml").write_text(chain + 'shingler = "words"\n', "utf-8")
    done("AddDocuments", "both.sdx", shelf.texts, "-d", shelf.trimmed, "-c", "recipe.toml")
    assert hits("both.sdx", "-i", shelf.minimal, "-s", 99)[0][1:] == ("007.txt", "99")


def test_a_dictionary_that_the_collection_lacks_is_one_line_with_both(
    shelf: Shelf, stored: str
) -> None:
    texts = sorted(shelf.texts.iterdir())[:3]
    done("Fingerprint", "-d", shelf.dictionary, "-o", "whole.xml", *texts)
    guids = [parsed(path).get("guid") for path in (shelf.dictionary, shelf.trimmed)]
    refused = here("FindSimilar", stored, "-i", "whole.xml")
    check_refused(refused, 4, "whole.xml", *guids)
    mixed = here("FindSimilar", stored, "-i", "whole.xml", "-i", shelf.minimal, "-s", 99)
    check_partly(mixed, 3, "whole.xml")
    assert [row["document"] for row in mixed.table] == ["007.txt"]


def test_a_collection_without_a_dictionary_says_so(shelf: Shelf, copy: str) -> None:
    Path("recipe.toml").write_text(SHINGLES, "utf-8")
    done("AddDocuments", "x.sdx", shelf.texts, "-c", "recipe.toml")
    refused = here("FindSimilar", "x.sdx", "-i", shelf.minimal)
    check_refused(refused, 4)
    mixed = here("FindSimilar", "x.sdx", "-i", shelf.minimal, "-i", copy, "-s", 99)
    check_partly(mixed, 3, str(shelf.minimal))
    assert [row["document"] for row in mixed.table] == ["007.txt"]


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


def test_short_fingerprints_and_matchers_of_texts_are_explained(shelf: Shelf, stored: str) -> None:
    Path("short.txt").write_text(prose(7, 3), "utf-8")
    Path("noise.txt").write_bytes(NOISE)
    done("Fingerprint", "-i", "short.txt", "-d", shelf.trimmed, "-o", "short.xml")
    short = done("FindSimilar", stored, "-i", "short.xml")
    assert any("short.xml" in line and "at least 8" in line for line in short.errors)
    check_refused(here("FindSimilar", stored, "-i", shelf.full, "-m", "edit"), 4, "edit", "cosine")
    check_refused(here("FindSimilar", stored, "-i", shelf.full, "--recall", 0.9), 4)
    partly = here("FindSimilar", stored, "-i", "noise.txt", "-i", shelf.full, "-s", 99)
    check_partly(partly, 3, "noise.txt")


def test_columns_and_a_scan_give_the_same_rows(shelf: Shelf, stored: str) -> None:
    for verb, *arguments in (
        ("FindPairs", stored, "-s", "1"),
        ("FindSimilar", stored, "-i", shelf.document, "-i", shelf.minimal),
    ):
        by_columns = done(verb, *arguments, "--index", "columns", "--format", "json")
        by_scan = done(verb, *arguments, "--index", "scan", "--format", "json")
        assert by_columns.json["rows"]
        assert by_columns.json == by_scan.json
        refused = here(verb, *arguments, "--index", "bands")
        check_refused(refused, 2)
