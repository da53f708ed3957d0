"""Options, output and messages that several verbs share."""

from __future__ import annotations

import os
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import click

from sdtext.cli.main import say
from sdtext.errors import OptionError, OutputError, SdtextError, counted, shown
from sdtext.reports.rows import FORMATS

if TYPE_CHECKING:
    from sdtext.collections.filters import Condition
    from sdtext.model import Origin, Problem
    from sdtext.reading.batches import Amount, Run
    from sdtext.reading.options import Reading

UNREADABLE = 3
_BRIEFLY = ("drift", "short-text")
_MOST_LISTED = 3
_PARALLEL_BYTES = 4 << 20  # below this, starting processes costs more than they save

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Output format of rows.  [default: table on a terminal, otherwise TSV]",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Number of processes.  [default: 1; for much input, one per core]",
)


def files_option(*names: str, metavar: str, words: str) -> Decorator:
    """An option that can be repeated or given as bare arguments, passed as `files`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_files(
            *args: Any, named: Sequence[str], bare: Sequence[str], **options: Any
        ) -> Any:
            if not (named or bare):
                raise click.UsageError(f"no {metavar.lower()} is given; name one with {names[0]}")
            return function(*args, files=[*named, *bare], **options)

        argument = click.argument("bare", nargs=-1, metavar=f"[{metavar}]...")(with_files)
        help_text = f"{words} Repeatable, also as bare arguments."
        return click.option(*names, "named", multiple=True, metavar=metavar, help=help_text)(
            argument
        )

    return decorate


def matcher_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`-m MATCHER`."""
    words = (
        "Similarity measure: a matcher's name, or 'name(option=value)'. ListParts matchers lists "
        "them."
    )
    return click.option(
        "-m", "--matcher", metavar="MATCHER", help=words, callback=_canonical_matcher
    )(function)


def _canonical_matcher(
    _context: click.Context, _option: click.Parameter, matcher: str | None
) -> str | None:
    """The matcher in canonical spelling. Raises OptionError for an unknown name."""
    from sdtext.parts.catalogue import parse, settled

    return str(settled("matchers", parse(matcher))) if matcher else None


def dictionaries_option(words: str, *, required: bool = False) -> Decorator:
    """`-d DICT`, repeatable, passed as `dictionaries`."""
    return click.option(
        "-d",
        "--dictionary",
        "dictionaries",
        multiple=True,
        required=required,
        metavar="DICT",
        help=words,
    )


def segment_option(words: str) -> Decorator:
    """`--segment TOKENS[/STEP]`."""
    from sdtext.parts.units.segment import Segment

    return click.option(
        "--segment",
        metavar="TOKENS[/STEP]",
        callback=lambda _context, _option, text: None if text is None else Segment.parse(text),
        help=words,
    )


def where_option(words: str) -> Decorator:
    """`--where CONDITION`, parsed."""
    return click.option(
        "--where",
        metavar="CONDITION",
        callback=lambda _context, _option, text: None if text is None else _condition(text),
        help=f"{words}, such as \"year >= 2019 and organisation = 'HUT'\".",
    )


def _condition(text: str) -> Condition:
    from sdtext.collections.filters import Condition  # few verbs take one

    return Condition.parse(text)


