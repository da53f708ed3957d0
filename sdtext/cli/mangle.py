"""Mangle: write edited copies of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.batch_run import running
from sdtext.cli.options.common import force_option, format_option, jobs_option
from sdtext.cli.options.reading import folder_options
from sdtext.cli.options.values import InputPath, PartName, WholeNumber
from sdtext.cli.print_results import default_format, print_rows, report
from sdtext.cli.verb import Verb

if TYPE_CHECKING:
    from sdtext.experiment.mangled_copies import MangledCopy
    from sdtext.reading.options import Reading

_COLUMNS = ("copy", "original", "mangler", "number", "seed", "related", "lenders")


@click.command(
    cls=Verb,
    epilog="Examples: sdtext Mangle letters/ -m 'keep-lines(share=0.5)' --copies 5 -o copies/\n\n"
    "sdtext Mangle memo.docx -m ocr -m 'fragment(share=0.2)' -o copies/",
)
@click.argument("files", type=InputPath(), metavar="FILE...", nargs=-1, required=True)
@click.option(
    "-m",
    "--mangler",
    "manglers",
    multiple=True,
    required=True,
    type=PartName("manglers"),
    metavar="MANGLER",
    help="How copies are edited, such as shuffle, or 'name(option=value)'; ListParts manglers "
    "lists them. Repeatable: copies by each.",
)
@click.option(
    "--copies",
    type=WholeNumber(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of copies of each document by each mangler.",
)
@click.option(
    "--seed",
    type=WholeNumber(min=0),
    default=1,
    show_default=True,
    metavar="S",
    help="Selects the random numbers: with another seed the copies are others.",
)
@click.option(
    "--others",
    multiple=True,
    type=InputPath(),
    metavar="PATH",
    help="Documents or folders that lend text to copies, and are not copied. Repeatable.  "
    "[default: the other FILEs alone]",
)
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    metavar="DIR",
    help="The folder for the files of the copies.",
)
@force_option
@format_option
@folder_options
@jobs_option
def command(
    files: tuple[str, ...],
    manglers: tuple[str, ...],
    copies: int,
    seed: int,
    others: tuple[str, ...],
    folder: str,
    force: bool,
    form: str | None,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Write edited copies of each FILE, and list which copy came from which file.

    A folder stands for all documents in it and below it. Copies are text files in UTF-8. The same
    file, mangler and seed give the same copy, in any order of files and with any number of
    processes; where a mangler takes text from other documents, the same set of documents is needed.
    """
    from sdtext.experiment.mangled_copies import CopyFolder, CopyPlan

    plan = CopyPlan(manglers, copies, seed)
    target = CopyFolder(folder, force)
    try:
        with running(reading, jobs, [*files, *others]) as run:
            saved = target.write(files, plan, run, others)
            form = form or default_format()
            rows = (_row(file, copy, form) for file, copy in saved)
            print_rows(form, _COLUMNS, rows, "sdtext/mangle/1", run.problems)
    except KeyboardInterrupt:
        target.discard()
        raise
    return report(run.problems or ())


def _row(file: str, copy: MangledCopy, form: str) -> dict[str, Any]:
    """The row of a copy; in a table with the number of its lenders, which may be many."""
    lenders = (len(copy.lenders) or None) if form == "table" else copy.lenders
    row = {name: getattr(copy, name) for name in _COLUMNS[1:]}
    return {"copy": file, **row, "lenders": lenders}
