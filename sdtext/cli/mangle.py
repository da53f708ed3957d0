"""Mangle: write edited copies of documents."""

from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, reading
from sdtext.cli.print_results import format_of_rows, print_rows, report
from sdtext.cli.verb import verb

_COLUMNS = ("copy", "original", "mangler", "number", "seed", "related", "lenders")


@verb(
    "sdtext Mangle letters/ -m 'keep-lines(share=0.5)' --copies 5 -o copies/",
    "sdtext Mangle memo.docx -m ocr -m 'fragment(share=0.2)' -o copies/",
)
@common.inputs("FILE")
@common.manglers(
    "mangler",
    "How copies are edited, such as shuffle, or 'name(option=value)'; ListParts manglers "
    "lists them. Repeatable: copies by each.",
    "-m",
    required=True,
)
@common.option(
    "--copies", least=1, default=1, help="Number of copies of each document by each mangler."
)
@common.shared("seed", "Selects the random numbers: with another seed the copies are others.")
@common.paths(
    "--others",
    metavar="PATH",
    words="Documents or folders that lend text to copies, and are not copied. Repeatable.  "
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
@common.force
@common.rows_format
@reading.plain_folders
def command(
    files: tuple[str, ...],
    others: tuple[str, ...],
    folder: str,
    form: str | None,
    batch: Batch,
    **copying: Any,
) -> int:
    """Write edited copies of each FILE, and list which copy came from which file.

    A folder stands for all documents in it and below it. Copies are text files in UTF-8. The same
    file, mangler and seed give the same copy, in any order of files and with any number of
    processes; where a mangler takes text from other documents, the same set of documents is needed.
    """
    from sdtext.experiment.mangled_copies import saved_copies

    with (
        batch.running([*files, *others]) as run,
        saved_copies(folder, files, others=others, run=run, **copying) as saved,
    ):
        rows = (
            {name: getattr(copy, name, file) for name in _COLUMNS}
            # a table has the number of lenders, which may be many
            | ({"lenders": len(copy.lenders) or None} if format_of_rows(form) == "table" else {})
            for file, copy in saved
        )
        print_rows(form, _COLUMNS, rows, "sdtext/mangle/1", run.problems)
    return report(run.problems)
