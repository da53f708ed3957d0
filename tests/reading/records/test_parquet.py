"""Records out of Parquet files, which another process reads."""

import datetime as dt
import random
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sdtext.errors import OptionError
from sdtext.model import Problem
from sdtext.reading.options import Reading
from sdtext.reading.records.record import Fields, InputDocument
from sdtext.reading.records.record_files import records_in

WHEN = dt.datetime(2019, 5, 17, 12, 30, tzinfo=dt.UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.parquet"


def read(
    path: Path, data: bytes | pa.Table, fields: Fields | None = None, **limits: Any
) -> tuple[list[InputDocument], list[str]]:
    if isinstance(data, pa.Table):
        pq.write_table(data, path, row_group_size=100)
    else:
        path.write_bytes(data)
    problems: list[Problem] = []
    result = list(records_in(path, fields or Fields(), problems.append, Reading(**limits)))
    assert all(problem.message.startswith(f"{path}: ") for problem in problems)
    assert all(problem.path == str(path) and problem.message.isprintable() for problem in problems)
    return result, [problem.message.removeprefix(f"{path}: ") for problem in problems]


def test_columns_of_all_plain_kinds_become_metadata(path: Path) -> None:
    columns = {
        "id": pa.array(["a", "b"]), "text": pa.array(["One.", "Zwei é 中 😀"], pa.large_string()),
        "kind": pa.array(["x", "y"]).dictionary_encode(),
        "year": pa.array([2019, None], pa.int16()),
        "share": pa.array([0.5, float("nan")], pa.float32()), "ok": pa.array([True, False]),
        "big": pa.array([2**64 - 1, 1], pa.uint64()), "when": pa.array([WHEN, WHEN]),
        "exactly": pa.array([1, 1_000_000_001], pa.timestamp("ns")),
        "day": pa.array([WHEN.date(), None]), "price": pa.array([Decimal("1.50"), None]),
        "tags": pa.array([["a"], []]), "nested": pa.array([{"a": 1}, None]),
        "raw": pa.array([b"\xff", b""]),
    }  # fmt: skip
    (first, two), reported = read(path, pa.table(columns))
    assert reported == []
    assert (first.name, first.text) == ("a", "One.")
    assert first.place == f"{path}: row 1"
    assert first.metadata == {
        "kind": "x", "year": 2019, "share": 0.5, "ok": True, "big": str(2**64 - 1),
        "when": "2019-05-17 12:30:00.000000Z", "exactly": "1970-01-01 00:00:00.000000001",
        "day": "2019-05-17", "price": "1.50",
    }  # fmt: skip
    assert (two.name, two.text) == ("b", "Zwei é 中 😀")
    assert set(two.metadata) == {"kind", "ok", "big", "when", "exactly"}


def test_text_that_is_not_utf_8_is_read_with_signs_of_replacement(path: Path) -> None:
    raw = pa.array([b"One\xff", None, b"Two"]).view(pa.string())
    result, reported = read(path, pa.table({"text": raw}))
    assert [item.text for item in result] == ["One\ufffd", "Two"]
    assert len(reported) == 1


def test_what_unpacks_to_more_than_the_limit_is_refused(path: Path) -> None:
    table = pa.table({"text": ["a" * 100_000] * 1000})
    result, (reported,) = read(path, table, max_bytes=10 << 20)
    assert path.stat().st_size < 200_000
    assert result == []
    assert "raise max_bytes" in reported


@pytest.mark.deep
def test_rows_of_monstrous_size_reach_the_limit_of_memory_in_another_process(path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays([0] * 64, ["a" * (64 << 20)])
    result, reported = read(path, pa.table({"text": texts}), max_memory=512 << 20)
    assert result == []
    assert "memory" in reported[0] or "holds no records" in reported[-1]


def whole() -> bytes:
    file = BytesIO()
    texts = [f"Text {place} " * 20 for place in range(2000)]
    pq.write_table(pa.table({"id": list(range(2000)), "text": texts}), file, row_group_size=500)
    return file.getvalue()


def test_a_damaged_file_costs_a_line(path: Path) -> None:
    data = whole()
    middle = len(data) * 3 // 5
    holed = data[:middle] + b"\xff" * 64 + data[middle + 64 :]
    for damaged, reported in (
        (data[: len(data) // 2], "is a damaged Parquet file"),
        (b"", "is empty"),
        (b"PAR1PAR1", "is a damaged Parquet file"),
        (b'{"text": "x"}', "is a damaged Parquet file"),
        (holed, "is damaged"),
    ):
        result, (problem,) = read(path, damaged)
        assert problem.startswith(reported)
        assert bool(result) is (damaged is holed)


def test_no_change_of_a_few_bytes_ends_more_than_that_file(path: Path) -> None:
    data, chance = whole(), random.Random(5)
    for _ in range(40):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 8)):
            behind = len(data) - 1 - chance.randrange(900)
            changed[chance.choice([chance.randrange(len(data)), behind])] = chance.randrange(256)
        result, _ = read(path, bytes(changed))
        assert all(isinstance(item.text, str) for item in result)


def test_without_pyarrow_the_extra_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdtext.model.displayed_results.find_spec", lambda _: None)
    with pytest.raises(OptionError, match=r"pip install 'sdtext\[parquet\]'"):
        read(path, pa.table({"text": ["One."]}))
