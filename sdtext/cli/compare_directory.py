"""CompareDirectory: find what in a folder is similar to a document or fingerprint."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import (
    dictionaries_option,
    exit_code_option,
    files_option,
    format_option,
    jobs_option,
    matcher_option,
    min_terms_option,
    segment_option,
    top_option,
)
from sdtext.cli.options.folders import folder_options
from sdtext.cli.options.reading import reading_options
from sdtext.cli.print_results import NOTHING_FOUND, print_rows
from sdtext.cli.report_problems import report
from sdtext.cli.verb import Verb
from sdtext.errors import shown
from sdtext.model.matches import MIN_TERMS

if TYPE_CHECKING:
    from sdtext.fingerprinting.compare_folder import Comparison
    from sdtext.parts.units.term_segments import Segment
    from sdtext.reading.options import Reading


@click.command(cls=Verb, epilog="Example: sdtext CompareDirectory -f memo.fp.xml -p letters/ -s 15")
@matcher_option
@files_option(
    "-f",
    "--fingerprint",
    metavar="FINGERPRINT",
    words="What to look for: a fingerprint file, a container or a document.",
)
@click.option(
    "-p",
    "--path",
    "folders",
    multiple=True,
    metavar="DIR",
    help="A folder to search. Repeatable.",
)
@click.option(
    "-s",
    "--min-score",
    "minimum",
    type=click.IntRange(0, 99),
    metavar="MIN",
    help="Minimum score, 0 to 99.  [default: 1, and candidates that cannot be compared]",
)
@dictionaries_option(
    "The dictionary, if the fingerprint does not contain it. Repeatable.  [default: for a "
    "document, one made from DIR]"
)
@segment_option("Also compare documents segment by segment.  [default: as the fingerprints are]")
@top_option("Maximum number of rows for each fingerprint.")
@min_terms_option(MIN_TERMS)
@exit_code_option
@format_option
@reading_options
@folder_options("folders", "-p DIR")
@jobs_option
def command(
    matcher: str | None,
    files: list[str],
    folders: tuple[str, ...],
    minimum: int | None,
    dictionaries: tuple[str, ...],
    segment: Segment | None,
    top: int | None,
    min_terms: int,
    fail_if_empty: bool,
    form: str | None,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Compare a fingerprint with all documents and fingerprints in DIR and below.

    Rows are sorted by score, highest first; 99 means a similarity of at least 0.99. common is the
    number of terms in both, a the number in the fingerprint, b the number in the file. Paths are
    relative to DIR; with several folders they begin with DIR. If a segment of a document matches
    best, segment and query_segment give its place: OFFSET:LENGTH in characters of the text as
    ExtractText prints it.

    A document without a dictionary (-d) is compared with one made from all documents in DIR; with
    fewer than 8 in DIR, with the one that comes with sdtext for its language. Unrelated documents
    mostly score below 15 with a dictionary of DIR, below 35 with the bundled English and
    German ones, below 45 with the bundled Arabic and Chinese ones. Higher scores deserve a look.
    """
    from sdtext.fingerprinting.compare_folder import Row, compare_by
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.fingerprinting.query_files import load_queries

    if folder := next((file for file in files if Path(file).is_dir()), None):
        raise click.UsageError(
            f"{shown(folder)} is a folder, not a fingerprint or document; to search it, too, "
            f"repeat -p: -p {shown(folders[-1])} -p {shown(folder)}"
        )
    loaded = [load_dictionary(path, reading.max_bytes) for path in dictionaries]
    with running(reading, jobs, folders) as run:
        queries = load_queries(files, loaded, run, segment, folders)
        comparison = compare_by(queries.comparer(matcher, min_terms), queries, folders, run)
    if queries.default:
        say(f"dictionary: {queries.default.origin}")
    if matcher is None:
        say(f"matcher: {comparison.matcher}")
    rows = comparison.best(minimum, top)
    columns = [field.name for field in fields(Row)]
    print_rows(
        form,
        columns,
        map(asdict, rows),
        "sdtext/compare/1",
        comparison.problems,
        matcher=comparison.matcher,
    )
    code = report(comparison.problems)
    _summarise(comparison, minimum or 1)
    comparison.check(folders)
    if fail_if_empty and all(row.score is None for row in rows):
        return code or NOTHING_FOUND
    return code


def _summarise(comparison: Comparison, minimum: int) -> None:
    """Print how many were compared, at or above the minimum, unreadable."""
    scores = [row.score for row in comparison.rows if row.score is not None]
    unreadable = sum(problem.severity == "error" for problem in comparison.problems)
    say(
        f"{len(scores)} compared, {sum(score >= minimum for score in scores)} at or above "
        f"{minimum}, {len(comparison.rows) - len(scores)} not comparable, {unreadable} unreadable"
    )
