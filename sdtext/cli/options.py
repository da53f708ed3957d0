"""What the verbs share: common options, where results go, what is said beside them."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import click

from sdtext.corpus import Amount, Run
from sdtext.documents import Reading
from sdtext.errors import OptionError
from sdtext.model import Origin, Problem, System
from sdtext.readers.content import MAX_BYTES
from sdtext.reports.rows import FORMATS, write_record, write_rows

UNREADABLE = 3
_PARALLEL_BYTES = 16 << 20  # below this, starting processes costs more than they save

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How rows are printed; a table on a terminal, else TSV.",
)
encoding_option = click.option(
    "--encoding", default="", help="The encoding of the documents, if it is not found out rightly."
)
max_bytes_option = click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    default=MAX_BYTES,
    help="The most that a compressed file may unpack to, in bytes.  [default: 256 MB]",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="How many processes share the work.  [default: one a core for much work]",
)


def matcher_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`-m MATCHER`."""
    words = "How to compare: a matcher's name, or 'name(option=value)'; ListParts lists them."
    return click.option("-m", "--matcher", metavar="MATCHER", help=words)(function)


def min_terms_option(default: int) -> Decorator:
    """`--min-terms N`."""
    words = "With fewer terms than this on a side there is no score."
    return click.option(
        "--min-terms", type=click.IntRange(min=1), default=default, show_default=True, help=words
    )


class AmountType(click.ParamType[Amount]):
    """COUNT or PERCENT%."""

    name = "COUNT|PERCENT%"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Amount:
        if isinstance(value, Amount):
            return value
        try:
            return Amount.parse(value)
        except OptionError as error:
            self.fail(str(error), param, ctx)


def say(message: str) -> None:
    """A line for the person at the terminal, on the standard error."""
    safe = message.encode("utf-8", "backslashreplace").decode("utf-8")
    click.echo(safe, err=True)


def report(problems: Iterable[Problem]) -> int:
    """Say each problem in a line; the exit code that they call for."""
    code = 0
    for problem in problems:
        say(f"{problem.severity}: {problem.message}")
        if problem.severity == "error":
            code = UNREADABLE
    return code


def print_rows(
    form: str | None,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, Any]],
    schema: str,
    problems: Sequence[Problem] = (),
) -> None:
    """Print rows to the standard output."""
    whole: dict[str, Any] = {"schema": schema}
    told = [
        {
            "severity": one.severity,
            "category": one.category,
            "path": one.path,
            "message": one.message,
        }
        for one in problems
    ]
    if told or schema.startswith("sdtext/compare"):
        whole["problems"] = told
    write_rows(sys.stdout.buffer, form or _default_format(), columns, rows, whole)


def print_record(form: str | None, schema: str, record: Mapping[str, Any]) -> None:
    """Print one record to the standard output."""
    write_record(sys.stdout.buffer, form or _default_format(), schema, record)


def _default_format() -> str:
    return "table" if sys.stdout.isatty() else "tsv"


def name_of(output: str) -> str:
    """The name of a dictionary that is written to `output`, unless it is given one."""
    return Path(output).name.removesuffix(".gz").removesuffix(".xml")


def origin() -> Origin:
    """A new GUID, the time and the machine: what a file made now says of its making."""
    system = os.uname() if hasattr(os, "uname") else None
    return Origin(
        str(uuid4()),
        datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        System(
            system.sysname if system else sys.platform,
            system.release if system else "",
            socket.gethostname(),
            system.machine if system else "",
        ),
    )


@contextmanager
def running(reading: Reading, jobs: int | None, files: Sequence[Path] = ()) -> Iterator[Run]:
    """A Run that keeps problems, and shows a progress bar where the standard error is a terminal.

    Without `jobs` all cores are used if `files` are large.
    """
    if jobs is None:
        size = sum(_size(path) for path in files)
        jobs = (os.cpu_count() or 1) if size > _PARALLEL_BYTES else 1
    if not sys.stderr.isatty():
        yield Run(jobs, reading, [])
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, advance=done, total=total)

        yield Run(jobs, reading, [], progress)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
