"""ExtractText: what the readers make of a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options import format_option, print_rows, refuse_inputs, report
from sdtext.cli.reading import reading_options
from sdtext.errors import OptionError, UnreadableError, shown

if TYPE_CHECKING:
    from sdtext.model import Problem
    from sdtext.reading.options import Reading


_COLUMNS = ("number", "start", "end", "title", "text")


@click.command(
    epilog="Examples: sdtext ExtractText -i page.html -o page.txt\n\n"
    "sdtext ExtractText -i book.epub --unit chapter --format jsonl"
)
@click.option("-i", "--input", "path", required=True, metavar="FILE", help="The file; - is stdin.")
@click.option("-o", "--output", default="-", metavar="OUT", help="Where the text goes.")
@click.option("-c", "--config", metavar="CONFIG", help="A recipe that names a reader.")
@click.option(
    "--unit",
    metavar="UNIT",
    callback=lambda _context, _option, text: _unit(text) if text else None,
    help="Print a row for each document, page, chapter, paragraph or sentence instead; with "
    "options as in 'sentence(length=150)'.",
)
@format_option
@reading_options
def command(
    path: str, output: str, config: str | None, unit: Any, form: str | None, reading: Reading
) -> int:
    """Print the text that is read from FILE, in UTF-8.

    Of an archive, a mailbox and a mail with attachments, the text of all files in it, one after
    the other; PATH!NAME names one of them. Places of units count code points of the text, the
    end exclusive.
    """
    from sdtext.io.atomic import written
    from sdtext.parts.recipe import load_recipe

    if form and not unit:
        raise click.UsageError("--format is for the rows of --unit UNIT")
    if unit and output != "-":
        raise click.UsageError("the rows of --unit go to the standard output, without -o")
    refuse_inputs(output, [path])
    reading = reading.preferring(load_recipe(config).reader) if config else reading
    if unit:
        return _print_units(path, unit, form, reading)
    problems: list[Problem] = []
    blocks = _texts(path, reading, problems)
    first = next(blocks, None)  # what cannot be read at all is said before a file is begun
    if first is not None:
        with written(output) as file:
            for block in chain([first], blocks):
                file.write(block.encode("utf-8", "surrogatepass"))
    return report(problems)


def _texts(path: str, reading: Reading, problems: list[Problem]) -> Iterator[str]:
    """The text of each document at `path`, a line end behind each; what cannot be read is noted."""
    from sdtext.model import Problem
    from sdtext.reading.source import Source
    from sdtext.reading.walk import opened

    for document in opened([path], reading, problems.append):
        end = "\n"
        try:
            source = Source.at(document, reading)
            for block in source.blocks():
                yield block
                end = block[-1:] or end
            problems += source.problems
        except UnreadableError as error:
            if document == Path(path):
                raise
            problems.append(Problem.of(error, document))
        if document != Path(path) and end != "\n":
            yield "\n"


def _unit(text: str) -> Any:
    """The unit that `text` spells."""
    from sdtext.parts.catalogue import build, parse

    spec = parse(text)
    if spec.name == "segment":
        raise OptionError("segment: cuts terms and not the text; Fingerprint has --segment for it")
    return build("units", spec)


def _print_units(path: str, unit: Any, form: str | None, reading: Reading) -> int:
    from sdtext.reading.source import Source
    from sdtext.reading.walk import opened

    problems: list[Problem] = []
    found = list(islice(opened([path], reading, problems.append), 2))
    if found[:1] == [Path(path)]:  # a mail, beside what is attached to it
        del found[1:]
    if len(found) > 1:
        raise OptionError(f"{shown(path)}: holds several documents; name one: {shown(found[0])}")
    for one in found:
        source = Source.at(one, reading)
        document = source.document()
        problems += source.problems
        rows = (
            {
                "number": number,
                "start": span.start,
                "end": span.end,
                "title": span.title,
                "text": document.text[span.start : span.end],
            }
            for number, span in enumerate(unit(document), 1)
        )
        print_rows(form, _COLUMNS, rows, "sdtext/units/1", problems)
    return report(problems)
