"""Records out of JSON lines: what is read, what is left out, and that nothing costs more."""

import gzip
import json
import re
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.model import Problem
from sdtext.reading.options import Reading
from sdtext.reading.records.json_records import lines_with, numbered
from sdtext.reading.records.record import Fields, InputDocument
from sdtext.reading.records.record_files import records_at, records_in
from tests.support.strategies import BRISK


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file, written anew for each example."""
    return tmp_path_factory.mktemp("records") / "a.jsonl"


def read(
    path: Path, data: str | bytes, fields: Fields | None = None, reading: Reading | None = None
) -> tuple[list[InputDocument], list[str]]:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    problems: list[Problem] = []
    result = list(records_in(path, fields or Fields(), problems.append, reading))
    for problem in problems:
        is_empty = "no text" in problem.message or "its text is null" in problem.message
        kind = ("warning", "empty") if is_empty else ("error", "unreadable")
        assert (problem.severity, problem.category, problem.path) == (*kind, str(path))
    assert all(problem.message.startswith(f"{path}: ") for problem in problems)
    assert all(
        problem.message.isprintable() and len(problem.message) < 1000 for problem in problems
    )
    return result, [problem.message.removeprefix(f"{path}: ") for problem in problems]


def test_a_record_has_a_name_a_text_and_its_other_fields(path: Path) -> None:
    rows = [
        {"id": "a", "text": "One.", "year": 2019, "ok": True, "share": 0.5, "by": "Curie"},
        {"id": 2, "text": "Two.", "none": None, "tags": ["a"], "more": {"b": 1}},
    ]
    result, reported = read(path, "\n".join(map(json.dumps, rows)))
    metadata: dict[str, Any] = {"year": 2019, "ok": True, "share": 0.5, "by": "Curie"}
    assert result == [
        InputDocument("", name, None, text, metadata, place=f"{path}: line {line}")
        for line, name, text, metadata in ((1, "a", "One.", metadata), (2, "2", "Two.", {}))
    ]
    assert reported == []


def test_the_number_of_the_line_serves_where_the_first_record_has_no_id(path: Path) -> None:
    lines = ['{"text": "One."}', "", '{"text": "Three.", "id": "x"}', "", '{"text": "Five."}']
    result, _ = read(path, "\n".join(lines))
    assert [(item.name, item.place[-2:], item.metadata) for item in result] == [
        ("1", " 1", {}), ("3", " 3", {"id": "x"}), ("5", " 5", {}),
    ]  # fmt: skip


BAD_LINES: list[tuple[str, str | bytes]] = [
    ("is not JSON (column 1", "nonsense"), ("is not JSON (column 23", '{"id": 2, "text": "x"'),
    ("is not JSON (NaN", '{"id": 2, "text": "x", "n": NaN}'),
    ("is not JSON (-Infinity", '{"id": 2, "text": "x", "n": -Infinity}'),
    ("is not JSON", '{"id": 2, "text": "x", "n": ' + "9" * 5000 + "}"),
    ("is not JSON", "[" * 100_000), ("UTF-8", b'{"id": 2, "text": "\xff"}'),
    ("is not an object", "[1, 2]"), ("is not an object", "3"),
    ("has no field 'text' (it has id)", '{"id": 2}'), ("text is null", '{"id": 2, "text": null}'),
    ("id is null", '{"id": null, "text": "x"}'), ("'text' is not a string", '{"id": 2, "text": 3}'),
    ("holds no text", '{"id": 2, "text": " \\n"}'),
    ("has no field 'id' (it has text)", '{"text": "x"}'),
    *(("id is neither", f'{{"id": {name}, "text": "x"}}') for name in ("2.5", "true", '["a"]')),
    *(
        ("id is empty, longer", f'{{"id": "{name}", "text": "x"}}')
        for name in ("", "\\ud800", "a\\u0000b", "a" * 1001)
    ),
    *(("an earlier record: '1'", f'{{"id": {name}, "text": "x"}}') for name in ("1", '"1"')),
]  # fmt: skip


def test_a_bad_line_costs_one_problem_and_no_other_line(path: Path) -> None:
    for reported, line in BAD_LINES:
        middle = line.encode() if isinstance(line, str) else line
        data = b'{"id": 1, "text": "One."}\n' + middle + b'\r\n{"id": 3, "text": "Three."}\n'
        result, (problem,) = read(path, data)
        assert [item.text for item in result] == ["One.", "Three."], reported
        assert problem.startswith("line 2: ")
        assert reported in problem


def test_of_many_bad_lines_some_are_reported_and_the_others_counted(path: Path) -> None:
    result, reported = read(path, '{"text": "One."}\n' + "x\n" * 5000)
    assert len(result) == 1
    assert len(reported) == 1001
    assert reported[-2].startswith("line 1001: ")
    assert reported[-1].startswith("4,000 more lines")


def test_a_file_without_records_says_so_in_one_line(path: Path) -> None:
    for data, what in (("", "is empty"), ("\n \n", "blank lines"), ("x\n7\n", "(line 1")):
        records, (message,) = read(path, data)
        assert records == []
        assert what in message


def test_a_field_that_no_record_has_is_refused_in_one_line(path: Path) -> None:
    data = 'x\n{"id": 1, "text": "One."}\n{"id": 2, "text": "Two."}\n'
    for fields, missing, option in (
        (Fields("body"), "body", "text_field"),
        (Fields("text", "url"), "url", "id_field"),
    ):
        with pytest.raises(OptionError, match=rf"'{missing}'; it has id, text; .* {option}$") as e:
            read(path, data, fields)
        assert str(e.value).startswith(f"{path}: ")


def test_half_characters_and_zeros_are_replaced(path: Path) -> None:
    row = '{"id": 1, "text": "a\\ud800b\\u0000c\\ud83d\\ude00", "k\\ud800": "v\\udfff"}'
    (record,), reported = read(path, row)
    assert (record.text, record.metadata) == ("a\ufffdb\ufffdc😀", {"k\ufffd": "v\ufffd"})
    assert reported == []


def test_metadata_is_bounded_in_number_and_length(path: Path) -> None:
    row = {"id": 1, "text": "x", "long": "a" * 10_001, "k" * 1001: 1, "whole": 2**63, "huge": 10.0}
    line = json.dumps(row | {f"f{place}": place for place in range(500)}).replace("10.0", "1e999")
    (record,), _ = read(path, line)
    assert record.metadata["whole"] == str(2**63)
    assert len(record.metadata) == 100
    assert not {"long", "k" * 1001, "huge"} & set(record.metadata)


def test_what_unpacks_to_more_than_the_limit_is_read_up_to_it(path: Path) -> None:
    lines = (f'{{"id": {place}, "text": "{place**40}"}}\n' for place in range(20_000))
    data = "".join(lines).encode()
    packed = path.with_name("a.jsonl.gz")
    limited = Reading(max_bytes=2 << 20)
    result, (reported,) = read(packed, gzip.compress(data), reading=limited)
    assert 0 < len(result) < 20_000
    assert "holds more than 2,097,152 bytes" in reported
    assert len(read(path, data, reading=limited)[0]) == 20_000  # a plain file may have any size


blocks = st.lists(st.binary(max_size=6) | st.sampled_from([b"\n", b"ab\n", b"\n\n"]), max_size=8)


@given(blocks=blocks, most=st.integers(0, 8), dropped=st.sets(st.integers(1, 9)))
def test_lines_are_those_of_the_whole_and_others_than_the_dropped_stay(
    blocks: list[bytes], most: int, dropped: set[int]
) -> None:
    lines = [*enumerate(re.findall(rb"[^\n]*\n|[^\n]+", b"".join(blocks)), 1)]
    bare = [(place, line.removesuffix(b"\n")) for place, line in lines]
    expected = [(place, line if len(line) <= most else None) for place, line in bare]
    assert list(numbered(blocks, most)) == expected
    kept = b"".join(line for place, line in lines if place not in dropped)
    assert b"".join(lines_with(blocks, dropped, lambda *_: None)) == kept


@BRISK
@given(
    rows=st.lists(
        st.dictionaries(
            st.sampled_from(["id", "text", "x", "é"]),
            st.none() | st.booleans() | st.integers(0, 3) | st.floats() | st.text(max_size=3)
            | st.lists(st.integers(), max_size=2),
        )
    )
)  # fmt: skip
def test_any_rows_give_records_or_are_reported(path: Path, rows: list[dict[str, Any]]) -> None:
    data = "\n".join(map(json.dumps, rows))
    # JSON has no NaN and no infinities.
    records = [
        row
        for row in rows
        if all(isfinite(value) for value in row.values() if isinstance(value, float))
    ]
    if records and not any("text" in row for row in records):
        with pytest.raises(OptionError, match="has no field 'text'"):
            read(path, data)
        return
    result, reported = read(path, data)
    skipped = [line for line in reported if line.startswith("line ")]
    places = {item.place for item in result}
    assert len(places) == len(result)
    assert len({item.name for item in result}) == len(result)
    more = sum(int(line.split()[0]) for line in reported if " more line" in line)
    assert len(result) + len(skipped) + more == len(rows)
    for record in result:
        row = rows[int(record.place.rpartition(" ")[2]) - 1]
        assert record.text == row["text"].replace("\0", "\ufffd")
        assert set(record.metadata) <= set(row) - {"text"}


def test_files_of_records_are_known_by_their_names() -> None:
    for name in ("a.jsonl", "x/b.NDJSON", "a.b.jsonl.zst", "a.parquet"):
        assert records_at(name)[0]
    for name in ("a.parquet.gz", "a.jsonl.zip", "jsonl", ".jsonl", "a.json"):
        assert records_at(name) == (None, "")
