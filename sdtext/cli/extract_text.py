"""ExtractText: what the readers make of a file."""

from __future__ import annotations

import click

from sdtext.cli.options import reading_options
from sdtext.documents import Reading, read
from sdtext.formats.writing import written


@click.command(epilog="Example: sdtext ExtractText -i page.html -o page.txt")
@click.option("-i", "--input", "path", required=True, metavar="FILE", help="The file; - is stdin.")
@click.option("-o", "--output", default="-", metavar="OUT", help="Where the text goes.")
@reading_options
def command(path: str, output: str, reading: Reading) -> None:
    """Print the text that is read from FILE, in UTF-8."""
    document = read(path, reading)
    with written(output) as file:
        file.write(document.text.encode("utf-8", "surrogatepass"))
