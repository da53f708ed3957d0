"""CompareDirectory: find what in a folder is similar to a document or fingerprint."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import VERBOSE, is_set, say
from sdtext.cli.options.common import (
    dictionaries_option,
    exit_code_option,
    explain_option,
    format_option,
    jobs_option,
    matcher_option,
    min_terms_option,
    recommended_option,
    segment_option,
    top_option,
)
from sdtext.cli.options.html_page import HtmlFile, html_option, provenance
from sdtext.cli.options.reading import folder_options
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import (
    LISTED_TERMS,
    NOTHING_FOUND,
    default_format,
    explain_chances,
    print_rows,
    report,
    warn_of_unexplained,
    with_chance,
)
from sdtext.cli.verb import Verb
from sdtext.model.matches import MIN_TERMS
from sdtext.wording import counted, printable, shown

if TYPE_CHECKING:
    from sdtext.model.calibration import Calibration
    from sdtext.reading.options import Reading
    from sdtext.reports.html.report_page import ReportPage
    from sdtext.search.compare import Comparison, Row

_TOP = 20
"""Rows for each fingerprint, where no option asks for more."""

_MAX_REASONS = 5
_NAMED = 5  # fingerprints


@click.command(
    cls=Verb,
    epilog="Examples: sdtext CompareDirectory memo.docx letters/\n\n"
    "sdtext CompareDirectory case/ disk/\n\n"
    "sdtext CompareDirectory memo.fp.xml letters/ -s 15",
)
@matcher_option
@click.argument("bare", nargs=-1, type=InputPath(), metavar="[FINGERPRINT]... [DIR]")
@click.option(
    "-f",
    "--fingerprint",
    "named",
    multiple=True,
    type=InputPath(),
    metavar="FINGERPRINT",
    help="What to look for: a fingerprint file, a container, a document or a folder of these. "
    "Repeatable, also as bare arguments.",
)
@click.option(
    "-p",
    "--path",
    "folders",
    multiple=True,
    type=InputPath(),
    metavar="DIR",
    help="A folder to search. Repeatable. Without -p, the bare arguments that are folders, without "
    "the first if nothing else is given to look for, else the last argument.",
)
@click.option(
    "-s",
    "--min-score",
    "minimum",
    type=click.IntRange(0, 99),
    metavar="MIN",
    help="Minimum score, 0 to 99; with 0 all are listed.  [default: 1, of documents alone 3]",
)
@recommended_option
@click.option(
    "--all",
    "unabridged",
    is_flag=True,
    help="List every candidate, also those without a score, with the reason.",
)
@dictionaries_option(
    "The dictionary, if the fingerprint does not contain it. Repeatable.  [default: the one that "
    "the fingerprint was made with, if it comes with sdtext or is a file in the same folder]"
)
@segment_option(
    "Also compare documents segment by segment, to find an excerpt in a long document: TOKENS near "
    "the number of its terms and STEP half of that; 200/100 if it is not known.  [default: as the "
    "fingerprints are]"
)
@top_option("Maximum number of rows for each fingerprint.  [default: 20, with -s or --all all]")
@min_terms_option(MIN_TERMS)
@click.option(
    "--index",
    type=click.Choice(("columns", "scan")),
    help="How similar bit vectors are found: scan scores every pair.  [default: the faster one]",
)
@explain_option
@exit_code_option
@format_option
@html_option
@folder_options
@jobs_option
def command(
    named: Sequence[str],
    bare: Sequence[str],
    folders: Sequence[str],
    minimum: int | None,
    top: int | None,
    unabridged: bool,
    explain: bool,
    form: str | None,
    fail_if_empty: bool,
    html: HtmlFile,
    reading: Reading,
    jobs: int | None,
    dictionaries: Sequence[str],
    **how: Any,
) -> int:
    """Compare a fingerprint or document with all documents and fingerprints in DIR and below.

    Documents alone are compared by shingles of five words. With a fingerprint on either side, a
    dictionary (-d) or a matcher of bit vectors (-m cosine), bit vectors over a dictionary are
    compared. Rows are sorted by score, highest first, by default the best 20 for each fingerprint;
    99 means a similarity of at least 0.99. common is the number of terms or shingles in both, a the
    number in the fingerprint, b the number in the file. Paths are relative to DIR; with several
    folders they begin with DIR. A file in DIR is not compared with itself. If a segment of a
    document matches best, these are the numbers of its terms, and segment and query_segment give
    its place: OFFSET:LENGTH in characters of the text as ExtractText prints it.

    Unrelated documents share hardly any shingles: scores from 3 on deserve a look. With bit vectors
    they mostly score below 15 with a whole dictionary of the same documents, below 35 with the
    bundled English and German ones (40 for English documents of one project), below 45 with the
    bundled Arabic, Chinese, French, Russian and Spanish ones. Of a small or trimmed dictionary no
    such score is known: Calibrate measures it.
    """
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.search.compare import compare

    queries: Sequence[str] = bare
    if not folders:
        queries, folders = _split(bare, queries=bool(named))
    files = [*named, *queries]
    if not files or not folders:
        raise click.UsageError(f"Missing argument '{'[DIR]' if files else 'FINGERPRINT'}'.")
    html.check([*files, *folders, *dictionaries])
    similarity = None if minimum is None else minimum / 100
    if similarity is None and unabridged and not how["recommended"]:
        similarity = 0.0
    if top is None and similarity is None and not how["recommended"]:
        top = _TOP
    every = unabridged or html or similarity == 0
    with running(reading, jobs, [*folders, *files]) as run:
        comparison = compare(
            files,
            folders,
            dictionary=[load_dictionary(item, reading.max_bytes) for item in dictionaries],
            similarity=0.0 if every else similarity,
            top=None if every else top,
            explain=LISTED_TERMS if explain else 0,
            run=run,
            **how,
        )
    rows = comparison.rows
    if every:
        unabridged = unabridged or similarity == 0
        rows = tuple(comparison.best(similarity, top, unscored=unabridged))
        least = comparison.minimum if similarity is None else minimum or 1
        reaching = sum(row.reaches(least) for row in comparison.rows)
        comparison = replace(comparison, reaching=reaching)
    form = form or default_format()
    _print(comparison, rows, form, explained=explain)
    if html:
        html.write(_page(comparison, rows, minimum, folders))
    code = report(comparison.problems)
    _summarise(comparison, rows, unabridged=unabridged)
    if explain:
        warn_of_unexplained(sum(row.score is not None and row.shared_terms is None for row in rows))
    comparison.check(", ".join(map(shown, folders)))
    if fail_if_empty and all(row.score is None for row in rows):
        return code or NOTHING_FOUND
    return code


def _split(bare: Sequence[str], *, queries: bool) -> tuple[list[str], list[str]]:
    """The queries and the folders among arguments.

    Of folders alone, the first has the queries, unless there are other `queries`. If none is a
    folder, the last one is searched, such as an archive, unless it is the only one and there are no
    other `queries`.
    """
    folders = [path for path in bare if os.path.isdir(path)]  # noqa: PTH112 (raises for some names)
    files = [path for path in bare if path not in folders]
    if folders and (files or queries or len(folders) == 1):
        return files, folders
    if folders:
        return folders[:1], folders[1:]
    return (files, []) if len(bare) + queries < 2 else (files[:-1], files[-1:])


def _print(comparison: Comparison, rows: Sequence[Row], form: str, *, explained: bool) -> None:
    """Print the rows, in JSON also how and what was compared, and what is left out."""
    columns = comparison.columns(explained=explained)
    print_rows(
        form,
        columns,
        (with_chance(row, form, columns) for row in rows),
        "sdtext/compare/1",
        comparison.problems,
        how=comparison.how,
        matcher=comparison.matcher,
        dictionaries=[item.name or item.guid for item in comparison.dictionaries],
        queries=comparison.queries,
        documents=comparison.documents,
        compared=comparison.compared,
        without_text=comparison.without_text,
        unreadable=comparison.unreadable,
        unmatched=comparison.unmatched(rows),
        more=_more(comparison, rows),
        not_comparable=[{"reason": reason, "count": n} for reason, n in comparison.reasons],
    )
    explain_chances(form, rows)


def _more(comparison: Comparison, rows: Sequence[Row]) -> int:
    """How many pairs reach the minimum and are not listed."""
    return max(0, comparison.reaching - sum(row.reaches(comparison.minimum) for row in rows))


def _summarise(comparison: Comparison, rows: Sequence[Row], *, unabridged: bool) -> None:
    """Say how documents were compared, what is not listed, and how many were compared."""
    for dictionary in comparison.located:
        say(f"dictionary: {dictionary}")
    if not isinstance(comparison.minimum, int):
        say(f"recommended: {comparison.minimum.described()}")
    say(comparison.how)
    if more := _more(comparison, rows):
        say(f"{more:,} more (-k, -s)")
    for reason, number in comparison.reasons[:_MAX_REASONS] if rows and not unabridged else ():
        say(f"{number:,} not comparable: {printable(reason)} (--all lists them)")
    unreadable, left_out = comparison.unreadable, comparison.left_out
    if not (comparison.compared or comparison.reasons or left_out or unreadable):
        return  # the problems say what there was
    without = comparison.unmatched(rows)
    if comparison.queries > 1 and comparison.compared and without:
        named = without if is_set(VERBOSE) else without[:_NAMED]
        more_names = f" and {len(without) - len(named):,} more" if len(without) > len(named) else ""
        names = f"{', '.join(map(shown, named))}{more_names}"
        say(f"nothing found for {len(without):,} of {comparison.queries:,} fingerprints: {names}")
    if comparison.queries > 1 or comparison.without_text:
        others = counted(comparison.queries, "fingerprint")
        files = counted(comparison.without_text, "file")
        also = f"; {files} without text" if comparison.without_text else ""
        say(f"{counted(comparison.documents, 'document')} compared with {others}{also}")
    least = comparison.minimum if isinstance(comparison.minimum, int) else "the recommended score"
    also = f"; {counted(left_out, 'file')} not compared with itself" if left_out else ""
    say(
        f"{comparison.compared:,} compared, {comparison.reaching:,} at or above {least}, "
        f"{sum(number for _, number in comparison.reasons):,} not comparable, "
        f"{unreadable:,} unreadable{also}"
    )


def _page(
    comparison: Comparison, rows: Sequence[Row], minimum: int | None, folders: Sequence[str]
) -> ReportPage:
    """The comparison as a page, with the digests of what is listed in it."""
    from sdtext.reports.html.overview_page import page_of
    from sdtext.reports.html.report_page import digests_of, digests_of_dictionaries
    from sdtext.reports.html.result_overviews import of_comparison

    least: int | Calibration | None = minimum
    if not isinstance(comparison.minimum, int) or not (minimum or comparison.dictionaries):
        least = comparison.minimum
    described = str(least) if isinstance(least, int) else least.levels_described() if least else ""
    parameters = [
        ("Folders", ", ".join(folders)),
        ("Compared", comparison.how),
        ("Matcher", comparison.matcher),
        ("Minimum score", described or "none"),
    ]
    only = Path(folders[0])
    folder = only if only.is_dir() else only.parent
    below = f"{folder.as_posix()}/" if len(folders) == 1 and folder.parts else ""
    names = list(dict.fromkeys(comparison.names))
    listed = (f"{below}{row.path}" for row in rows)
    inputs = [
        *digests_of(names, "compared with the others"),
        *digests_of((path for path in listed if path not in names), "listed"),
        *digests_of_dictionaries(comparison.dictionaries),
    ]
    overview = of_comparison(comparison, rows, least, below)
    facts = replace(
        provenance(parameters, inputs),
        inputs_text="What was searched for, the files that are listed, and the dictionaries; not "
        "the files that were compared, but are not listed.",
    )
    return page_of(overview, facts, comparison.problems)
