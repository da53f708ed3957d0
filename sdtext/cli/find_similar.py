"""FindSimilar: find the documents of a collection that are similar to given ones."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import (
    exit_code_option,
    explain_pieces_option,
    format_option,
    recommended_option,
    records_options,
    top_option,
)
from sdtext.cli.options.html_page import HtmlFile, html_option, provenance
from sdtext.cli.options.reading import folder_options
from sdtext.cli.options.search import question_options, ranking_minimum_option, skip_damaged_option
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import LISTED_TERMS, print_search
from sdtext.cli.verb import Verb
from sdtext.errors import FormatError
from sdtext.wording import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdtext.collections.stored_collection import Checks, StoredCollection
    from sdtext.reading.options import Reading
    from sdtext.reading.records import Fields
    from sdtext.reports.html.report_page import ReportPage
    from sdtext.search import Hits, Question


@click.command(
    cls=Verb,
    epilog="Examples: sdtext FindSimilar papers.sdx draft.pdf -k 10\n\n"
    "sdtext FindSimilar archive.sdx letters.zip -s 80 --where \"organisation = 'HUT'\"",
)
@click.argument("path", type=InputPath(), metavar="NAME.sdx")
@click.argument("files", type=InputPath(), metavar="FILE...", nargs=-1, required=True)
@ranking_minimum_option
@recommended_option
@question_options
@top_option("Maximum number of rows for each FILE or record.  [default: 10, with -s all]")
@explain_pieces_option
@skip_damaged_option
@exit_code_option
@format_option
@html_option
@records_options
@folder_options
def command(
    path: str,
    files: tuple[str, ...],
    question: Question,
    explain: bool,
    checks: Checks,
    fail_if_empty: bool,
    form: str | None,
    html: HtmlFile,
    fields: Fields,
    reading: Reading,
) -> int:
    """Find the documents of the collection NAME.sdx that are similar to FILE.

    FILE is a document, an archive, a folder, or a file of records (JSON lines or Parquet), each of
    which is a query; - is standard input. For each FILE or record, rows are sorted by similarity,
    highest first. metadata is that of the stored document. A FILE that is stored itself, with the
    same path, is compared with the other documents only.

    FILE may also hold fingerprints, as Fingerprint writes them. They are compared with the bit
    vectors of the collection by the dictionary that they were made with.

    By default, the best ten documents that score 3 or more are listed. Which score deserves a look
    depends on the measure. Shingles of words: unrelated texts share hardly any, so look from 3 on.
    Bit vectors: unrelated texts mostly stay below 15 with a whole dictionary of the same
    documents, below 35 with the bundled English and German dictionaries (40 for English documents
    of one project), below 45 with the other bundled ones. For a small or trimmed dictionary,
    Calibrate measures it.
    """
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.reading.inputs import Inputs
    from sdtext.search.search_plan import plan_search
    from sdtext.search.similar_documents import similar_to_files

    _check_order(path, files)
    html.check([path, *files])
    collection = StoredCollection.open(path, checks)
    if question.recommended:
        say(f"recommended: {plan_search(collection, question).calibrations[0].described()}")
    with running(reading, 1, files) as run:
        result = similar_to_files(collection, Inputs(files, fields), question, run)
    result = replace(result, problems=(*(run.problems or ()), *result.problems))
    if html:
        html.write(_page(result, collection, files, question))
    if explain:
        from sdtext.search.compare_texts import SharedPieces

        pieces = SharedPieces.of(collection, None, question, LISTED_TERMS)
        result = replace(pieces, reading=reading).explain(result)
    return print_search(result, "sdtext/similar/1", form=form, fail_if_empty=fail_if_empty)


def _check_order(path: str, files: Sequence[str]) -> None:
    """Raise FormatError if a document stands before the collection, or another one behind it."""
    from sdtext.reading.walk import is_collection

    if is_collection(path) and (second := next(filter(is_collection, files), "")):
        names = " ".join(map(shown, dict.fromkeys([path, second])))
        what = f"is a collection, not documents; FindPairs {names} finds similar pairs"
        raise FormatError(what, file=second)
    if os.path.isfile(path) and any(map(is_collection, files)):  # noqa: PTH113 (raises for some names)
        what = "is not an sdtext collection, but a file; name a collection before documents"
        raise FormatError(what, file=path)


def _page(
    result: Hits, collection: StoredCollection, files: Sequence[str], question: Question
) -> ReportPage:
    """The documents found as a page, with the digests of the files that were asked for."""
    from sdtext.reports.html.overview_page import page_of
    from sdtext.reports.html.report_page import digests_of_inputs, digests_of_stored
    from sdtext.reports.html.result_overviews import of_hits, parameters_of_search
    from sdtext.search.search_plan import plan_search

    inputs = [
        *digests_of_inputs(files, (row.query for row in result.rows), "asked for"),
        *digests_of_stored(collection, {row.id for row in result.rows}),
    ]
    parameters = parameters_of_search([collection], question, result.how)
    calibrations = plan_search(collection, question).calibrations
    overview = of_hits(result, len(collection), question.minimum, calibrations)
    return page_of(overview, provenance(parameters, inputs), result.problems)
