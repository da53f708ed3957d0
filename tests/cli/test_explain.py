"""--explain: the shared terms that weigh most, in every format."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

import sdtext
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.reports.row_formats import write_rows

from .command import Argument, done, here
from .conftest import Shelf
from .test_terminal import CONTROL, EVIL


def explained(*arguments: Argument) -> list[dict[str, object]]:
    record = done(*arguments, "--explain", "--format", "json").json
    row = record["rows"][0] if "rows" in record else record
    terms: list[dict[str, object]] = row["shared_terms"]
    return terms


def test_both_verbs_list_the_same_terms_in_every_format(shelf: Shelf) -> None:
    other = shelf.texts / "008.txt"
    line = ("-f", shelf.full, "-p", other)
    terms = explained("CompareDirectory", *line)
    assert len(terms) == 10
    assert explained("ScoreFingerprints", "-f", shelf.full, "-f", other) == terms
    tsv = done("CompareDirectory", *line, "--explain", "--format", "tsv").table
    assert json.loads(tsv[0]["shared_terms"]) == terms
    listed = done("CompareDirectory", *line, "--explain", "--format", "csv").text
    assert json.loads(next(csv.DictReader(io.StringIO(listed)))["shared_terms"]) == terms
    for command in (["CompareDirectory", *line], ["ScoreFingerprints", shelf.full, other]):
        table = done(*command, "--explain", "--format", "table").text
        assert max(map(len, table.splitlines())) <= 80
        places = [table.index(f"{term['term']} ") for term in terms]
        assert places == sorted(places)


def test_without_the_option_nothing_is_explained(shelf: Shelf) -> None:
    for verb in (["CompareDirectory", "-p", shelf.texts], ["ScoreFingerprints", "-f", shelf.full]):
        plain = here(*verb, "-f", shelf.full, "--format", "json")
        assert b"shared_terms" not in plain.out


@pytest.mark.parametrize("verb", ["ScoreFingerprints -f PRINT -f", "CompareDirectory -p PRINT -f"])
def test_without_the_dictionary_there_are_counts_and_a_warning(shelf: Shelf, verb: str) -> None:
    copy = shutil.copy(shelf.minimal, "print.xml")  # its dictionary is not beside it
    line = shelf.line(verb, PRINT=copy)
    outcome = done(*line, copy, "-m", "cosine", "--explain", "--format", "table")
    assert "common" in outcome.text
    assert "warning: the shared terms of 1 result are not listed" in outcome.err
    assert "-d" in outcome.err
    quiet = done(*line, copy, "-m", "cosine", "--explain", "--quiet")
    assert quiet.err == ""


LEFT = "The ferry waits for the miller at dawn and takes the barley down the river to the harbour"
RIGHT = "Every spring the miller at dawn and takes the barley down to the old market of the harbour"


@pytest.mark.parametrize("keeps", ["", "--keep-text"])
def test_pairs_of_a_collection_have_the_runs_that_both_texts_share(keeps: str) -> None:
    for name, text in {"left.txt": LEFT, "right.txt": RIGHT}.items():
        Path(name).write_text(text, "utf-8")
    done("AddDocuments", "t.sdx", "left.txt", "right.txt", "-c", "deduplicate", *keeps.split())
    pair = done("FindPairs", "t.sdx", "-s", "1", "--explain", "--format", "json")
    Path("copy.txt").write_text(LEFT, "utf-8")
    hits = done("FindSimilar", "t.sdx", "copy.txt", "-s", "1", "--explain", "--format", "json")
    [row] = pair.json["rows"]
    run = "the miller at dawn and takes the barley down"
    assert row["shared_terms"] == [{"term": run, "idf": None, "share": 1.0}]
    assert run in LEFT
    assert run in RIGHT
    assert [row["shared_terms"] for row in hits.json["rows"] if row["document"] == "right.txt"] == [
        [{"term": run, "idf": None, "share": 1.0}]
    ]
    [whole] = [row for row in hits.json["rows"] if row["document"] == "left.txt"]
    assert [len(item["term"]) for item in whole["shared_terms"]] == [80]
    Path("left.txt").write_text(LEFT + " changed", "utf-8")
    changed = done("FindPairs", "t.sdx", "-s", "1", "--explain", "--format", "json")
    assert (changed.json["rows"][0]["shared_terms"] is None) == (not keeps)
    assert ("of 1 result share is not listed" in changed.err) == (not keeps)
    assert [item["category"] for item in changed.json["problems"]] == ["no-text"] * (not keeps)
    assert "explain" not in done("FindPairs", "t.sdx", "-s", "1").err


@pytest.mark.parametrize("keeps", [False, True])
def test_results_of_the_library_warn_of_texts_that_are_not_available(*, keeps: bool) -> None:
    for name, text in {"left.txt": LEFT, "right.txt": RIGHT}.items():
        Path(name).write_text(text, "utf-8")
    with sdtext.create("t.sdx", recipe="deduplicate", keep_text=keeps) as collection:
        collection.add(["left.txt", "right.txt"])
        Path("left.txt").write_text(LEFT + " changed", "utf-8")
        pairs = collection.pairs(similarity=0.1, explain=3)
        for found in (
            pairs,
            collection.similar(sdtext.Document.of(RIGHT), similarity=0.1, explain=3),
        ):
            absent = [row for row in found if row.shared_terms is None]
            assert bool(absent) == (not keeps)
            messages = [problem.message for problem in found.problems]
            assert all("keeps texts" in message for message in messages)
            assert len(messages) == bool(absent)


def test_pairs_by_bit_vectors_have_the_rarest_terms(shelf: Shelf) -> None:
    done("AddDocuments", "t.sdx", shelf.texts, "-d", shelf.trimmed)
    outcome = done("FindPairs", "t.sdx", "-s", "1", "-k", "1", "--explain", "--format", "json")
    terms = outcome.json["rows"][0]["shared_terms"]
    weights = [term["idf"] for term in terms]
    assert 0 < len(terms) <= 10
    assert weights == sorted(weights, reverse=True)
    assert {term["term"] for term in terms} <= set(load_dictionary(shelf.trimmed).terms)


@pytest.mark.parametrize("form", ["table", "tsv", "csv", "json", "jsonl"])
def test_terms_of_strangers_do_not_control_the_terminal(form: str) -> None:
    class Terminal(io.BytesIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    terms = [{"term": EVIL, "idf": 1.0, "share": 0.5}]
    columns = ["path", "shared_terms"]
    write_rows(screen, form, columns, [{"path": "a", "shared_terms": terms}], {})
    text = screen.getvalue().decode()
    assert "owned" in text
    assert not CONTROL.search(text.replace("\n", ""))
    assert "\nfake" not in text
