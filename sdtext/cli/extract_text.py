"""ExtractText: print the text of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import while_read
from sdtext.cli.options.common import file_option, force_option, format_option
from sdtext.cli.options.reading import reading_options
from sdtext.cli.options.values import TEXT_PATH, InputPath, PartName
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import Verb, is_typed
from sdtext.errors import OptionError, UnreadableError, shown

if TYPE_CHECKING:
    from sdtext.model import Problem
    from sdtext.parts.units import Unit
    from sdtext.reading.options import Reading


_COLUMNS = ("number", "start", "end", "title", "text")


@click.command(
    cls=Verb,
    epilog="Examples: sdtext ExtractText page.html -o page.txt\n\n"
    "sdtext ExtractText book.epub --unit chapter --format jsonl",
)
@file_option("-i", "--input", to="path", metavar="FILE", words="The file; - is stdin.")
@click.option(
    "-o",
    "--output",
    type=TEXT_PATH,
    default="-",
    metavar="OUT",
    help="The file to write.  [default: -, standard output]",
)
@click.option(
    "-c",
    "--config",
    type=InputPath("recipes"),
    metavar="RECIPE",
    help="A recipe that names a reader.  [default: the reader of the file's format]",
)
@click.option(
    "--unit",
    type=PartName("units"),
    metavar="UNIT",
    callback=lambda _context, _option, text: _unit(text) if text else None,
    help="Print one row for each unit: document, page, chapter, paragraph or sentence, optionally "
    "with options: 'sentence(length=150)'.",
)
@force_option
@format_option
@reading_options
def command(
    path: str,
    output: str,
    config: str | None,
    unit: Unit | None,
    force: bool,
    form: str | None,
    reading: Reading,
) -> int:
    """Print the text of FILE, in UTF-8.

    For an archive, a mailbox or a mail with attachments, the texts of all files in it follow one
    another; PATH!NAME names one of them. Places of units are half-open ranges in code points of
    the text. --format without --unit prints the whole document as one row.
    """
    from sdtext.io.output import written
    from sdtext.parts.load_recipe import files_of_recipe, load_recipe
    from sdtext.reading.overwrite_guard import PLAIN, Output

    if form and not unit and is_typed("form"):
        unit = _unit("document")
    if unit and output != "-":
        raise click.UsageError("rows (--unit, --format) go to standard output; omit -o")
    target = Output(output, PLAIN, force)
    target.check([path, *(files_of_recipe(config) if config else ())])
    reading = reading.preferring(load_recipe(config).reader) if config else reading
    if unit:
        return _print_units(path, unit, form, reading)
    problems: list[Problem] = []
    with while_read(), ExitStack() as stack:
        # An unreadable file is reported before the output is opened.
        opened = cache(lambda: stack.enter_context(written(output, target.check_replaced)))
        _write_texts(path, reading, problems, lambda text: opened().write(text))
    return report(problems)


def _write_texts(
    path: str, reading: Reading, problems: list[Problem], write: Callable[[bytes], object]
) -> None:
    """Write the text of each document at `path`, each ended by a line end.

    Errors go to `problems`.
    """
    from sdtext.model import Problem
    from sdtext.reading.main_process_limits import within_limits
    from sdtext.reading.read_document import Source
    from sdtext.reading.walk import expand_archives

    for document in expand_archives([path], reading, problems.append):
        end = "\n"
        try:
            source = Source.at(document, reading)
            with within_limits(reading.limits, shown(document)):
                for block in source.blocks():
                    write(block.encode("utf-8", "surrogatepass"))
                    end = block[-1:] or end
            problems += source.problems
        except UnreadableError as error:
            if document == Path(path):
                raise
            problems.append(Problem.of(error, document))
        if document != Path(path) and end != "\n":
            write(b"\n")


def _unit(text: str) -> Unit:
    from sdtext.reading.read_document import unit_of

    return unit_of(text)


def _print_units(path: str, unit: Unit, form: str | None, reading: Reading) -> int:
    from sdtext.reading.main_process_limits import within_limits
    from sdtext.reading.walk import expand_archives

    problems: list[Problem] = []
    documents = list(islice(expand_archives([path], reading, problems.append), 2))
    if documents[:1] == [Path(path)]:  # a mail: without its attachments
        del documents[1:]
    if len(documents) > 1:
        raise OptionError(f"contains several documents; name one: {shown(documents[0])}", file=path)
    for place in documents:
        with within_limits(reading.limits, shown(place)):
            rows = _rows(place, unit, reading, problems)
            print_rows(form, _COLUMNS, rows, "sdtext/units/1", problems)
    return report(problems)


def _rows(
    place: Path, unit: Unit, reading: Reading, problems: list[Problem]
) -> Iterator[dict[str, str | int]]:
    """A row for each unit of the document at `place`; a warning where it has no chapters."""
    from sdtext.model import Problem
    from sdtext.parts.units.pages_chapters_paragraphs import Chapter
    from sdtext.reading.read_document import Source

    source = Source.at(place, reading)
    document = source.document()
    problems += source.problems
    spans = unit(document)
    if isinstance(unit, Chapter) and not any(span.title for span in spans):
        what = "has no headings of chapters; the whole text is one"
        message = f"{shown(place)}: {what}"
        problems.append(Problem("warning", "no-chapters", message, str(place), what))
    for number, span in enumerate(spans, 1):
        yield {
            "number": number,
            "start": span.start,
            "end": span.end,
            "title": span.title,
            "text": document.text[span.start : span.end],
        }
