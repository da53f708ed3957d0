"""WindowPairs: list the windows of two documents that differ in few terms."""

from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, reading, search
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import verb
from sdtext.wording import counted


@verb(
    "sdtext WindowPairs draft.docx source.pdf",
    "sdtext WindowPairs -w 20 --distance 4 -k 500 --format csv draft.docx source.pdf",
)
@click.argument("files", type=InputPath(), metavar="FILE FILE|NAME.sdx", nargs=2)
@search.window_length
@common.shared(
    "distance",
    "Number of terms of a window that may differ.  [default: as in the recipe, otherwise 15]",
)
@common.shared("top", "Maximum number of rows.  [default: 100]")
@click.option("--all", "unabridged", is_flag=True, help="List every pair, up to 16 million.")
@common.shared(
    "config",
    "How texts become terms, and the default of -w and --distance.  [default: reuse]",
    "recipe",
)
@common.exit_code
@common.rows_format
@reading.plain_files
def command(
    files: tuple[str, str],
    top: int | None,
    unabridged: bool,
    form: str | None,
    batch: Batch,
    **windows: Any,
) -> int:
    """List the pairs of windows of two documents that differ in few terms.

    The second may be a collection, all of whose documents are compared. A window is W terms in a
    row. Its terms may stand in any order, and each counts as often as both windows have it. All
    pairs are found. The nearest are listed first, by default 100; FindReuse makes passages of them.
    start and end are half-open ranges in characters of the text as ExtractText prints it, lines
    count from 1, and distance is the number of terms that differ.
    """
    from sdtext.reuse.window_pair_search import TOP, window_pairs

    if unabridged and top:
        raise click.UsageError("-k limits the rows and --all lists every pair; use one of them")
    most = None if unabridged else top or TOP
    pairs = window_pairs(*files, **windows, top=most, reading=batch.reading)
    schema = "sdtext/window-pairs/1"
    print_rows(form, pairs.row_type, pairs, schema, pairs.problems, **pairs.record())
    own = "; not compared with its own stored copy" if pairs.own_copies else ""
    summary = (
        f"{pairs.total:,} pairs of windows of {pairs.w} terms that differ in at most "
        f"{counted(pairs.distance, 'term')}; {len(pairs):,} listed (-k, --all){own}"
    )
    return report(pairs.problems, summary, found=pairs.total)
