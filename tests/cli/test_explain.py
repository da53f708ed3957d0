"""--explain: the shared terms that weigh most, in every format."""

from __future__ import annotations

import csv
import io
import json

import pytest

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
    line = shelf.line(verb, PRINT=shelf.minimal)
    outcome = done(*line, shelf.minimal, "-m", "cosine", "--explain", "--format", "table")
    assert "common" in outcome.text
    assert "warning: the shared terms of 1 result are not listed" in outcome.err
    assert "-d" in outcome.err
    quiet = done(*line, shelf.minimal, "-m", "cosine", "--explain", "--quiet")
    assert quiet.err == ""


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
