"""FindPairs and FindSimilar as a user has them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import sdtext

from .command import (
    NOISE,
    check_named,
    check_partly,
    check_refused,
    check_usage,
    done,
    here,
    prose,
    write_texts,
)

RECIPE = """
tokenizer = "words"
filters = ["lowercase", "strip-punctuation"]
shingler = "words"
fingerprint = "minhash"
index = "bands"
matcher = "jaccard"
"""
CURVE = (
    "S-curve: jaccard 0.1: 0.000, 0.2: 0.001, 0.3: 0.015, 0.4: 0.083, 0.5: 0.282, 0.6: 0.633, "
    "0.7: 0.928, 0.8: 0.9983, 0.9: 1.0000"
)


def edited(text: str, words: int) -> str:
    """`text` with so many of its first words replaced."""
    result = text.split()
    return " ".join([*(f"new{place}" for place in range(words)), *result[words:]])


def similarity(first: Path, other: Path) -> float:
    """The share of word 5-shingles that two texts have in common, plainly."""

    def shingles(path: Path) -> set[tuple[str, ...]]:
        words = path.read_text("utf-8").lower().replace(".", "").split()
        return {tuple(words[place : place + 5]) for place in range(len(words) - 4)}

    left, right = shingles(first), shingles(other)
    return len(left & right) / len(left | right)


@pytest.fixture
def texts(folder: Path) -> Path:
    """Ten texts, two of which others resemble."""
    texts = write_texts(folder / "texts", 6, words=100)
    for name, seed, words in (("a", 1, 1), ("b", 1, 6), ("c", 2, 40)):
        (texts / f"{name}.txt").write_text(edited(prose(seed, 100), words), "utf-8")
    (texts / "d.txt").write_text(prose(3, 100), "utf-8")
    return texts


@pytest.fixture
def stored(texts: Path) -> str:
    Path("recipe.toml").write_text(RECIPE, "utf-8")
    Path("facts.csv").write_text("file,year,by\na.txt,2019,HUT\nb.txt,2020,\n001.txt,2021,TKK\n")
    done("AddDocuments", "x.sdx", texts, "-c", "recipe.toml", "--metadata", "facts.csv")
    return "x.sdx"


def pairs(*arguments: object) -> list[tuple[str, str]]:
    rows = done("FindPairs", *arguments, "--format", "json").json["rows"]
    return [(row["left"], row["right"]) for row in rows]


def test_another_recipe_with_the_same_chain_needs_no_files(stored: str, texts: Path) -> None:
    for path in texts.iterdir():
        path.unlink()
    finer = RECIPE.replace('shingler = "words"', 'shingler = { name = "words", length = 2 }')
    Path("finer.toml").write_text(finer, "utf-8")
    rows = done("FindPairs", stored, "-c", "finer.toml", "-s", "85", "--format", "json").json[
        "rows"
    ]
    usual = done("FindPairs", stored, "-s", "85", "--format", "json").json["rows"]
    assert len(rows) >= len(usual) > 0
    assert rows != usual
    Path("other.toml").write_text(RECIPE.replace('"lowercase", ', ""), "utf-8")
    check_refused(here("FindPairs", stored, "-c", "other.toml"), 4)


def test_what_is_no_collection_is_refused(texts: Path) -> None:
    check_refused(here("FindPairs", "nowhere.sdx"), 3, "nowhere.sdx")
    for verb in (("FindPairs", texts), ("FindSimilar", texts, "-i", texts / "a.txt")):
        outcome = here(*verb)
        assert outcome.code in (3, 5)
        check_refused(outcome, outcome.code, "texts")


@pytest.mark.parametrize(
    "wrong", [("-s", "100"), ("-s", "-1"), ("--recall", "1"), ("-k", "0"), ("--recall", "often")]
)
def test_values_out_of_range_are_refused(wrong: tuple[str, str], stored: str) -> None:
    check_usage(here("FindPairs", stored, *wrong), wrong[1])
    check_usage(here("FindSimilar", stored, "-i", "a.txt", *wrong), wrong[1])


def test_a_stored_file_is_not_similar_to_itself_but_to_its_copies(texts: Path) -> None:
    records = [{"id": name, "text": prose(1)} for name in "ab"]
    Path("r.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    shutil.copy(texts / "001.txt", texts / "same.txt")
    done("AddDocuments", "x.sdx", texts, "r.jsonl", "-c", "deduplicate")
    link = Path("link.txt")
    link.symlink_to(texts / "001.txt")
    for query in (texts / "001.txt", link):
        outcome = done("FindSimilar", "x.sdx", query, "-s", 99)
        assert [row["document"] for row in outcome.table] == ["same.txt"]
        assert "; 1 document not compared with its own stored copy" in outcome.errors[0]
    with sdtext.open("x.sdx") as collection:
        paths = collection.similar(texts / "001.txt", similarity=0.99)
        memory = collection.similar(sdtext.Document.of(prose(1), "r.jsonl/a"), similarity=0.99)
    assert [row.document for row in paths.rows] == ["same.txt"]
    assert {"a", "b"} <= {row.document for row in memory.rows}
    rows = done("FindSimilar", "x.sdx", "r.jsonl", "-s", 99).table
    assert [(row["query"], row["document"]) for row in rows if row["document"] in "ab"] == [
        ("a", "b"),
        ("b", "a"),
    ]
    (texts / "001.txt").write_text(prose(1) + prose(2, 20), "utf-8")
    changed = done("FindSimilar", "x.sdx", texts / "001.txt").table
    assert {"001.txt", "same.txt"} <= {row["document"] for row in changed}


def test_a_bad_query_stops_no_other(stored: str, texts: Path) -> None:
    Path("noise.bin").write_bytes(NOISE)
    outcome = here("FindSimilar", stored, "-i", "noise.bin", "nowhere", texts / "d.txt")
    check_partly(outcome, 3, "noise.bin", "nowhere")
    assert [row["document"] for row in outcome.table] == ["003.txt"]
    check_named(here("FindSimilar", stored, "-i", "nowhere"), 3, "nowhere")


@pytest.mark.parametrize("data", [None, b"", b"%PDF-1.7\n"])
def test_nothing_is_found_for_queries_that_cannot_be_read(stored: str, data: bytes | None) -> None:
    if data is not None:
        Path("query.pdf").write_bytes(data)
    outcome = here("FindSimilar", stored, "query.pdf")
    check_refused(outcome, 3, "query.pdf: ")
    assert outcome.out == b""
