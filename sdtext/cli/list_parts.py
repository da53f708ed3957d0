"""ListParts: list the parts that recipes can name."""

import click

from sdtext.cli.options import common
from sdtext.cli.print_results import print_rows
from sdtext.cli.verb import verb
from sdtext.parts.registry import PARTS


@verb("sdtext ListParts filters")
@click.argument("kind", required=False, metavar="[KIND]", type=click.Choice(list(PARTS)))
@common.rows_format
def command(kind: str | None, form: str | None) -> None:
    """List the parts that recipes can name, with their options and what they do.

    KIND is one of readers, containers, tables, units, tokenizers, filters, shinglers, hashes,
    fingerprints, indexes, matchers, aligners and manglers; without KIND, all are listed.
    """
    from sdtext.parts.registry import list_parts

    print_rows(form, ["kind", "name", "options", "does"], list_parts(kind), "sdtext/parts/1")
