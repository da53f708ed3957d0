"""Print the results of a verb: rows, records, what a search found, its problems.

Problems also decide the exit code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sdtext.cli.main import VERBOSE, is_set, say, while_read
from sdtext.reports.problem_kinds import kinds_of
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from sdtext.model import Problem
    from sdtext.search import SearchResult

UNREADABLE = 3
"""Exit code."""
NOTHING_FOUND = 1
"""Exit code."""

JSON_FORMATS = ("json", "jsonl")

LISTED_TERMS = 10
"""The number of shared terms that `--explain` lists for each result."""


def report(problems: Iterable[Problem]) -> int:
    """Print the problems, a line each; return the exit code that they call for.

    Of many of a kind some are listed and the others counted. `--verbose` lists all, and also names
    what a message only counts, such as symbolic links. `--quiet` leaves warnings out.
    """
    kinds = kinds_of(problems)
    for kind in kinds:
        listed = kind.problems if is_set(VERBOSE) else kind.listed
        for problem in listed:
            _say(kind.severity, problem.message)
            for path in problem.paths if is_set(VERBOSE) else ():
                say(f"  {shown(path)}")
        if more := len(kind.problems) - len(listed):
            what = f"{more:,} more of this kind ({kind.summary}); --verbose lists them"
            _say(kind.severity, what)
    return UNREADABLE if any(kind.severity == "error" for kind in kinds) else 0


def _say(severity: str, message: str) -> None:
    say(f"{severity}: {message}", always=severity == "error")


def as_records(problems: Iterable[Problem]) -> list[dict[str, str]]:
    """The problems as JSON objects."""
    return [
        {
            "severity": problem.severity,
            "category": problem.category,
            "path": problem.path,
            "message": problem.message,
        }
        for problem in problems
    ]


def print_rows(
    form: str | None,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, Any]],
    schema: str,
    problems: Sequence[Problem] | None = None,
    **beside: object,
) -> None:
    """Print rows to standard output; `beside` and problems go into JSON only.

    While the rows are iterated, `problems` may grow.
    """
    from sdtext.reports.row_formats import write_rows

    form = form or default_format()
    whole: dict[str, Any] = {"schema": schema, **beside}
    if problems is not None and form == "json":
        rows = list(rows)
        whole["problems"] = as_records(problems)
    with while_read():
        write_rows(sys.stdout.buffer, form, columns, rows, whole)


def print_search(
    result: SearchResult[Any],
    schema: str,
    *,
    form: str | None,
    fail_if_empty: bool,
) -> int:
    """Print what a search found and how it searched; return the exit code."""
    from sdtext.search.search_explanations import describe_curve

    columns, form = result.columns, form or default_format()
    rows = (with_chance(row, form, columns) for row in result.rows)
    beside = {"how": result.how, "curve": result.curve}
    print_rows(form, columns, rows, schema, result.problems, **beside)
    if "chance" in columns:
        explain_chances(form, result.rows)
    for line in filter(None, (result.how, describe_curve(result.curve))):
        say(line)
    noun = "pair" if result.columns[0] == "left" else "document"
    say(f"{counted(len(result.rows), noun)} found")
    code = report(result.problems)
    return code or (NOTHING_FOUND if fail_if_empty and not result.rows else 0)


def with_chance(row: Any, form: str, columns: Sequence[str]) -> dict[str, Any]:
    """The columns of a row; its chance as numbers in JSON, briefly in a table, else in words."""
    record = asdict(row)
    if "chance" in columns and row.chance:
        chance = row.chance.brief if form == "table" else str(row.chance)
        record["chance"] = row.chance.as_record() if form in JSON_FORMATS else chance
    return {name: record[name] for name in columns}


def explain_chances(form: str, rows: Iterable[Any]) -> None:
    """Say what the chances in a table mean."""
    from sdtext.model.calibration import BUNDLED_SAMPLE

    chances = [row.chance for row in rows if row.chance]
    if form != "table" or not chances:
        return
    ratios = [chance.likelihood for chance in chances if chance.likelihood]
    words = (
        "chance: the share of unrelated pairs with that score or more, and how many of what was "
    )
    words += "compared are expected to have it"
    if ratios:
        words += "; LR: the likelihood ratio of an edited copy, with its cost, calibrated on "
        words += counted(ratios[0].documents, "document")
    if any(chance.bundled for chance in chances):
        words += f"; bundled: measured on {BUNDLED_SAMPLE}: Calibrate measures it on yours"
    say(words)


def print_texts(texts: Iterable[str]) -> None:
    """Print texts to standard output one after the other."""
    with while_read():
        for text in texts:
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def print_record(form: str | None, schema: str, record: Mapping[str, Any]) -> None:
    """Print one record to standard output."""
    from sdtext.reports.row_formats import write_record

    with while_read():
        write_record(sys.stdout.buffer, form or default_format(), schema, record)


def is_table(form: str | None) -> bool:
    """Whether that format, or the default one, is a table for people."""
    return (form or default_format()) == "table"


def default_format() -> str:
    """The default format of rows: a table on a terminal, otherwise TSV."""
    return "table" if sys.stdout.isatty() else "tsv"


def warn_of_unexplained(number: int) -> None:
    """Say that the shared terms of so many results are not known."""
    if number:
        results = counted(number, "result")
        say(
            f"warning: the shared terms of {results} are not listed, because the dictionary is not "
            "available; name it with -d"
        )
