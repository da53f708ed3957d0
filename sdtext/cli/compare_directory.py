"""CompareDirectory: find what in a folder is similar to a document or fingerprint."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.main import VERBOSE, is_set, say
from sdtext.cli.options import common, html_page, reading
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import (
    LISTED_TERMS,
    print_rows,
    report,
    warn_of_unexplained,
)
from sdtext.cli.verb import verb
from sdtext.errors import MismatchError, UnreadableError
from sdtext.reports.row_formats import FORMATS
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from sdtext.cli.batch_run import Batch
    from sdtext.search.comparison_rows import Comparison, Row

_TOP = 20
"""Rows for each fingerprint, where no option asks for more."""


@verb(
    "sdtext CompareDirectory memo.docx letters/",
    "sdtext CompareDirectory case/ disk/",
    "sdtext CompareDirectory memo.fp.xml letters/ -s 15",
)
@common.matcher
@click.argument("bare", nargs=-1, type=InputPath(), metavar="[FINGERPRINT]... [DIR]")
@common.paths(
    *("-f", "--fingerprint", "named"),
    metavar="FINGERPRINT",
    words="What to look for: a fingerprint file, a container, a document or a folder of these. "
    "Repeatable, also as bare arguments.",
)
@common.option(
    "--watch",
    kind=InputPath(),
    metavar="FINGERPRINT",
    help="What to look for, as -f. Only hits that no earlier run with it printed are printed; "
    "FINGERPRINT.watch keeps them.",
)
@common.paths(
    *("-p", "--path", "folders"),
    metavar="DIR",
    words="A folder to search. Repeatable. Without -p, the bare arguments that are folders, "
    "without the first if nothing else is given to look for, else the last argument.",
)
@common.shared(
    "minimum",
    "Minimum score, 0 to 99; with 0 all are listed.  [default: 1; of documents alone without pairs "
    "that share nothing rare; of sketches 6]",
)
@common.recommended
@click.option(
    *("--all", "unabridged"),
    is_flag=True,
    help="List every candidate, also those without a score, with the reason.",
)
@common.shared(
    "dictionaries",
    "The dictionary, if the fingerprint does not contain it. Repeatable.  [default: the one that "
    "the fingerprint was made with, if it comes with sdtext or is a file in the same folder]",
)
@common.segment(
    "Also compare documents segment by segment, to find an excerpt in a long document: TOKENS near "
    "the number of its terms and STEP half of that; 200/100 if it is not known.  [default: as the "
    "fingerprints are]"
)
@common.shared(
    "top", "Maximum number of rows for each fingerprint.  [default: 20, with -s or --all all]"
)
@common.min_terms
@common.option(
    "--index",
    choices=("columns", "scan"),
    help="How similar bit vectors are found: scan scores every pair.  [default: the faster one]",
)
@common.explain_terms
@common.exit_code
@common.form(choices=(*FORMATS, "dfxml"))
@html_page.html
@reading.folders
def command(
    named: Sequence[str],
    bare: Sequence[str],
    folders: Sequence[str],
    watch: str | None,
    minimum: int | None,
    top: int | None,
    unabridged: bool,
    explain: bool,
    form: str | None,
    html: html_page.HtmlFile | None,
    batch: Batch,
    dictionaries: Sequence[str],
    **how: Any,
) -> int:
    """Compare a fingerprint or document with all documents and fingerprints in DIR and below.

    Documents alone are compared by shingles of five words. With a fingerprint on either side, a
    dictionary (-d) or a matcher of bit vectors (-m cosine), bit vectors over a dictionary are
    compared; with sketches (Fingerprint --sketch) on either side, sketches are. Rows are sorted by
    score, highest first, by default the best 20 for each fingerprint; 99 means a similarity of at
    least 0.99. common is the number of terms or shingles in both, a the number in the fingerprint,
    b the number in the file. Paths are relative to DIR; with several folders they begin with DIR. A
    file in DIR is not compared with itself. If a segment of a document matches best, these are the
    numbers of its terms, and segment and query_segment give its place: OFFSET:LENGTH in characters
    of the text as ExtractText prints it.

    Unrelated documents share hardly any shingles, or those that many have: without -s, such pairs
    are left out, and the others deserve a look. With bit vectors they mostly score below 15
    with a whole dictionary of the same documents, below 35 with the bundled English and German ones
    (40 for English documents of one project), below 45 with the bundled Arabic, Chinese, French,
    Russian and Spanish ones. Of a small or trimmed dictionary no such score is known: Calibrate
    measures it.
    """
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.reports.comparison_summary import record_of, summary_of
    from sdtext.search.compare import compare

    queries: Sequence[str] = bare
    hits = None
    if watch:
        from sdtext.search.watched_hits import WatchedHits

        hits, named = click.get_current_context().with_resource(WatchedHits(watch)), [*named, watch]
    if not folders:
        queries, folders = _queries_and_folders(bare, queries=bool(named))
    files = [*named, *queries]
    if not files or not folders:
        raise click.UsageError(f"Missing argument '{'[DIR]' if files else 'FINGERPRINT'}'.")
    if html:
        html.check([*files, *folders, *dictionaries])
    similarity = None if minimum is None else minimum / 100
    if similarity is None and not how["recommended"]:
        similarity = 0.0 if unabridged else None
        top = _TOP if top is None and not (unabridged or watch) else top
    every = unabridged or html or similarity == 0
    with batch.running([*folders, *files]) as run:
        comparison = compare(
            files,
            folders,
            dictionary=[load_dictionary(item, batch.reading.max_bytes) for item in dictionaries],
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
        reaching = sum(row.reaches(minimum or comparison.minimum) for row in comparison.rows)
        comparison = replace(comparison, reaching=reaching)
    if html:
        from sdtext.reports.html.result_overviews import page_of_comparison

        html.write(page_of_comparison(comparison, rows, minimum, folders))
    columns, problems = comparison.columns(explained=explain), comparison.problems
    beside = record_of(comparison, rows) | ({"folders": folders} if form == "dfxml" else {})
    new: Sequence[Row] = rows
    then = None
    if hits:
        new, then = hits.new(comparison, rows, folders), hits.commit
        known = f"{len(rows) - len(new):,} of earlier runs ({shown(hits.file.name)})"
        say(f"{counted(len(new), 'new hit')}, {known}")
    print_rows(form, columns, new, "sdtext/compare/1", problems, then, **beside)
    scored = [row for row in new if row.score is not None]
    code, verbose = report(problems, found=scored), is_set(VERBOSE)
    for line in summary_of(comparison, rows, beside["more"], is_whole=unabridged, verbose=verbose):
        say(line)
    if explain:
        warn_of_unexplained(sum(row.shared_terms is None for row in scored))
    if not comparison.compared:
        _check_reasons(comparison, folders)
    return code


def _check_reasons(comparison: Comparison, folders: Sequence[str]) -> None:
    """Raise MismatchError or UnreadableError that says why nothing in the folders was compared."""
    where = ", ".join(map(shown, folders))
    if comparison.reasons:
        raise MismatchError(f"nothing in {where} is comparable: {comparison.reasons[0][0]}")
    if comparison.left_out:
        raise UnreadableError(f"{where}: there is nothing to compare but the file itself")
    if not any(problem.severity == "error" for problem in comparison.problems):
        raise UnreadableError(f"nothing in {where} holds text")


def _queries_and_folders(bare: Sequence[str], *, queries: bool) -> tuple[list[str], list[str]]:
    """The queries and the folders among arguments, where no -p names folders.

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
