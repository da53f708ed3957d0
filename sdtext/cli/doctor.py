"""Doctor: what files are taken for, and why nothing comes out of some."""

from __future__ import annotations

from dataclasses import asdict, fields

import click

from sdtext.cli.main import say
from sdtext.cli.options import (
    UNREADABLE,
    files_option,
    format_option,
    jobs_option,
    print_rows,
    report,
    running,
)
from sdtext.cli.reading import reading_options
from sdtext.diagnosis import Finding, examine
from sdtext.errors import counted
from sdtext.reading import Reading


@click.command(epilog="Example: sdtext Doctor inbox/")
@files_option("-i", "--input", metavar="FILE", words="A file or folder.")
@format_option
@reading_options
@jobs_option
def command(files: list[str], form: str | None, reading: Reading, jobs: int | None) -> int:
    """Say what each FILE is taken for, what reads it, and how much text comes out.

    Where nothing comes out, or not all, problem says why. Files in archives and attachments of
    mails have rows of their own, as ARCHIVE!NAME.
    """
    with running(reading, jobs, files) as run:
        rows = list(examine(files, run))
    columns = [field.name for field in fields(Finding)]
    problems = run.problems or []
    print_rows(form, columns, map(asdict, rows), "sdtext/doctor/1", problems)
    read = sum(row.characters is not None for row in rows)
    say(f"{counted(read, 'text')} read, {sum(one.severity == 'error' for one in problems)} not")
    seen = {row.path for row in rows}
    code = report(one for one in problems if one.path not in seen)
    return code or (UNREADABLE if any(one.severity == "error" for one in problems) else 0)
