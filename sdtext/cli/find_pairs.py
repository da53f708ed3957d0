"""FindPairs: find similar pairs in one or two collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import searching
from sdtext.cli.options.common import (
    exit_code_option,
    explain_pieces_option,
    format_option,
    top_option,
)
from sdtext.cli.options.html_page import HtmlFile, html_option, provenance
from sdtext.cli.options.search import minimum_option, question_options, skip_damaged_option
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import LISTED_TERMS, print_search
from sdtext.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdtext.collections.stored_collection import Checks, StoredCollection
    from sdtext.reports.html.report_page import InputDigest, ReportPage
    from sdtext.search import Pairs, Question


@click.command(
    cls=Verb,
    epilog="Examples: sdtext FindPairs papers.sdx -s 80\n\n"
    "sdtext FindPairs drafts.sdx archive.sdx -m containment -s 50 --where 'year >= 2019'",
)
@click.argument("path", type=InputPath(), metavar="NAME.sdx")
@click.argument("other", type=InputPath(), metavar="[OTHER.sdx]", required=False)
@minimum_option
@question_options
@top_option("Maximum number of pairs.  [default: all]")
@explain_pieces_option
@skip_damaged_option
@exit_code_option
@format_option
@html_option
def command(
    path: str,
    other: str | None,
    question: Question,
    explain: bool,
    checks: Checks,
    fail_if_empty: bool,
    form: str | None,
    html: HtmlFile,
) -> int:
    """Find the pairs of similar documents in the collection NAME.sdx.

    With OTHER.sdx, each pair has one document of each collection. Rows are sorted by similarity,
    highest first.
    """
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.search import between, within

    html.check([path, *([other] if other else [])])
    left = StoredCollection.open(path, checks)
    right = StoredCollection.open(other, checks) if other else None
    with searching() as run:
        result = between(left, right, question, run) if right else within(left, question, run)
    if html:
        html.write(_page(result, [left, *([right] if right else [])], question))
    if explain:
        from sdtext.search.compare_texts import SharedPieces

        result = SharedPieces.of(left, right, question, LISTED_TERMS).explain(result)
    return print_search(result, "sdtext/pairs/1", form=form, fail_if_empty=fail_if_empty)


def _page(result: Pairs, collections: Sequence[StoredCollection], question: Question) -> ReportPage:
    """The pairs as a page."""
    from sdtext.reports.html.overview_page import page_of
    from sdtext.reports.html.result_overviews import of_pairs, parameters_of_search

    parameters = parameters_of_search(collections, question, result.how)
    overview = of_pairs(result, sum(map(len, collections)), question.minimum)
    inputs = list(_digests(result, collections))
    return page_of(overview, provenance(parameters, inputs), result.problems)


def _digests(result: Pairs, collections: Sequence[StoredCollection]) -> Iterator[InputDigest]:
    """The digests of the documents in pairs."""
    from sdtext.reports.html.report_page import digests_of_stored

    left = {row.left_id for row in result.rows}
    right = {row.right_id for row in result.rows}
    sides = [left, right] if len(collections) > 1 else [left | right]
    for collection, ids in zip(collections, sides, strict=True):
        yield from digests_of_stored(collection, ids)
