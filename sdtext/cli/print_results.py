"""Print results: rows, records, problems, exit codes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sdtext.cli.main import say
from sdtext.errors import counted

if TYPE_CHECKING:
    from sdtext.model import Problem
    from sdtext.search import SearchResult

NOTHING_FOUND, UNREADABLE = 1, 3
"""Exit codes."""

_MOST_LISTED = 3  # problems of a category that may apply to every document in a folder
_FREQUENT = ("drift", "short-text")


def report(problems: Iterable[Problem]) -> int:
    """Print each problem in a line; return the exit code that they call for.

    Of a category that may apply to every document in a folder, only the first few are printed.
    """
    code = 0
    counts: Counter[str] = Counter()
    for problem in problems:
        counts[problem.category] += 1
        if problem.category not in _FREQUENT or counts[problem.category] <= _MOST_LISTED:
            say(f"{problem.severity}: {problem.message}")
        if problem.severity == "error":
            code = UNREADABLE
    for category in _FREQUENT:
        if (more := counts[category] - _MOST_LISTED) > 0:
            say(f"warning: {counted(more, 'more document')} with such a warning ({category})")
    return code


def print_rows(
    form: str | None,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, Any]],
    schema: str,
    problems: Sequence[Problem] | None = None,
    **beside: object,
) -> None:
    """Print rows to standard output; `beside` and problems go into JSON only."""
    from sdtext.reports.row_formats import write_rows

    whole: dict[str, Any] = {"schema": schema, **beside}
    if problems is not None:
        whole["problems"] = as_records(problems)
    write_rows(sys.stdout.buffer, form or default_format(), columns, rows, whole)


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


def print_search(
    result: SearchResult[Any], schema: str, noun: str, *, form: str | None, fail_if_empty: bool
) -> int:
    """Print what a search found and how it searched; return the exit code."""
    from sdtext.search.search_explanations import describe_curve

    rows = map(asdict, result.rows)
    beside = {"how": result.how, "curve": result.curve}
    print_rows(form, result.columns, rows, schema, result.problems, **beside)
    for line in filter(None, (result.how, describe_curve(result.curve))):
        say(line)
    say(f"{counted(len(result.rows), noun)} found")
    code = report(result.problems)
    return code or (NOTHING_FOUND if fail_if_empty and not result.rows else 0)


def print_record(form: str | None, schema: str, record: Mapping[str, Any]) -> None:
    """Print one record to standard output."""
    from sdtext.reports.row_formats import write_record

    write_record(sys.stdout.buffer, form or default_format(), schema, record)


def default_format() -> str:
    """The default format of rows: a table on a terminal, otherwise TSV."""
    return "table" if sys.stdout.isatty() else "tsv"
