"""How many records a file has, as it is estimated for those who watch a run."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from sdtext.reading.options import Reading
from sdtext.reading.records.record import Fields
from sdtext.reading.records.record_files import expected_records

NUMBER = 6_000


def _rows(number: int) -> list[dict[str, str]]:
    """Records of some 2 KB, one of ten with line ends in its text; 6,000 are 12 MB."""
    random = Random(2)
    words = [f"word{random.randrange(10**6)}" for _ in range(5_000)]
    rows = []
    for place in range(number):
        chosen = random.choices(words, k=random.randrange(150, 250))
        rows.append({"id": str(place), "text": ("\n" if place % 10 == 0 else " ").join(chosen)})
    return rows


def _json_lines(rows: list[dict[str, str]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _csv(rows: list[dict[str, str]]) -> bytes:
    file = io.StringIO()
    writer = csv.DictWriter(file, ["id", "text"])
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


FORMATS: dict[str, Callable[[list[dict[str, str]]], bytes]] = {
    "a.jsonl": _json_lines,
    "a.jsonl.gz": lambda rows: gzip.compress(_json_lines(rows), 1),
    "a.jsonl.bz2": lambda rows: bz2.compress(_json_lines(rows), 1),
    "a.json": lambda rows: json.dumps(rows).encode(),
    "a.csv": _csv,
}


@pytest.fixture(scope="module")
def many_rows() -> list[dict[str, str]]:
    return _rows(NUMBER)


@pytest.mark.parametrize("name", FORMATS)
def test_the_number_of_records_is_estimated(
    name: str, many_rows: list[dict[str, str]], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(FORMATS[name](many_rows))
    expected = expected_records(path, Fields(), Reading(max_bytes=1 << 30))
    assert expected is not None
    assert abs(expected - NUMBER) < NUMBER / 10


def test_a_file_that_cannot_be_read_has_no_number(tmp_path: Path) -> None:
    (tmp_path / "damaged.jsonl.gz").write_bytes(gzip.compress(_json_lines(_rows(9)))[:300])
    for name in ("damaged.jsonl.gz", "missing.jsonl"):
        assert expected_records(tmp_path / name, Fields(), Reading()) is None
