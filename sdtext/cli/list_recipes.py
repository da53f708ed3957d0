"""ListRecipes: list the recipes that come with sdtext."""

from __future__ import annotations

import click

from sdtext.cli.options.common import format_option
from sdtext.cli.print_results import print_rows
from sdtext.cli.verb import Verb
from sdtext.parts.bundled_dictionaries_and_recipes import PURPOSES


@click.command(cls=Verb, epilog="Example: sdtext ListRecipes --for passages")
@click.option(
    "--for", "purpose", type=click.Choice(PURPOSES), help="Only the recipes for this purpose."
)
@format_option
def command(purpose: str | None, form: str | None) -> None:
    """List the recipes that come with sdtext: name, language, purpose and title.

    Every option -c RECIPE takes such a name, or the path of a file. A recipe for a dictionary
    defines terms; one for near-duplicates or passages also what a collection stores.
    """
    from sdtext.parts.bundled_dictionaries_and_recipes import list_recipes

    rows = [
        {
            "name": recipe.name,
            "language": recipe.language,
            "for": recipe.purpose,
            "title": recipe.title,
        }
        for recipe in list_recipes(purpose)
    ]
    print_rows(form, ["name", "language", "for", "title"], rows, "sdtext/recipes/1")