def records_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--text-field` and `--id-field`, passed as `fields`."""

    @wraps(function)
    def with_fields(*args: Any, text_field: str, id_field: str, **options: Any) -> Any:
        from sdtext.reading.records import Fields  # few verbs take records

        return function(*args, fields=Fields(text_field, id_field), **options)

    identity = "Field of a record with its name.  [default: id; if there is none, the line number]"
    text = click.option(
        "--text-field",
        default="text",
        metavar="F",
        show_default=True,
        help="Field of a record with its text.",
    )
    return text(click.option("--id-field", default="", metavar="F", help=identity)(with_fields))


def min_terms_option(default: int) -> Decorator:
    """`--min-terms N`."""
    words = (
        "Minimum number of terms on each side for a score. Whole documents with equal terms need "
        "none."
    )
    return click.option(
        "--min-terms", type=click.IntRange(min=1), default=default, show_default=True, help=words
    )


class AmountType(click.ParamType["Amount"]):
    """COUNT or PERCENT%."""

    name = "COUNT|PERCENT%"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Amount:
        from sdtext.reading.batches import Amount

        if isinstance(value, Amount):
            return value
        try:
            return Amount.parse(value)
        except OptionError as error:
            self.fail(str(error), param, ctx)


def report(problems: Iterable[Problem]) -> int:
    """Print each problem in a line; return the exit code that they call for.

    Of a category that may apply to every document in a folder, only the first few are printed.
    """
    code = 0
    counts: Counter[str] = Counter()
    for problem in problems:
        counts[problem.category] += 1
        if problem.category not in _BRIEFLY or counts[problem.category] <= _MOST_LISTED:
            say(f"{problem.severity}: {problem.message}")
        if problem.severity == "error":
            code = UNREADABLE
    for category in _BRIEFLY:
        if (more := counts[category] - _MOST_LISTED) > 0:
            say(f"warning: {counted(more, 'document')} more with such a warning ({category})")
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
    from sdtext.reports.rows import write_rows

    whole: dict[str, Any] = {"schema": schema, **beside}
    listed = [
        {
            "severity": problem.severity,
            "category": problem.category,
            "path": problem.path,
            "message": problem.message,
        }
        for problem in problems or ()
    ]
    if problems is not None:
        whole["problems"] = listed
    write_rows(sys.stdout.buffer, form or default_format(), columns, rows, whole)


def print_record(form: str | None, schema: str, record: Mapping[str, Any]) -> None:
    """Print one record to standard output."""
    from sdtext.reports.rows import write_record

    write_record(sys.stdout.buffer, form or default_format(), schema, record)


def default_format() -> str:
    """The default format of rows: a table on a terminal, otherwise TSV."""
    return "table" if sys.stdout.isatty() else "tsv"


def refuse_inputs(output: str | None, inputs: Iterable[str | Path]) -> None:
    """Raise OutputError if the output would overwrite an input."""
    target = Path(output or "-")
    try:
        same = target.is_file() and any(target.samefile(path) for path in inputs)
    except (OSError, ValueError):
        return  # opening it will raise a better error
    if same:
        raise OutputError(f"{shown(target)}: is also an input; choose another output file")


def name_of(output: str) -> str:
    """The default name of a dictionary that is written to `output`."""
    return shown(Path(output).name.removesuffix(".gz").removesuffix(".xml"))


def origin() -> Origin:
    """A new GUID, the current time and this machine."""
    from sdtext.model import Origin, System

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
def running(reading: Reading, jobs: int | None, paths: Sequence[str]) -> Iterator[Run]:
    """A Run that collects problems and shows a progress bar on a terminal.

    Without `jobs`, all cores are used if `paths` hold much data.
    """
    from sdtext.reading.batches import Run
    from sdtext.reading.walk import size_of, walk

    if jobs is None:
        size = sum(size_of(path) for path in walk(paths, lambda _: None))
        jobs = (os.cpu_count() or 1) if size > _PARALLEL_BYTES else 1
    run = Run(jobs, reading, [])
    try:
        with _progress(run) as tracked:
            yield tracked
    except SdtextError as error:
        repeated = (str(error), *error.reasons)
        report(item for item in run.problems or () if item.message not in repeated)
        raise


@contextmanager
def _progress(run: Run) -> Iterator[Run]:
    if not sys.stderr.isatty():
        yield run
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=None)

        def progress(done: int, total: int) -> None:
            if bar.tasks[0].finished:  # a second phase: the files after the queries
                bar.reset(task)
            bar.update(task, advance=done, total=total)

        yield replace(run, progress=progress)
