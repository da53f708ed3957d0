"""ListParts: list the parts that recipes can name."""

from __future__ import annotations

import click

from sdtext.cli.options.common import format_option
from sdtext.cli.print_results import print_rows
from sdtext.cli.verb import Verb
from sdtext.parts.registry import PARTS


@click.command(cls=Verb, epilog="Example: sdtext ListParts filters")
@click.argument("kind", required=False, metavar="[KIND]", type=click.Choice(list(PARTS)))
@format_option
def command(kind: str | None, form: str | None) -> None:
    """List the parts that recipes can name, with their options and what they do.

    KIND is one of readers, containers, tables, units, tokenizers, filters, shinglers, hashes,
    fingerprints, indexes, matchers, aligners and manglers; without KIND, all are listed.
    """
    from dataclasses import asdict

    from sdtext.parts.registry import list_parts

    rows = [asdict(part) for part in list_parts(kind)]
    print_rows(form, ["kind", "name", "options", "does"], rows, "sdtext/parts/1")
