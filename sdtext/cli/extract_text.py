"""ExtractText: what the readers make of a file."""

from __future__ import annotations

from itertools import chain

import click

from sdtext.cli.options import reading_options, refuse_inputs, report
from sdtext.documents import Reading, Source
from sdtext.formats.writing import written


@click.command(epilog="Example: sdtext ExtractText -i page.html -o page.txt")
@click.option("-i", "--input", "path", required=True, metavar="FILE", help="The file; - is stdin.")
@click.option("-o", "--output", default="-", metavar="OUT", help="Where the text goes.")
@reading_options
def command(path: str, output: str, reading: Reading) -> int:
    """Print the text that is read from FILE, in UTF-8."""
    refuse_inputs(output, [path])
    source = Source.at(path, reading)
    arriving = source.blocks()
    first = next(arriving)  # what cannot be read at all is said before a file is begun
    with written(output) as file:
        for block in chain([first], arriving):
            file.write(block.encode("utf-8", "surrogatepass"))
    return report(source.problems)
