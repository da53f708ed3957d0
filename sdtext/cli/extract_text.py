"""ExtractText: print the text of a file."""

from dataclasses import asdict
from itertools import chain

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import while_read
from sdtext.cli.options import common, reading
from sdtext.cli.options.values import TEXT_PATH, PartName
from sdtext.cli.print_results import is_typed, print_rows, report
from sdtext.cli.verb import verb
from sdtext.model import Problem


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
    from sdtext.parts.load_recipe import files_of_recipe, load_recipe
    from sdtext.reading.overwrite_guard import PLAIN, Output
    from sdtext.reading.read_document import read, text_of_files, units

    target = Output(output, PLAIN, force)
    target.check([path, *files_of_recipe(config)])
    reading = batch.reading.preferring(load_recipe(config).reader) if config else batch.reading
    if unit or (form and is_typed("form")):
        if output != "-":
            raise click.UsageError("rows (--unit, --format) go to standard output; omit -o")
        document = read(path, reading=reading)
        rows = (
            {"number": number, **asdict(span), "text": document.text[span.start : span.end]}
            for number, span in enumerate(units(document, unit or "document"), 1)
        )
        columns = ("number", "start", "end", "title", "text")
        print_rows(form, columns, rows, "sdtext/units/1", document.problems)
        return report(document.problems)
    problems: list[Problem] = []
    blocks = text_of_files(path, reading, problems.append)
    for first in blocks:  # a file that cannot be read is reported before the output is opened
        with while_read(), written(output, target.check_replaced) as file:
            for block in chain([first], blocks):
                file.write(block.encode("utf-8", "surrogatepass"))
    return report(problems)
