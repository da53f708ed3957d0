"""CSV, TSV and JSON arrays as records: read as the standard library reads them, never lost."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError, UnreadableError
from sdtext.model import Problem
from sdtext.model.record_formats import FORMATS
from sdtext.reading.options import Reading
from sdtext.reading.records import delimited
from sdtext.reading.records.record import Fields, InputDocument
from sdtext.reading.records.record_files import RecordFile, records_at, records_in, write_records
from tests.support.cases import cases
from tests.support.strategies import BRISK

CELLS = st.text(st.sampled_from('ab ,;\t"\n\r\u00e9\u4e2d\u2028\x0b'), max_size=12)
NAMES = st.lists(
    st.text(st.sampled_from('abc,"\u00e9'), min_size=1, max_size=5), min_size=1, max_size=4,
    unique=True,
)  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder, whose files are written anew for each example."""
    return tmp_path_factory.mktemp("tables")


def opened(path: Path, data: bytes, reading: Reading | None = None) -> RecordFile:
    path.write_bytes(data)
    return RecordFile.at(path, Fields(), reading or Reading(), lambda _: None)


def rows_of(file: RecordFile) -> tuple[list[tuple[int, dict[str, Any]]], list[str]]:
    problems: list[Problem] = []
    left_out = file.skipped(problems.append)
    rows = list(file.rows(left_out))
    left_out.end()
    return rows, [each.message.removeprefix(f"{file.content.name}: ") for each in problems]


def read(
    path: Path, data: bytes, fields: Fields | None = None
) -> tuple[list[InputDocument], list[str]]:
    path.write_bytes(data)
    problems: list[Problem] = []
    records = list(records_in(path, fields or Fields(), problems.append))
    return records, [each.message.removeprefix(f"{path}: ") for each in problems]


@BRISK
@given(names=NAMES, data=st.data(), name=st.sampled_from(["a.csv", "a.tsv"]), end=st.booleans())
def test_tables_are_read_as_the_module_csv_reads_them(
    folder: Path, names: list[str], data: st.DataObject, name: str, end: bool
) -> None:
    cells = st.lists(CELLS, min_size=len(names), max_size=len(names))
    rows = data.draw(st.lists(cells, max_size=6))
    sign = "\t" if name.endswith("tsv") else ","
    text = io.StringIO(newline="")
    table = csv.writer(text, delimiter=sign, lineterminator="\r\n" if end else "\n", quoting=1)
    table.writerows([names, *rows])
    file = opened(folder / name, text.getvalue().encode())
    header, *expected = csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=sign)
    read_rows, problems = rows_of(file)
    assert problems == []
    assert [list(row.values()) for _, row in read_rows] == expected
    assert all(list(row) == [each.strip() for each in header] for _, row in read_rows)
    removed = {place for place, _ in read_rows if data.draw(st.booleans())}
    rest = opened(folder / f"rest-{name}", b"".join(file.without(removed)))
    stays = [row for place, row in read_rows if place not in removed]
    assert [row for _, row in rows_of(rest)[0]] == stays
    assert b"".join(file.without(set())) == text.getvalue().encode()


@BRISK
@given(
    values=st.lists(VALUES | st.dictionaries(st.text(max_size=3), VALUES, max_size=4), max_size=6),
    indent=st.sampled_from([None, 1]),
    mark=st.booleans(),
)
def test_arrays_are_read_as_the_module_json_reads_them(
    folder: Path, values: list[Any], indent: int | None, mark: bool
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=False)
    file = opened(folder / "a.json", text.encode("utf-8-sig" if mark else "utf-8"))
    rows, problems = rows_of(file)
    objects = [(n, each) for n, each in enumerate(values, 1) if isinstance(each, dict)]
    assert rows == objects
    assert len(problems) == len(values) - len(objects)
    places = {place for place, _ in rows[::2]}
    kept = [json.loads(each) for each in file.without(places)]
    assert kept == [each for n, each in enumerate(values, 1) if n not in places]


def test_an_array_of_many_blocks_is_read_whole(folder: Path) -> None:
    rows = [{"id": n, "text": f"{n} " * 50_000} for n in range(30)] + [{"id": 30, "text": "x"}]
    file = opened(folder / "big.json", json.dumps(rows).encode())
    assert [row for _, row in rows_of(file)[0]] == rows
    assert [json.loads(each) for each in file.without({1, 2, 31})] == rows[2:30]


WRONG_ROWS = [
    (b"id,text\n1\n2,Two.\n", "line 2: has 1 cells"),
    (b"id,text\n1,One.,x\n2,Two.\n", "line 2: has 3 cells"),
    (b"id,text\n1,On\0e.\n2,Two.\n", "line 2: holds a NUL byte"),
    (b'id,text\n1,"On"e.\n2,Two.\n', "line 2: ',' expected after '\"'"),
    (b"id,text\n1," + b"ok " * (1 << 19) + b"\n3,\xff\xfe\n2,Two.\n", "not UTF-8"),
]


def test_a_wrong_row_is_one_problem_and_the_rest_goes_on(folder: Path) -> None:
    for data, message in WRONG_ROWS:
        file = opened(folder / "wrong.csv", data)
        rows, problems = rows_of(file)
        assert rows[-1][1] == {"id": "2", "text": "Two."}
        assert [message in problem for problem in problems] == [True], message
        assert b"".join(file.without(set())) == data


