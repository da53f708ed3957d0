"""WindowPairs on the command line: rows, limits, refusals."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import sdtext

from .command import done, prose


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(prose(1, words=60) + "\n\n" + prose(7, words=90))
    Path("b.txt").write_text(prose(2, words=50) + "\n\n" + prose(7, words=90))


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "json"])
def test_every_format_has_the_rows_that_python_returns(form: str) -> None:
    arguments = ("-w", 20, "--distance", 4, "-k", 30, "--format", form)
    outcome = done("WindowPairs", "b.txt", "a.txt", *arguments)
    expected = sdtext.window_pairs("b.txt", "a.txt", w=20, distance=4, top=30)
    rows: list[dict[str, object]]
    if form == "json":
        whole = json.loads(outcome.out)
        rows = whole["rows"]
        assert whole["total"] == expected.total > 30
        assert [whole["left"]["document"], whole["left"]["terms"]] == ["b.txt", expected.terms[0]]
    elif form == "jsonl":
        rows = [json.loads(line) for line in outcome.text.splitlines()]
    else:
        dialect = {"tsv": "excel-tab", "csv": "excel"}[form]
        table = csv.DictReader(io.StringIO(outcome.text), dialect=dialect)
        rows = [{name: int(value) for name, value in row.items()} for row in table]
    in_python = {"score", "similarity"}
    columns = [vars(row).items() for row in expected.rows]
    assert rows == [
        {name: value for name, value in row if name not in in_python} for row in columns
    ]
    assert (
        f"{expected.total:,} pairs of windows of 20 terms that differ in at most 4" in outcome.err
    )
    assert f"… {expected.total - 30:,} more (-k, --all)" in outcome.err
