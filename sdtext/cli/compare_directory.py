"""CompareDirectory: find what in a folder is similar to a document or fingerprint."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import VERBOSE, is_set, say
from sdtext.cli.options import common, html_page, reading
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import LISTED_TERMS, print_rows, report, warn_of_unexplained
from sdtext.cli.verb import verb
from sdtext.reports.row_formats import FORMATS
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from sdtext.search.compare import Comparison
    from sdtext.search.watched_hits import WatchedHits

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
    html: html_page.HtmlFile,
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
    from sdtext.search.compare import compare

    files, folders = _queries_and_folders([*named, *filter(None, [watch])], bare, folders)
    html.check([*files, *folders, *dictionaries])
    hits = None
    if watch:
        from sdtext.search.watched_hits import WatchedHits  # loads SQLite

        hits = click.get_current_context().with_resource(WatchedHits(watch))
    similarity = None if minimum is None else minimum / 100
    if similarity is None and not how["recommended"]:
        similarity = 0.0 if unabridged else None
        top = _TOP if top is None and not (unabridged or watch) else top
    every = bool(unabridged or html.path or similarity == 0)
    least, most = (0.0, None) if every else (similarity, top)
    how |= {"dictionary": dictionaries, "explain": LISTED_TERMS if explain else 0}
    with batch.running([*folders, *files]) as run:
        whole = compare(files, folders, similarity=least, top=most, run=run, **how)
    comparison = whole.restricted(similarity, top, unscored=unabridged) if every else whole
    html.write_overview(lambda made: made.page_of_comparison(whole, comparison, minimum, folders))
    return _print(comparison, form, folders, hits, explain=explain)


def _print(
    comparison: Comparison,
    form: str | None,
    folders: Sequence[str],
    hits: WatchedHits | None,
    *,
    explain: bool,
) -> int:
    """Print the rows, of watched `hits` the new ones, and in lines what was compared."""
    from sdtext.reports.comparison_summary import record_of, summary_of

    rows, commit = (hits.new(comparison, folders), hits.commit) if hits else (comparison.rows, None)
    columns, beside = comparison.columns(explained=explain), record_of(comparison)
    beside |= {"folders": folders} if form == "dfxml" else {}
    print_rows(form, columns, rows, "sdtext/compare/1", comparison.problems, commit, **beside)
    scored = [row for row in rows if row.score is not None]
    if hits:
        known = f"{len(comparison.rows) - len(rows):,} of earlier runs ({shown(hits.file.name)})"
        say(f"{counted(len(rows), 'new hit')}, {known}")
    if explain:
        warn_of_unexplained(sum(row.shared_terms is None for row in scored))
    lines = summary_of(comparison, verbose=is_set(VERBOSE))
    code = report(comparison.problems, *lines, found=scored)
    comparison.check_compared(", ".join(map(shown, folders)))
    return code


def _queries_and_folders(
    queries: Sequence[str], bare: Sequence[str], folders: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """What to look for and where, with the bare arguments, of which the folders are searched.

    If none is a folder, the last one is searched, such as an archive. Of folders alone, the first
    has the queries, unless there are others. If `folders` are named, all arguments are queries.
    """
    if not folders:
        folders = [path for path in bare if os.path.isdir(path)]  # noqa: PTH112 (raises for some names)
        bare = [path for path in bare if path not in folders]
        if not folders and (bare[1:] or queries):
            bare, folders = bare[:-1], bare[-1:]
        elif not (bare or queries):
            bare, folders = folders[:1], folders[1:]
    files = [*queries, *bare]
    if not files or not folders:
        raise click.UsageError(f"Missing argument '{'[DIR]' if files else 'FINGERPRINT'}'.")
    return files, folders
