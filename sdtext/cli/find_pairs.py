"""FindPairs: find similar pairs in one or two collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import searching
from sdtext.cli.options.common import exit_code_option, format_option, top_option
from sdtext.cli.options.integrity import checks_options
from sdtext.cli.options.search import minimum_option, question_options
from sdtext.cli.print_results import print_search
from sdtext.cli.verb import Verb

if TYPE_CHECKING:
    from sdtext.collections.collection import Checks
    from sdtext.search import Question


@click.command(
    cls=Verb,
    epilog="Examples: sdtext FindPairs papers.sdx -s 80\n\n"
    "sdtext FindPairs drafts.sdx archive.sdx -m containment -s 50 --where 'year >= 2019'",
)
@click.argument("path", metavar="NAME.sdx")
@click.argument("other", metavar="[OTHER.sdx]", required=False)
@minimum_option
@question_options
@top_option("Maximum number of pairs.  [default: all]")
@checks_options
@exit_code_option
@format_option
def command(
    path: str,
    other: str | None,
    question: Question,
    checks: Checks,
    fail_if_empty: bool,
    form: str | None,
) -> int:
    """Find the pairs of similar documents in the collection NAME.sdx.

    With OTHER.sdx, each pair has one document of each collection. Rows are sorted by similarity,
    highest first.
    """
    from sdtext.collections.collection import Collection
    from sdtext.search import between, within

    left = Collection.open(path, checks)
    right = Collection.open(other, checks) if other else None
    with searching() as run:
        result = between(left, right, question, run) if right else within(left, question, run)
    return print_search(result, "sdtext/pairs/1", "pair", form=form, fail_if_empty=fail_if_empty)
