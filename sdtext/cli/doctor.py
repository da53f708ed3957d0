"""Doctor: diagnose how files are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import exit_code, say
from sdtext.cli.options.common import files_option, format_option, jobs_option
from sdtext.cli.options.reading import folder_options, reading_options
from sdtext.cli.print_results import UNREADABLE, print_rows, report
from sdtext.cli.verb import Verb
from sdtext.errors import FormatError, NotTextError, counted
from sdtext.reports.command_line_words import for_command_line

if TYPE_CHECKING:
    from sdtext.file_diagnosis import Finding
    from sdtext.model import Problem
    from sdtext.reading.options import Reading


@click.command(cls=Verb, epilog="Example: sdtext Doctor inbox/")
@files_option("-i", "--input", metavar="FILE", words="A file or folder.")
@format_option
@reading_options
@folder_options("files")
@jobs_option
def command(files: list[str], form: str | None, reading: Reading, jobs: int | None) -> int:
    """Show the detected kind of each FILE, its reader, and how much text is read.

    If no text is read, or not all, problem gives the reason. Files in archives and attachments of
    mails have rows of their own, as ARCHIVE!NAME. A collection is verified byte by byte.
    """
    from sdtext.file_diagnosis import Finding, examine

    with running(reading, jobs, files) as run:
        rows = list(examine(files, run))
    columns = [field.name for field in fields(Finding)]
    problems = run.problems or []
    worded = (replace(row, problem=row.problem and for_command_line(row.problem)) for row in rows)
    print_rows(form, columns, map(asdict, worded), "sdtext/doctor/1", problems)
    _summarise(rows, problems)
    seen = {row.path for row in rows}
    code = report(problem for problem in problems if problem.path not in seen)
    return code or next((_code(problem) for problem in problems if problem.severity == "error"), 0)


def _summarise(rows: Sequence[Finding], problems: Sequence[Problem]) -> None:
    """Print how many texts were read and how many collections were verified."""
    from sdtext.file_diagnosis import COLLECTION

    read = sum(row.characters is not None for row in rows)
    errors = [
        problem.path
        for problem in problems
        if problem.severity == "error" or problem.category == NotTextError.category
    ]
    sound = sum(row.kind == COLLECTION and row.path not in errors for row in rows)
    failed = len(errors)
    if read or failed or not sound:
        say(f"{counted(read, 'text')} read, {failed} not")
    if sound:
        say(f"{counted(sound, 'collection')} verified: no damage found")


def _code(problem: Problem) -> int:
    """The exit code for a problem."""
    from sdtext.collections.integrity import DAMAGED

    return exit_code(FormatError()) if problem.category == DAMAGED else UNREADABLE
