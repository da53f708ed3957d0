"""Texts of records by a path, and ids that repeat."""

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
    "id": 7, "meta": {"text": "Bees dance."},
    "messages": [{"content": "Who?"}, {"role": "x"}, {"content": "Bees."}],
    "parts": [{"text": [{"text": "a"}, {"text": "b"}]}], "a.b": "own",
}  # fmt: skip


@cases("path, text", [
    ("meta.text", "Bees dance."), ("messages[].content", "Who?\nBees."),
    ("messages[0].content", "Who?"), ("parts[].text[].text", "a\nb"), ("a.b", "own"),
])  # fmt: skip
def test_a_path_names_a_text(path: str, text: str) -> None:
    assert named_text(ROW, Fields(path), 1) == ("1", text)


@cases("path", ["meta.none", "messages[].none", "[", "sum(id)[]", "meta", "messages[]"])
def test_a_path_to_no_text_is_a_reason(path: str) -> None:
    assert isinstance(named_text(ROW, Fields(path), 1), str)


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


def test_a_path_means_the_same_in_every_format(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": str(number), "turns": [{"text": "Who dances?"}, {"text": f"Bees, {number}."}]}
        for number in range(3)
    ]
    frame = pa.Table.from_pylist(rows)
    pq.write_table(frame, tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "a.json").write_text(json.dumps(rows))
    (tmp_path / "one.json").write_text(json.dumps(rows[0]))
    expected = [f"Who dances?\nBees, {number}." for number in range(3)]
    for given in (frame, rows, *(tmp_path / f"a.{end}" for end in ("parquet", "jsonl", "json"))):
        with sdtext.create(recipe="short-texts", keep_text=True) as collection:
            collection.add(given, text_field="turns[].text")
            assert [text for _, text in collection.texts()] == expected
        done = sdtext.deduplicate(given, text_field="turns[].text", similarity=0.9)
        assert done.summary.startswith("3 read")
    with sdtext.create(recipe="short-texts", keep_text=True) as collection:
        collection.add(tmp_path / "one.json", text_field="turns[].text")
        assert [text for _, text in collection.texts()] == ["Who dances?", "Bees, 0."]
    question = "Who dances in the hive all day long, and what for?"
    items = [{"id": "1", "asked": {"text": question}}]
    found = sdtext.decontaminate([{"text": question}], items, question_field="asked.text")
    assert [match.item for match in found.matches] == ["1"]


_CHAT = {
    "name": "Bees",
    "topics": [1, {"messages": []}],
    "chat": {
        "messages": [
            {"id": 1, "text": "Bees dance in their hives on coming home."},
            {"id": 2, "text": ["Bees ", {"text": "dance"}, " in their hives on coming home."]},
            {"id": 3, "text": "A farmer fills three large baskets with red apples."},
        ]
    },
    "last": 7,
}


@pytest.mark.parametrize("path", ["messages[].text", "chat.messages[].text"])
def test_a_list_of_records_in_a_json_object_is_named_by_a_path(tmp_path: Path, path: str) -> None:
    chat = _CHAT["chat"] if path.startswith("m") else _CHAT
    file, kept = tmp_path / "chat.json", tmp_path / "kept.jsonl"
    file.write_text(json.dumps(chat))
    outcome = here("Deduplicate", file, "--text-field", path, "-o", kept)
    assert outcome.code == 0, outcome.err
    assert [json.loads(line)["id"] for line in kept.read_text().splitlines()] == [1, 3]
    problems: list[Problem] = []
    records = list(records_in(file, Fields(path), problems.append))
    assert [record.name for record in records] == ["1", "2", "3"]
    assert not problems
    wrong = ("--text-field", "chat.none[].text", "-o", tmp_path / "a.jsonl")
    assert here("Deduplicate", file, *wrong).code
    found = sdtext.decontaminate(file, file, text_field=path, question_field=path)
    assert {match.item for match in found.matches} == {"1", "2", "3"}
