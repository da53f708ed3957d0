"""TokenizeFile: what a recipe makes of a file."""

from __future__ import annotations

import sys

import click

from sdtext.chain import Chain
from sdtext.cli.options import print_rows, reading_options
from sdtext.documents import Reading, read
from sdtext.recipe import load_recipe
from sdtext.reports.rows import FORMATS


@click.command(
    epilog="Examples: sdtext TokenizeFile -i letter.txt -c configs/english.toml\n\n"
    "sdtext TokenizeFile -c configs/english.toml --explain Constitutional"
)
@click.option("-i", "--input", "path", metavar="FILE", help="The document; - is stdin.")
@click.option(
    "-c", "--config", required=True, metavar="CONFIG", help="A recipe, or a dictionary with one."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *FORMATS]),
    default="text",
    show_default=True,
    help="text is one term a line; the others have its place in the text too.",
)
@click.option("--explain", "word", metavar="WORD", help="Show what each filter makes of WORD.")
@reading_options
def command(path: str | None, config: str, form: str, word: str | None, reading: Reading) -> None:
    """Print the terms that a recipe makes of FILE, in its order.

    Places count code points of the text as ExtractText prints it, the end exclusive.
    """
    chain = Chain(load_recipe(config))
    if (word is None) == (path is None):
        raise click.UsageError("give either -i FILE or --explain WORD")
    if word is not None:
        rows = [{"filter": name, "word": made or None} for name, made in chain.explain(word)]
        print_rows(None if form == "text" else form, ["filter", "word"], rows, "sdtext/explain/1")
        return
    tokens = chain.tokens(read(str(path), reading))
    if form == "text":
        lines = "".join(f"{term}\n" for term in tokens.words)
        sys.stdout.buffer.write(lines.encode("utf-8", "surrogatepass"))
        return
    columns = ["token", "start", "end"]
    columns_of = zip(tokens.words, tokens.starts, tokens.ends, strict=True)
    print_rows(
        form,
        columns,
        [dict(zip(columns, row, strict=True)) for row in columns_of],
        "sdtext/tokens/1",
    )
