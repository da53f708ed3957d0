"""FindPairs: find similar pairs in one or two collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import searching
from sdtext.cli.options import common, html_page, search
from sdtext.cli.options.engine import engine
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import print_search
from sdtext.cli.verb import verb

if TYPE_CHECKING:
    from sdtext.search.search_plan import Question


@verb(
    "sdtext FindPairs papers.sdx -s 80",
    "sdtext FindPairs drafts.sdx archive.sdx -m containment -s 50 --where 'year >= 2019'",
)
@common.path("NAME.sdx")
@click.argument("other", type=InputPath(), metavar="[OTHER.sdx]", required=False)
@search.question(search.recipe_minimum, most="Maximum number of pairs.  [default: all]")
@search.skip_damaged
@common.exit_code
@common.rows_format
@common.quiet
@html_page.html
@engine("minimum", "matcher", "config", "recall", "top")
def command(
    path: str,
    other: str | None,
    question: Question,
    skip_damaged: bool,
    form: str | None,
    html: html_page.HtmlFile,
) -> int:
    """Find the pairs of similar documents in the collection NAME.sdx.

    With OTHER.sdx, each pair has one document of each collection. Rows are sorted by similarity,
    highest first.
    """
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.search.find import search_pairs

    html.check([path, *([other] if other else [])])
    left = StoredCollection.open(path, skip_damaged=skip_damaged)
    right = StoredCollection.open(other, skip_damaged=skip_damaged) if other else None
    with searching() as run:
        result = search_pairs(left, question, right, run)
    sides = [left, *([right] if right else [])]
    html.write_overview(lambda made: made.page_of_pairs(result, sides, question))
    return print_search(result, "sdtext/pairs/1", form)
