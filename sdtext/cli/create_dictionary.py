"""CreateDictionary: the document frequencies of a collection."""

from __future__ import annotations

import click

from sdtext.artefacts import save
from sdtext.cli.options import (
    AmountType,
    encoding_option,
    jobs_option,
    max_bytes_option,
    name_of,
    origin,
    report,
    running,
    say,
)
from sdtext.corpus import Amount, create_dictionary, walk
from sdtext.documents import Reading
from sdtext.recipe import load_recipe


@click.command(
    epilog="Example: sdtext CreateDictionary -o letters.xml -p letters/ -c configs/english.toml"
)
@click.option("-o", "--output", required=True, metavar="DICT", help="The file to write.")
@click.option(
    "-p", "--path", "paths", multiple=True, metavar="DATASET", help="A file or folder; repeatable."
)
@click.option("-c", "--config", required=True, metavar="CONFIG", help="The recipe.")
@click.option("--name", metavar="NAME", help="The dictionary's name.  [default: that of DICT]")
@click.option("--sample", type=AmountType(), help="Use that many of the files.")
@click.option("--max-terms", type=AmountType(), help="Keep that many, the most frequent, terms.")
@encoding_option
@max_bytes_option
@jobs_option
@click.argument("more", nargs=-1, metavar="[DATASET]...")
def command(
    output: str,
    paths: tuple[str, ...],
    config: str,
    name: str | None,
    sample: Amount | None,
    max_terms: Amount | None,
    encoding: str,
    max_bytes: int,
    jobs: int | None,
    more: tuple[str, ...],
) -> int:
    """Count in how many documents of DATASET each term occurs.

    All files in a folder and below it are read. The recipe goes into the dictionary, so that
    later steps need it no more.
    """
    if not (paths or more):
        raise click.UsageError("no dataset; name a file or folder with -p")
    recipe = load_recipe(config)
    files = list(walk([*paths, *more], lambda _: None))
    with running(Reading(encoding, max_bytes), jobs, files) as run:
        made = create_dictionary([*paths, *more], recipe, sample, max_terms, run)
    dictionary = made.labelled(name or name_of(output), origin())
    save(dictionary, output)
    say(f"{len(dictionary.terms)} terms of {dictionary.documents} documents in {output}")
    return report(run.problems or ())