def test_a_table_is_read_up_to_a_long_row(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 2 << 20
    monkeypatch.setattr(delimited, "MAX_LINE", most)
    lines = b'1,"' + (b"x" * 999 + b"\n") * (most // 400) + b'"'
    for row in (b"1," + b"x" * (2 * most), lines):
        records, (problem,) = read(folder / "long.csv", b"text\nOne.\n" + row + b"\nTwo.\n")
        assert [record.text for record in records] == ["One."]
        assert "line 3 is or begins a row that is longer" in problem


def test_after_a_quote_that_is_never_closed_nothing_is_lost(folder: Path) -> None:
    data = b'id,text\n1,One.\n2,"Two.\n3,Three.\n'
    file = opened(folder / "open.csv", data)
    rows, problems = rows_of(file)
    assert rows == [(2, {"id": "1", "text": "One."})]
    assert "line 3: begins a quoted cell that is never closed" in problems[0]
    assert b"".join(file.without({2})) == b'id,text\n2,"Two.\n3,Three.\n'


def test_a_damaged_array_is_read_up_to_the_damage(folder: Path) -> None:
    for tail, message in (
        (b', {"text": }]', "element 2 is not JSON"),
        (b' {"text": "b"}]', "has no comma or ] after an element"),
        (b",", "is truncated"),
        (b"", "is truncated"),
        (b"] x", "goes on after the end"),
        (b", " + b'{"a":' * 100_000, "element 2 is nested too deeply"),
    ):
        records, problems = read(folder / "damaged.json", b'[{"text": "a"}' + tail)
        assert [record.text for record in records] == ["a"]
        assert [message in problem for problem in problems] == [True], message


def test_wrong_elements_are_left_out_one_by_one(folder: Path) -> None:
    data = b'[1, {"text": "a", "b": NaN}, {"text": "\xff"}, "x", {"text": "b"}, [2], {"text": 3}]'
    records, problems = read(folder / "wrong.json", data)
    assert [(record.name, record.text) for record in records] == [("5", "b")]
    assert [each.split(":")[0] for each in problems] == [f"element {n}" for n in (1, 2, 3, 4, 6, 7)]


def test_encodings_and_delimiters_of_spreadsheets(folder: Path) -> None:
    german, japanese = "Die größte Höhe, überall" * 9, "東京都の図書館で本を読みました。" * 9
    for encoding, sign in (("utf-8-sig", ","), ("utf-16", "\t"), ("cp1252", ";"), ("utf-8", ";"),
                           ("shift_jis", ",")):  # fmt: skip
        words = japanese if encoding == "shift_jis" else german
        text = f'id{sign}text\r\n1{sign}"{words}"\r\n'
        file = opened(folder / "sheet.csv", text.encode(encoding))
        assert rows_of(file) == ([(2, {"id": "1", "text": words})], []), encoding
        assert b"".join(file.without(set())).decode("utf-8-sig") == text


def test_the_last_row_needs_no_end(folder: Path) -> None:
    for end in ("\n", "\r\n", "\r"):
        data = end.join(["id,text", "1,One.", "", "2,Two."]).encode()
        file = opened(folder / "ends.csv", data)
        assert [(at, row["text"]) for at, row in rows_of(file)[0]] == [(2, "One."), (4, "Two.")]
        assert b"".join(file.without({4})) == data.removesuffix(b"2,Two.")


def test_a_header_that_tells_no_columns_apart_is_refused(folder: Path) -> None:
    for data in (b"id,text,id\n1,a,2\n", b"\n1,a\n", b'"id,text\n1,a\n'):
        with pytest.raises(UnreadableError, match=r"two columns called 'id'|line"):
            opened(folder / "head.csv", data)


def test_a_table_holds_records_if_it_has_the_field(folder: Path) -> None:
    other = Fields(text="body")
    for name in ("a.csv", "a.tsv", "a.json", "a.csv.gz", "a.json.gz"):
        path, sign = folder / name, "\t" if ".tsv" in name else ","
        data = '[{"id": "1", "text": "a"}]' if ".json" in name else f"id{sign}text\n1{sign}a\n"
        path.write_bytes((gzip.compress if name.endswith(".gz") else bytes)(data.encode()))
        assert records_at(path)[0]
        assert records_at(path, None, other)[0]  # reading it will say that there is no such field
        with pytest.raises(OptionError, match="'body'; it has id, text"):
            list(records_in(path, other, lambda _: None))


def test_other_files_and_tables_without_the_field_are_documents(folder: Path) -> None:
    for name, data in (
        *(("a.json", b'{"text": "one object"}'), ("a.json", b'["text"]'), ("a.json", b"")),
        *(("a.csv", b" \n"), ("none.csv", None), ("a.txt", b"id,text\n1,a\n")),
    ):
        if data is not None:
            (folder / name).write_bytes(data)
        for fields in (Fields(), Fields("t")):
            assert records_at(folder / name, None, fields) == (None, "")
    array = '[{"id": 1, "t": 2}]'
    for name, text in (("a.csv", "id,t\n1,a\n"), ("a.tsv", "id\tt\n1\ta\n"), ("a.json", array)):
        path = folder / name
        path.write_text(text)
        form, what = records_at(path)
        assert form is None
        assert "'text' (it has id, t)" in what
        assert records_at(path, None, Fields("t"))[0]


@cases("form", FORMATS)
@BRISK
@given(rows=st.lists(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), max_size=5))
def test_written_records_are_read_back(folder: Path, form: str, rows: list[dict[str, Any]]) -> None:
    kind = FORMATS[form]
    path = folder / f"written{kind.suffixes[0]}"
    with path.open("wb") as file:
        write_records(lambda: [{"text": "t", **row} for row in rows], kind, file)
    if not rows and form in ("csv", "tsv", "parquet"):
        return  # no row, hence no column
    again = RecordFile.at(path, Fields(), Reading(), lambda _: None, whole=True)
    texts = [row["text"] for _, row in rows_of(again)[0]]
    assert texts == ["t"] * len(rows)
    if form in ("json", "jsonl"):
        assert [row for _, row in rows_of(again)[0]] == [{"text": "t", **row} for row in rows]
