"""ListRecipes: list the recipes that come with sdtext."""

from sdtext.cli.options import common
from sdtext.cli.print_results import print_rows
from sdtext.cli.verb import verb
from sdtext.parts.bundled_dictionaries_and_recipes import PURPOSES


@verb("sdtext ListRecipes --for passages")
@common.option("--for", "purpose", choices=PURPOSES, help="Only the recipes for this purpose.")
@common.rows_format
def command(purpose: str | None, form: str | None) -> None:
    """List the recipes that come with sdtext: name, language, purpose and title.

    Every option -c RECIPE takes such a name, or the path of a file. A recipe for a dictionary
    defines terms; one for near-duplicates or passages also what a collection stores.
    """
    from sdtext.parts.bundled_dictionaries_and_recipes import list_recipes

    columns = ["name", "language", "for", "title"]
    rows = ([each.name, each.language, each.purpose, each.title] for each in list_recipes(purpose))
    records = (dict(zip(columns, row, strict=True)) for row in rows)
    print_rows(form, columns, records, "sdtext/recipes/1")
