"""CompareDirectory: what in a folder resembles a fingerprint."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path

import click

from sdtext.artefacts import load_dictionary
from sdtext.cli.options import (
    encoding_option,
    format_option,
    jobs_option,
    matcher_option,
    max_bytes_option,
    min_terms_option,
    print_rows,
    report,
    running,
    say,
)
from sdtext.comparison import (
    MIN_TERMS,
    Comparer,
    Comparison,
    Row,
    compare_by,
    default_matcher,
    load_queries,
    top,
)
from sdtext.corpus import walk
from sdtext.documents import Reading
from sdtext.errors import MismatchError

_SCHEMA = "sdtext/compare/1"
_NOTHING_FOUND = 1


@click.command(epilog="Example: sdtext CompareDirectory -f memo.fp.xml -p letters/ -s 15")
@matcher_option
@click.option(
    "-f",
    "--fingerprint",
    "files",
    multiple=True,
    metavar="FINGERPRINT",
    help="A fingerprint file, a container or a document; repeatable.",
)
@click.option("-p", "--path", "folder", required=True, metavar="DIR", help="The folder.")
@click.option(
    "-s",
    "--min-score",
    "minimum",
    type=click.IntRange(0, 99),
    metavar="MIN",
    help="Show what scores MIN or more; 0 shows what does not compare, too.  [default: 1]",
)
@click.option(
    "-d", "--dictionary", "path", metavar="DICT", help="The dictionary, if not in the fingerprint."
)
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
@encoding_option
@max_bytes_option
@jobs_option
@click.argument("more", nargs=-1, metavar="[FINGERPRINT]...")
def command(
    matcher: str | None,
    files: tuple[str, ...],
    folder: str,
    minimum: int | None,
    path: str | None,
    most: int | None,
    min_terms: int,
    told: bool,
    form: str | None,
    encoding: str,
    max_bytes: int,
    jobs: int | None,
    more: tuple[str, ...],
) -> int:
    """Compare a fingerprint with all documents and fingerprints in DIR and below.

    Rows come by score, high to low: 99 means all terms are shared. common counts the terms in
    both, a those of the fingerprint, b those of the file. Paths are relative to DIR.
    """
    if not (files or more):
        raise click.UsageError("no fingerprint; name one with -f")
    dictionary = load_dictionary(path) if path else None
    listed = list(walk(folder, lambda _: None))
    with running(Reading(encoding, max_bytes), jobs, listed) as run:
        queries = load_queries([*files, *more], dictionary, run)
        comparer = Comparer(
            matcher or default_matcher(queries.dictionaries), queries.dictionaries, min_terms
        )
        found = compare_by(comparer, queries, Path(folder), run)
    if matcher is None:
        say(f"matcher: {found.matcher}")
    rows = found.at_least(minimum)
    shown = top(rows, most) if most else rows
    print_rows(
        form, [field.name for field in fields(Row)], map(asdict, shown), _SCHEMA, found.problems
    )
    code = report(found.problems)
    _summarise(found, minimum or 1)
    if found.rows and all(row.score is None for row in found.rows):
        raise MismatchError(f"nothing in {folder} is comparable: {found.rows[0].reason}")
    if told and not any(row.score is not None for row in rows):
        return code or _NOTHING_FOUND
    return code


def _summarise(found: Comparison, minimum: int) -> None:
    """How many were compared, at or above the minimum, unreadable."""
    scores = [row.score for row in found.rows if row.score is not None]
    unreadable = sum(problem.severity == "error" for problem in found.problems)
    say(
        f"{len(scores)} compared, {sum(score >= minimum for score in scores)} at {minimum} or "
        f"above, {len(found.rows) - len(scores)} not comparable, {unreadable} unreadable"
    )
