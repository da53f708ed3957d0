"""Doctor: diagnose how files are read."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import exit_code, say
from sdtext.cli.options.common import format_option, jobs_option
from sdtext.cli.options.reading import folder_options
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import UNREADABLE, print_rows, report
from sdtext.cli.verb import Verb
from sdtext.errors import FormatError, NotTextError
from sdtext.wording import counted

if TYPE_CHECKING:
    from sdtext.reading.options import Reading


@click.command(cls=Verb, epilog="Example: sdtext Doctor inbox/")
@click.argument("files", type=InputPath(), metavar="FILE...", nargs=-1, required=True)
@format_option
@folder_options
@jobs_option
def command(files: tuple[str, ...], form: str | None, reading: Reading, jobs: int | None) -> int:
    """Show the detected kind of each FILE, its reader, and how much text is read.

    If no text is read, or not all, problem gives the reason. Files in archives and attachments of
    mails have rows of their own, as ARCHIVE!NAME. A collection is verified byte by byte.
    """
    from sdtext.collections.integrity import DAMAGED
    from sdtext.file_diagnosis import COLLECTION, Finding, examine

    with running(reading, jobs, files) as run:
        rows = list(examine(files, run=run))
    problems = run.problems or []
    columns = [field.name for field in fields(Finding)]
    print_rows(form, columns, map(asdict, rows), "sdtext/doctor/1", problems)
    errors = [
        problem.path
        for problem in problems
        if problem.severity == "error" or problem.category == NotTextError.category
    ]
    read = sum(row.characters is not None for row in rows)
    sound = sum(row.kind == COLLECTION and row.path not in errors for row in rows)
    if read or errors or not sound:
        say(f"{counted(read, 'text')} read, {len(errors)} not")
    if sound:
        say(f"{counted(sound, 'collection')} verified: no damage found")
    seen = {row.path for row in rows}
    code = report(problem for problem in problems if problem.path not in seen)
    first = next((problem for problem in problems if problem.severity == "error"), None)
    if code or first is None:
        return code
    return exit_code(FormatError()) if first.category == DAMAGED else UNREADABLE
