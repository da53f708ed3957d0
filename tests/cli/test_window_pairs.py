"""WindowPairs on the command line: rows, limits, refusals."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import sdtext
from sdtext.kernels.windows import window_join

from .command import check_refused, check_usage, done, here, prose


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(prose(1, words=60) + "\n\n" + prose(7, words=90))
    Path("b.txt").write_text(prose(2, words=50) + "\n\n" + prose(7, words=90))


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "json"])
def test_every_format_has_the_rows_that_python_returns(form: str) -> None:
    arguments = ("-w", 20, "--distance", 4, "-k", 30, "--format", form)
    outcome = done("WindowPairs", "a.txt", "-i", "b.txt", *arguments)
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


def test_all_pairs_are_listed_if_asked_for() -> None:
    outcome = done("WindowPairs", "a.txt", "b.txt", "--all")
    total = sdtext.window_pairs("a.txt", "b.txt").total
    assert len(outcome.text.splitlines()) == 1 + total > 101
    assert "more" not in outcome.err
    assert len(done("WindowPairs", "a.txt", "b.txt").text.splitlines()) == 101


def test_the_recipe_names_the_windows() -> None:
    Path("own.toml").write_text(
        'tokenizer = "words"\nindex = { name = "windows", w = 12, tau = 2 }\n'
    )
    outcome = done("WindowPairs", "a.txt", "b.txt", "-c", "own.toml")
    assert "windows of 12 terms that differ in at most 2 terms" in outcome.err


def test_a_document_without_windows_is_named() -> None:
    outcome = here("WindowPairs", "a.txt", "b.txt", "-w", 500, "--exit-code")
    assert outcome.code == 1
    assert "a.txt has " in outcome.err
    assert "fewer than a window of 500; use a shorter one (-w)" in outcome.err


@pytest.mark.parametrize(("arguments", "message"), [
    (("a.txt",), "Two documents are needed; you gave one."),
    (("a.txt", "b.txt", "a.txt"), "Two documents are needed; you gave 3."),
    (("a.txt", "b.txt", "-k", 3, "--all"), "use one of them"),
])  # fmt: skip
def test_what_cannot_be_asked_for_is_refused(
    arguments: tuple[str | int, ...], message: str
) -> None:
    check_usage(here("WindowPairs", *arguments), message)


def test_windows_that_cannot_be_are_refused_in_a_line() -> None:
    check_refused(here("WindowPairs", "a.txt", "b.txt", "--distance", 30), 2)


def test_a_file_that_cannot_be_read_is_refused_in_a_line() -> None:
    check_refused(here("WindowPairs", "a.txt", "none.txt"), 3)


def test_more_pairs_than_can_be_listed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_join, "_ROWS", 1000)
    outcome = here("WindowPairs", "a.txt", "b.txt", "--all")
    check_refused(outcome, 2, "distance")
    assert "more (-k" in done("WindowPairs", "a.txt", "b.txt", "-k", 1100).err
