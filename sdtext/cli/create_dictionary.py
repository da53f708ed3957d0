"""CreateDictionary: count document frequencies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say, while_read
from sdtext.cli.options.common import files_option, force_option, jobs_option
from sdtext.cli.options.provenance import name_of, origin
from sdtext.cli.options.reading import folder_options
from sdtext.cli.options.values import XML_PATH, AmountType, InputPath
from sdtext.cli.print_results import report
from sdtext.cli.verb import Verb
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from sdtext.reading.options import Reading
    from sdtext.reading.parallel_run import Amount


@click.command(
    cls=Verb,
    epilog="Example: sdtext CreateDictionary letters/ -c english -o letters.xml",
)
@click.option(
    "-o",
    "--output",
    type=XML_PATH,
    required=True,
    metavar="DICT",
    help="The file to write; - prints it.",
)
@files_option("-p", "--path", metavar="DATASET", words="A file or folder.")
@click.option(
    "-c",
    "--config",
    required=True,
    type=InputPath("recipes"),
    metavar="RECIPE",
    help="The recipe, such as english: a name of ListRecipes, or a file.",
)
@click.option("--name", metavar="NAME", help="The dictionary's name.  [default: the file's name]")
@click.option(
    "--sample",
    type=AmountType(),
    help="Use only so many of the files, such as 500 or 10%.  [default: all]",
)
@click.option(
    "--max-terms",
    type=AmountType(),
    help="Keep only so many terms: those in the most documents.  [default: all]",
)
@force_option
@folder_options
@jobs_option
def command(
    output: str,
    files: list[str],
    config: str,
    name: str | None,
    sample: Amount | None,
    max_terms: Amount | None,
    force: bool,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Count in how many documents of DATASET each term occurs.

    All files in a folder and below it are read. The dictionary contains the recipe; later steps
    do not need it again.
    """
    from sdtext.fingerprinting.build_dictionary import create_dictionary
    from sdtext.fingerprinting.load_and_save import save
    from sdtext.parts.load_recipe import files_of_recipe, load_recipe
    from sdtext.reading.overwrite_guard import DICTIONARY, Output

    recipe = load_recipe(config)
    target = Output(output, DICTIONARY, force)
    target.check([*files, *files_of_recipe(config)])
    with running(reading, jobs, files) as run:
        dictionary = create_dictionary(
            files,
            recipe,
            sample=sample,
            max_terms=max_terms,
            name=name or name_of(output),
            run=run,
        )
    dictionary = replace(dictionary, origin=origin())
    with while_read():
        save(dictionary, output, may_replace=target.check_replaced)
    where = "on standard output" if output == "-" else f"in {shown(output)}"
    terms, documents = len(dictionary.terms), dictionary.documents
    say(f"{counted(terms, 'term')} of {counted(documents, 'document')} {where}")
    return report(run.problems or ())
