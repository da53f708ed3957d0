"""ExtractText: print the text of a file."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import while_read
from sdtext.cli.options import common, reading
from sdtext.cli.options.values import TEXT_PATH, PartName
from sdtext.cli.print_results import is_typed, print_rows, report
from sdtext.cli.verb import verb
from sdtext.errors import UnreadableError

if TYPE_CHECKING:
    from sdtext.cli.batch_run import Batch


@verb(
    "sdtext ExtractText page.html -o page.txt",
    "sdtext ExtractText book.epub --unit chapter --format jsonl",
)
@common.file_option(*("-i", "--input"), to="path", metavar="FILE", words="The file; - is stdin.")
@common.output("OUT", "The file to write.  [default: -, standard output]", TEXT_PATH, default="-")
@common.shared(
    "config", "A recipe that names a reader.  [default: the reader of the file's format]"
)
@click.option(
    "--unit",
    type=PartName("units"),
    metavar="UNIT",
    help="Print one row for each unit: document, page, chapter, paragraph or sentence, optionally "
    "with options: 'sentence(length=150)'.",
)
@common.force
@common.rows_format
@reading.single_files
def command(
    path: str,
    output: str,
    config: str | None,
    unit: str | None,
    force: bool,
    form: str | None,
    batch: Batch,
) -> int:
    """Print the text of FILE, in UTF-8.

    For an archive, a mailbox or a mail with attachments, the texts of all files in it follow one
    another; PATH!NAME names one of them. Places of units are half-open ranges in code points of
    the text. --format without --unit prints the whole document as one row.
    """
    from sdtext.io.output import written
    from sdtext.model import Problem
    from sdtext.parts.load_recipe import files_of_recipe, load_recipe
    from sdtext.reading.archive_members import expanded_files
    from sdtext.reading.main_process_limits import within_limits
    from sdtext.reading.overwrite_guard import PLAIN, Output
    from sdtext.reading.read_document import Source, read, unit_of

    target = Output(output, PLAIN, force)
    target.check([path, *(files_of_recipe(config) if config else ())])
    reading = batch.reading.preferring(load_recipe(config).reader) if config else batch.reading
    if unit or (form and is_typed("form")):
        if output != "-":
            raise click.UsageError("rows (--unit, --format) go to standard output; omit -o")
        divide = unit_of(unit or "document")
        document = read(path, reading=reading)
        rows = (
            {"number": number, **asdict(span), "text": document.text[span.start : span.end]}
            for number, span in enumerate(divide(document), 1)
        )
        columns = ("number", "start", "end", "title", "text")
        print_rows(form, columns, rows, "sdtext/units/1", document.problems)
        return report(document.problems)
    problems: list[Problem] = []
    with while_read(), ExitStack() as stack:
        # An unreadable file is reported before the output is opened.
        opened = cache(lambda: stack.enter_context(written(output, target.check_replaced)))
        for content in expanded_files([path], reading, problems.append):
            is_member = Path(content.path) != Path(path)
            end = "\n"
            try:
                source = Source(content, reading)
                with within_limits(reading.limits, content.name):
                    for block in source.blocks():
                        opened().write(block.encode("utf-8", "surrogatepass"))
                        end = block[-1:] or end
                problems += source.problems
            except UnreadableError as error:
                if not is_member:
                    raise
                problems.append(Problem.of(error, content.path))
            if is_member and end != "\n":
                opened().write(b"\n")
    return report(problems)
