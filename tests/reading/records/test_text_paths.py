"""Texts of records by a path, and ids that repeat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sdtext
from sdtext.errors import OptionError
from sdtext.model import Problem
from sdtext.reading.records.record import Fields, named_text
from sdtext.reading.records.record_files import records_in
from tests.support.cases import cases
from tests.support.command import here

ROW = {
    "id": 7,
    "meta": {"text": "Bees dance."},
    "messages": [{"content": "Who?"}, {"role": "x"}, {"content": "Bees."}],
    "parts": [{"text": [{"text": "a"}, {"text": "b"}]}],
    "a.b": "own",
}


@cases(
    "path, text",
    [
        ("meta.text", "Bees dance."),
        ("messages[].content", "Who?\nBees."),
        ("messages[0].content", "Who?"),
        ("parts[].text[].text", "a\nb"),
        ("a.b", "own"),
    ],
)
def test_a_path_names_a_text(path: str, text: str) -> None:
    assert named_text(ROW, Fields(path), 1) == ("1", text)


@cases("path", ["meta.none", "messages[].none", "[", "sum(id)[]", "meta", "messages[]"])
def test_a_path_to_no_text_is_a_reason(path: str) -> None:
    assert isinstance(named_text(ROW, Fields(path), 1), str)


def test_a_verb_takes_a_path(tmp_path: Path) -> None:
    path, kept = tmp_path / "a.jsonl", tmp_path / "kept.jsonl"
    texts = ["Bees dance in their hives on coming home."] * 2 + ["A farmer fills three baskets."]
    rows = [json.dumps({"messages": [{"content": text}]}) for text in texts]
    path.write_text("\n".join(rows) + "\n")
    outcome = here("Deduplicate", path, "--text-field", "messages[].content", "-o", kept)
    assert outcome.code == 0, outcome.err
    assert kept.read_text().splitlines() == [rows[0], rows[2]]
    problems: list[Problem] = []
    records = list(records_in(path, Fields("messages[].content"), problems.append))
    assert [record.text for record in records] == texts
    assert not problems


def test_nothing_is_cut_from_a_text_at_a_path() -> None:
    text = "Bees dance in their hives when they come home from the meadow. " * 9
    rows = [{"meta": {"text": f"{text}{number}"}} for number in range(2)]
    with pytest.raises(OptionError, match="text_field"):
        sdtext.deduplicate(rows, text_field="meta.text", unit="sentence")


def test_ids_that_repeat_are_reported_once(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    outcome = here("Deduplicate", "tests/samples/cases/dupid.jsonl", "-o", kept)
    (warning,) = [line for line in outcome.errors if "earlier" in line]
    for said in ("2 records", "'a'", "1", "2"):
        assert said in warning
