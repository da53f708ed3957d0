"""Print the results of a verb: rows, a record, what a search found, its problems.

Problems also decide the exit code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.main import FOUND, VERBOSE, exit_code, is_set, say, while_read
from sdtext.errors import SdtextError
from sdtext.model import Problem
from sdtext.reports.problem_kinds import kinds_of
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from sdtext.model.calibration import Chance
    from sdtext.search.results import SearchResult
    from sdtext.sharing.signatures import Signature

NOTHING_FOUND, UNREADABLE = 1, 3
"""Exit codes."""

JSON_FORMATS = ("json", "jsonl")

LISTED_TERMS = 10
"""The number of shared terms that `--explain` lists for each result."""


def report(problems: Iterable[Problem] | None, *lines: str, found: object = True) -> int:
    """Print lines, but for empty ones, and the problems; return the exit code that these call for.

    Of many of a kind some are listed and the others counted. `--verbose`, or a verb without it,
    lists all, and also names what a message only counts, such as symbolic links. `--quiet` leaves
    warnings out. Without problems the code depends with `--exit-code` on whether anything was
    `found`.
    """
    for line in filter(None, lines):
        say(line)
    kinds = kinds_of(problems) if problems else []
    every = is_set(VERBOSE, otherwise=True)
    for kind in kinds:
        listed = kind.problems if every else kind.listed
        for problem in listed:
            _say(kind.severity, problem.message)
            for path in problem.paths if every else ():
                say(f"  {shown(path)}")
        if more := len(kind.problems) - len(listed):
            what = f"{more:,} more of this kind ({kind.summary}); --verbose lists them"
            _say(kind.severity, what)
    if any(kind.severity == "error" for kind in kinds):
        return UNREADABLE
    return NOTHING_FOUND if is_set(FOUND) and not found else 0


def _say(severity: str, message: str) -> None:
    say(f"{severity}: {message}", always=severity == "error")


def _as_records(problems: Iterable[Problem]) -> list[dict[str, str]]:
    names = ("severity", "category", "path", "message")
    return [{name: getattr(problem, name) for name in names} for problem in problems]


def print_rows(
    form: str | None,
    columns: Sequence[str] | type[Any],
    rows: Iterable[Any],
    schema: str,
    problems: Iterable[Problem] | None = None,
    then: Callable[[], None] | None = None,
    **beside: object,
) -> None:
    """Print rows to standard output: mappings, or dataclasses, whose type may stand for `columns`.

    `beside` and problems go into JSON only. `problems` are iterated after the rows. `then` is
    called when all is written, unless its reader has ended.
    """
    from sdtext.model.displayed_results import columns_in_files
    from sdtext.reports.row_formats import write_rows

    form = format_of_rows(form)
    names = columns_in_files(columns) if isinstance(columns, type) else columns
    whole: dict[str, Any] = {"schema": schema, **beside}
    records: Iterable[Mapping[str, Any]] = (
        row if isinstance(row, Mapping) else dict(_cells(row, names, form)) for row in rows
    )
    if problems is not None and form == "json":
        records = list(records)
        whole["problems"] = _as_records(problems)
    with while_read():
        write_rows(sys.stdout.buffer, form, names, records, whole)
        if then:
            sys.stdout.flush()
            then()
    if form == "table" and "chance" in names:  # what the chances mean
        from sdtext.model.calibration import legend_of

        for line in legend_of([row.chance for row in rows if row.chance]):
            say(line)


def _cells(row: Any, columns: Iterable[str], form: str) -> Iterator[tuple[str, Any]]:
    """The columns of a row; its chance as numbers in JSON, briefly in a table, else in words."""
    for name in columns:
        value = getattr(row, name)
        if name == "chance" and value:
            value = value.brief if form == "table" else _chance(value, form)
        elif name == "shared_terms" and value:
            value = list(map(asdict, value))
        yield name, value


def _chance(chance: Chance, form: str) -> dict[str, Any] | str:
    return chance.as_record() if form in JSON_FORMATS else str(chance)


def print_search(result: SearchResult[Any], schema: str, form: str | None) -> int:
    """Print what a search found and how it searched; return the exit code."""
    from sdtext.search.search_explanations import describe_curve

    beside: dict[str, Any] = {"how": result.how, "curve": result.curve}
    if number := getattr(result, "nothing_rare", 0):
        beside["nothing_rare"] = number
    print_rows(form, result.columns, result.rows, schema, result.problems, **beside)
    noun = "pair" if result.columns[0] == "left" else "document"
    lines = result.how, describe_curve(result.curve), f"{counted(len(result.rows), noun)} found"
    return report(result.problems, *lines, found=result.rows)


def print_signatures(
    files: Iterable[str], work: Callable[[str], Iterable[Signature]], form: str | None
) -> int:
    """Print the signatures that `work` gives of each file; return the highest exit code."""
    from sdtext.sharing.signatures import Signature

    rows, problems, code = list[dict[str, Any]](), list[Problem](), 0
    for path in files:
        try:
            rows += (signature._asdict() for signature in work(path))
        except SdtextError as error:
            problems.append(Problem.of(error, path))
            code = max(code, exit_code(error))
    print_rows(form, Signature._fields, rows, "sdtext/signatures/1", problems)
    report(problems)
    return code


def print_texts(texts: Iterable[str]) -> None:
    """Print texts that may control the terminal, to standard output one after the other."""
    with while_read():
        for text in texts:
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def print_record(
    form: str | None,
    schema: str,
    record: Mapping[str, Any],
    problems: Sequence[Problem] | None = None,
) -> None:
    """Print one record to standard output, in JSON with the problems."""
    from sdtext.reports.row_formats import write_record

    form = format_of_rows(form)
    if "curve" in record and form not in JSON_FORMATS:
        from sdtext.search.search_explanations import describe_curve

        record = {**record, "curve": describe_curve(record["curve"])}
    if chance := record.get("chance"):
        record = {**record, "chance": _chance(chance, form)}
    if problems is not None and form in JSON_FORMATS:
        record = {**record, "problems": _as_records(problems)}
    with while_read():
        write_record(sys.stdout.buffer, form, schema, record)


def format_of_rows(form: str | None) -> str:
    """That format, or by default a table for people on a terminal, otherwise TSV."""
    return form or ("table" if sys.stdout.isatty() else "tsv")


def is_typed(name: str) -> bool:
    """Whether the parameter stands on the command line, not in the environment or a file."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def warn_of_unexplained(number: int) -> None:
    """Say that the shared terms of so many results are not known."""
    if number:
        what = f"the shared terms of {counted(number, 'result')} are not listed"
        say(f"warning: {what}, because the dictionary is not available; name it with -d")
