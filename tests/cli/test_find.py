"""FindPairs and FindSimilar as a user has them."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sdtext
from sdtext.search import set_search

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
HOW = "bands: 21 of 6 rows; a pair at jaccard 0.80 is found with probability 0.9983; "
"""How pairs are found by that recipe."""
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


def test_all_similar_pairs_come_best_first(stored: str, texts: Path) -> None:
    outcome = here("FindPairs", stored, "--recall", "0.9999")
    assert outcome.code == 0
    expected = sorted(
        (-similarity(first, other), first.name, other.name)
        for first, other in combinations(sorted(texts.iterdir()), 2)
        if similarity(first, other) >= 0.8
    )
    assert len(expected) == 4
    rows = [(row["left"], row["right"]) for row in outcome.table]
    assert rows == [(left, right) for _, left, right in expected]
    assert [float(row["similarity"]) for row in outcome.table] == pytest.approx(
        [-score for score, _, _ in expected]
    )
    assert [int(row["score"]) for row in outcome.table] == [
        min(99, int(-100 * score)) for score, _, _ in expected
    ]


def test_the_search_method_is_reported_with_the_curve(stored: str) -> None:
    outcome = done("FindPairs", stored, "--recall", "0.99", "--format", "json")
    assert outcome.errors == [f"{HOW}verified exactly; minimum score 80", CURVE, "4 pairs found"]
    assert outcome.json["how"] == f"{HOW}verified exactly; minimum score 80"
    assert [0.8, pytest.approx(0.9983, abs=1e-4)] in outcome.json["curve"]
    outcome = done("FindPairs", stored, "--format", "json")
    assert outcome.errors == [
        "all shingles compared; verified exactly; minimum score 80",
        "4 pairs found",
    ]
    assert outcome.json["curve"] == []
    reported = done("FindPairs", stored, "--format", "json").json
    assert (reported["schema"], reported["how"]) == ("sdtext/pairs/1", outcome.json["how"])
    assert reported["problems"] == []
    columns = ["left", "right", "score", "similarity", "left_id", "right_id"]
    assert list(reported["rows"][0]) == columns


def test_a_lower_minimum_and_a_top_choose_the_rows(stored: str, texts: Path) -> None:
    few = pairs(stored)
    more = pairs(stored, "-s", "40", "--recall", "0.9999")
    assert more[: len(few)] == few
    assert more[len(few) :] == [("002.txt", "c.txt")]
    assert similarity(texts / "002.txt", texts / "c.txt") < 0.8
    assert pairs(stored, "-s", "40", "-k", "2") == few[:2]


def test_a_condition_chooses_the_documents(stored: str) -> None:
    assert pairs(stored, "--where", "year >= 2020") == [("001.txt", "b.txt")]
    outcome = here("FindPairs", stored, "--where", "year >=")
    check_refused(outcome, 2, "where")


def test_another_matcher_finds_other_pairs(stored: str, texts: Path) -> None:
    (texts / "e.txt").write_text(" ".join(prose(5, 100).split()[:50]), "utf-8")
    done("AddDocuments", "x.sdx", texts)
    assert ("005.txt", "e.txt") not in pairs(stored)
    assert ("e.txt", "005.txt") in pairs(stored, "-m", "containment", "-s", "95")
    assert pairs(stored, "-m", "edit", "-s", "90")
    check_refused(here("FindPairs", stored, "-m", "no-such"), 2, "no-such")
    check_refused(here("FindPairs", stored, "-m", "idf-cosine"), 4)


def test_an_estimate_says_that_it_is_one(stored: str) -> None:
    outcome = done("FindPairs", stored, "--estimate")
    assert (
        outcome.errors[0]
        == f"{HOW}scores are estimates from sketches, not verified; minimum score 80"
    )
    scores = {(row["left"], row["right"]): int(row["score"]) for row in outcome.table}
    assert scores[("003.txt", "d.txt")] == 99


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


def test_pairs_between_two_collections(stored: str, folder: Path) -> None:
    new = folder / "new"
    new.mkdir()
    (new / "x.txt").write_text(edited(prose(1, 100), 1), "utf-8")
    (new / "y.txt").write_text(prose(99, 100), "utf-8")
    done("AddDocuments", "y.sdx", new, "-c", "recipe.toml")
    assert set(pairs("y.sdx", stored)) == {
        ("x.txt", name) for name in ("001.txt", "a.txt", "b.txt")
    }
    assert {right for _, right in pairs(stored, "y.sdx")} == {"x.txt"}


def test_nothing_found_is_an_exit_code_on_demand(stored: str) -> None:
    assert here("FindPairs", stored, "--where", "year = 1", "--exit-code").code == 1
    assert here("FindPairs", stored, "--where", "year = 1").code == 0
    assert here("FindPairs", stored, "--exit-code").code == 0
    Path("other.txt").write_text(prose(77), "utf-8")
    assert here("FindSimilar", stored, "-i", "other.txt", "--exit-code").code == 1
    assert here("FindSimilar", stored, "-i", "other.txt").code == 0


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


def similar_rows(*arguments: object) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = done("FindSimilar", *arguments, "--format", "json").json["rows"]
    return rows


def test_what_resembles_documents_comes_with_what_is_known_of_it(stored: str, folder: Path) -> None:
    (folder / "q.txt").write_text(edited(prose(1, 100), 1), "utf-8")
    rows = similar_rows(stored, "-i", "q.txt")
    assert [row["document"] for row in rows] == ["a.txt", "001.txt", "b.txt"]
    assert {row["query"] for row in rows} == {"q.txt"}
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    assert rows[0]["similarity"] == 1
    assert [row["metadata"] for row in rows] == [
        {"year": 2019, "by": "HUT"}, {"year": 2021, "by": "TKK"}, {"year": 2020}
    ]  # fmt: skip
    table = done("FindSimilar", stored, "-i", "q.txt", "--where", "year > 2019").table
    assert [row["document"] for row in table] == ["001.txt", "b.txt"]
    assert json.loads(table[0]["metadata"]) == {"year": 2021, "by": "TKK"}


def test_every_query_has_its_best_rows(stored: str, texts: Path) -> None:
    names = ["001.txt", "003.txt"]
    rows = similar_rows(stored, "-i", texts / names[0], texts / names[1], "-k", "1")
    assert [(Path(row["query"]).name, row["document"]) for row in rows] == [
        ("001.txt", "a.txt"), ("003.txt", "d.txt")
    ]  # fmt: skip
    for copied in texts.iterdir():
        shutil.copy(copied, f"copy-{copied.name}")
    copies = sorted(Path().glob("copy-*.txt"))
    assert len({row["query"] for row in similar_rows(stored, "-i", *copies)}) == 10
    outcome = done("FindSimilar", stored, "-i", "copy-d.txt")
    assert outcome.errors[-1] == "2 documents found"
    assert "verified exactly" in outcome.errors[0]


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


@pytest.mark.usefixtures("folder")
def test_the_best_ten_are_listed_by_default_however_low_they_score() -> None:
    query = Path("query.txt")
    query.write_text(prose(1, 400), "utf-8")
    words = prose(1, 400).split()
    inbox = Path("inbox")
    inbox.mkdir()
    for number in range(12):
        start = 30 * number  # a tenth of the query, in another text
        piece = " ".join(words[start : start + 40])
        (inbox / f"{number:02}.txt").write_text(f"{prose(100 + number, 300)} {piece}\n", "utf-8")
    (inbox / "other.txt").write_text(prose(99, 300), "utf-8")
    recipe = Path("words.toml")
    recipe.write_text('tokenizer = "words"\nshingler = { name = "words", length = 5 }\n', "utf-8")
    done("AddDocuments", "inbox.sdx", inbox, "-c", recipe)
    outcome = done("FindSimilar", "inbox.sdx", "-i", query)
    scores = [int(row["score"]) for row in outcome.table]
    assert len(scores) == 10
    assert 3 <= min(scores) <= max(scores) < 20
    assert (
        "only the best 10 of each query are listed (a minimum score lists all)" in outcome.errors[0]
    )
    everything = done("FindSimilar", "inbox.sdx", "-i", query, "-s", "3")
    assert {row["document"] for row in everything.table} == {f"{n:02}.txt" for n in range(12)}
    assert "only the best" not in everything.err
    assert done("FindSimilar", "inbox.sdx", "-i", query, "-s", "80").table == []


def write_records(path: str, texts: Sequence[str]) -> str:
    rows = [{"id": f"r{place}", "text": text} for place, text in enumerate(texts)]
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_each_record_is_a_query_of_its_own(stored: str) -> None:
    path = write_records("q.jsonl", [prose(3, 100), prose(77, 100), edited(prose(1, 100), 1)])
    rows = similar_rows(stored, "-i", path)
    assert [(row["query"], row["document"]) for row in rows] == [
        ("r0", "003.txt"), ("r0", "d.txt"), ("r2", "a.txt"), ("r2", "001.txt"), ("r2", "b.txt")
    ]  # fmt: skip
    other = Path("o.jsonl")
    other.write_text(json.dumps({"doi": "10/x", "body": prose(3, 100)}), "utf-8")
    named = ("--text-field", "body", "--id-field", "doi")
    assert {row["query"] for row in similar_rows(stored, "-i", other, *named)} == {"10/x"}
    both = here("FindSimilar", stored, "-i", path, other)
    check_refused(both, 2)
    rows = similar_rows(stored, "-i", path, "texts/d.txt", "-k", "1")
    assert [row["query"] for row in rows] == ["q.jsonl#r0", "q.jsonl#r2", "texts/d.txt"]


def test_records_may_be_parquet_or_come_by_the_standard_input(stored: str) -> None:
    rows = [{"id": "r0", "text": prose(3, 100)}, {"id": "r1", "text": prose(3, 100)}]
    pq.write_table(pa.Table.from_pylist(rows), "q.parquet")
    assert {row["query"] for row in similar_rows(stored, "-i", "q.parquet")} == {"r0", "r1"}
    data = gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    outcome = here("FindSimilar", stored, "-i", "-", stdin=data)
    assert {row["query"] for row in outcome.table} == {"r0", "r1"}
    plain = here("FindSimilar", stored, "-i", "-", stdin=prose(3, 100).encode())
    assert {row["query"] for row in plain.table} == {"-"}


def test_a_bad_record_stops_no_other(stored: str) -> None:
    path = write_records("q.jsonl", [prose(3, 100)])
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("nonsense\n" + json.dumps({"id": None, "text": prose(1)}))
    outcome = here("FindSimilar", stored, "-i", path)
    check_partly(outcome, 3, "line 2: is not JSON", "line 3: its id is null")
    assert [row["document"] for row in outcome.table] == ["003.txt", "d.txt"]


def test_the_curve_is_reported_where_bands_were_used_alone(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy("texts/d.txt", "copy.txt")
    plain = done("FindSimilar", stored, "-i", "copy.txt", "--format", "json")
    assert plain.json["curve"] == []
    assert "S-curve" not in plain.err
    monkeypatch.setattr(set_search, "MOST_SCANNED", 0)
    outcome = done("FindSimilar", stored, "-i", "copy.txt", "-s", "80", "--format", "json")
    assert outcome.json["how"] == f"{HOW}verified exactly; minimum score 80"
    assert [0.8, pytest.approx(0.9983, abs=1e-4)] in outcome.json["curve"]
    assert outcome.errors == [outcome.json["how"], CURVE, "2 documents found"]


def test_a_bad_query_stops_no_other(stored: str, texts: Path) -> None:
    Path("noise.bin").write_bytes(NOISE)
    outcome = here("FindSimilar", stored, "-i", "noise.bin", "nowhere", texts / "d.txt")
    check_partly(outcome, 3, "noise.bin", "nowhere")
    assert [row["document"] for row in outcome.table] == ["003.txt"]
    check_named(here("FindSimilar", stored, "-i", "nowhere"), 3, "nowhere")


def test_a_collection_of_bit_vectors_is_searched_too(texts: Path) -> None:
    Path("recipe.toml").write_text(RECIPE, "utf-8")
    done("CreateDictionary", "-o", "d.xml", "-p", texts, "-c", "recipe.toml")
    done("AddDocuments", "bits.sdx", texts, "-d", "d.xml")
    outcome = done("FindPairs", "bits.sdx", "-s", "90")
    assert ("003.txt", "d.txt", "99") in [
        (row["left"], row["right"], row["score"]) for row in outcome.table
    ]
    assert "S-curve" not in outcome.err
    rows = similar_rows("bits.sdx", "-i", shutil.copy(texts / "d.txt", "copy.txt"), "-k", "2")
    assert {row["document"] for row in rows} == {"003.txt", "d.txt"}


@pytest.mark.parametrize("data", [None, b"", b"%PDF-1.7\n"])
def test_nothing_is_found_for_queries_that_cannot_be_read(stored: str, data: bytes | None) -> None:
    if data is not None:
        Path("query.pdf").write_bytes(data)
    outcome = here("FindSimilar", stored, "query.pdf")
    check_refused(outcome, 3, "query.pdf: ")
    assert outcome.out == b""
