"""CreateDictionary: count document frequencies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import while_read
from sdtext.cli.options import common, reading
from sdtext.cli.options.engine import engine
from sdtext.cli.options.values import XML_PATH
from sdtext.cli.origin import name_of, origin
from sdtext.cli.print_results import report
from sdtext.cli.verb import verb
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from sdtext.model import RecipeSpec
    from sdtext.model.dictionary import Dictionary
    from sdtext.reading.overwrite_guard import Output


@verb("sdtext CreateDictionary letters/ -c english -o letters.xml")
@common.output("DICT", "The file to write; - prints it.", XML_PATH, required=True)
@common.files_option("-p", "--path", metavar="DATASET", words="A file or folder.")
@common.shared(
    "config", "The recipe, such as english: a name of ListRecipes, or a file.", required=True
)
@common.option("--name", metavar="NAME", help="The dictionary's name.  [default: the file's name]")
@common.amount("--sample", "Use only so many of the files, such as 500 or 10%.  [default: all]")
@common.amount(
    "--max-terms", "Keep only so many terms: those in the most documents.  [default: all]"
)
@common.force
@reading.folders
@engine("output", "config", "name", "max_terms")
def command(
    output: str,
    files: list[str],
    config: str,
    name: str | None,
    force: bool,
    batch: Batch,
    **most: Any,
) -> int:
    """Count in how many documents of DATASET each term occurs.

    All files in a folder and below it are read. The dictionary contains the recipe; later steps
    do not need it again.
    """
    from sdtext.fingerprinting.build_dictionary import create_dictionary
    from sdtext.parts.load_recipe import files_of_recipe, load_recipe
    from sdtext.reading.overwrite_guard import DICTIONARY, Output

    recipe = load_recipe(config)
    target = Output(output, DICTIONARY, force)
    target.check([*files, *files_of_recipe(config)])
    with batch.running(files) as run:
        dictionary = create_dictionary(files, recipe, name=name or name_of(output), run=run, **most)
    return report(run.problems, *write(dictionary, target, recipe))


def write(dictionary: Dictionary, target: Output, recipe: RecipeSpec) -> Iterator[str]:
    """Write a dictionary by that recipe, and describe it."""
    from sdtext.analysis.tokenizer_chain import Chain
    from sdtext.fingerprinting.load_and_save import save

    dictionary = replace(dictionary, origin=origin())
    with while_read():
        save(dictionary, target.path, may_replace=target.check_replaced)
    where = "on standard output" if target.path == "-" else f"in {shown(target.path)}"
    terms, documents = len(dictionary.terms), dictionary.documents
    yield f"{counted(terms, 'term')} of {counted(documents, 'document')} {where}"
    named = {str(dict(part.options).get("language", "")) for part in dictionary.recipe.filters}
    if Chain(recipe).is_automatic and (languages := sorted(named - {""})):
        yield f"the language of its terms: {', '.join(languages)}"
