"""CompareDirectory: what in a folder resembles a fingerprint."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import say
from sdtext.cli.options import (
    dictionaries_option,
    files_option,
    format_option,
    jobs_option,
    matcher_option,
    min_terms_option,
    print_rows,
    report,
    running,
    segment_option,
)
from sdtext.cli.reading import reading_options
from sdtext.model.matches import MIN_TERMS

if TYPE_CHECKING:
    from sdtext.fingerprinting.compare_folder import Comparison
    from sdtext.parts.units.segment import Segment
    from sdtext.reading.options import Reading


_NOTHING_FOUND = 1


@click.command(epilog="Example: sdtext CompareDirectory -f memo.fp.xml -p letters/ -s 15")
@matcher_option
@files_option(
    "-f",
    "--fingerprint",
    metavar="FINGERPRINT",
    words="A fingerprint file, a container or a document.",
)
@click.option("-p", "--path", "folder", required=True, metavar="DIR", help="The folder.")
@click.option(
    "-s",
    "--min-score",
    "minimum",
    type=click.IntRange(0, 99),
    metavar="MIN",
    help="Show what scores MIN or more.  [default: 1, and what does not compare]",
)
@dictionaries_option("The dictionary, if not in the fingerprint. Repeatable.")
@segment_option("Compare documents segment by segment, too.  [default: as the fingerprints do]")
@click.option(
    "-k",
    "--top",
    "most",
    type=click.IntRange(min=1),
    metavar="TOP",
    help="At most TOP rows for each fingerprint.",
)
@min_terms_option(MIN_TERMS)
@click.option("--exit-code", "told", is_flag=True, help="Exit with 1 where nothing is found.")
@format_option
@reading_options
@jobs_option
def command(
    matcher: str | None,
    files: list[str],
    folder: str,
    minimum: int | None,
    dictionaries: tuple[str, ...],
    segment: Segment | None,
    most: int | None,
    min_terms: int,
    told: bool,
    form: str | None,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Compare a fingerprint with all documents and fingerprints in DIR and below.

    Rows come by score, high to low: 99 means all terms are shared. common counts the terms in
    both, a those of the fingerprint, b those of the file. Paths are relative to DIR. Where the
    segment of a document matches best, segment (and query_segment) say which: OFFSET:LENGTH in
    characters of the text as ExtractText prints it.
    """
    from sdtext.fingerprinting.compare_folder import Row, compare_by, load_queries
    from sdtext.fingerprinting.load_and_save import load_dictionary

    loaded = [load_dictionary(path, reading.max_bytes) for path in dictionaries]
    with running(reading, jobs, [folder]) as run:
        queries = load_queries(files, loaded, run, segment)
        found = compare_by(queries.comparer(matcher, min_terms), queries, folder, run)
    if matcher is None:
        say(f"matcher: {found.matcher}")
    rows = found.best(minimum, most)
    columns = [field.name for field in fields(Row)]
    print_rows(
        form, columns, map(asdict, rows), "sdtext/compare/1", found.problems, matcher=found.matcher
    )
    code = report(found.problems)
    _summarise(found, minimum or 1)
    found.check(folder)
    if told and all(row.score is None for row in rows):
        return code or _NOTHING_FOUND
    return code


def _summarise(found: Comparison, minimum: int) -> None:
    """How many were compared, at or above the minimum, unreadable."""
    scores = [row.score for row in found.rows if row.score is not None]
    unreadable = sum(problem.severity == "error" for problem in found.problems)
    say(
        f"{len(scores)} compared, {sum(score >= minimum for score in scores)} at or above "
        f"{minimum}, {len(found.rows) - len(scores)} not comparable, {unreadable} unreadable"
    )
