"""WindowPairs: list the windows of two documents that differ in few terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sdtext.cli.main import say
from sdtext.cli.options.common import (
    exit_code_option,
    format_option,
    top_option,
)
from sdtext.cli.options.reading import reading_options
from sdtext.cli.options.reuse import window_length_option
from sdtext.cli.options.values import InputPath, WholeNumber
from sdtext.cli.print_results import NOTHING_FOUND, print_rows, report
from sdtext.cli.verb import Verb
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdtext.reading.options import Reading
    from sdtext.reuse.window_pair_search import WindowPairs
    from sdtext.text.document import Document


@click.command(
    cls=Verb,
    epilog="Examples: sdtext WindowPairs draft.docx source.pdf\n\n"
    "sdtext WindowPairs -w 20 --distance 4 -k 500 --format csv draft.docx source.pdf",
)
@click.argument("files", type=InputPath(), metavar="FILE FILE", nargs=2)
@window_length_option
@click.option(
    "--distance",
    type=WholeNumber(min=0),
    metavar="D",
    help="Number of terms of a window that may differ.  [default: as in the recipe, otherwise 15]",
)
@top_option("Maximum number of rows.  [default: 100]")
@click.option("--all", "unabridged", is_flag=True, help="List every pair, up to 16 million.")
@click.option(
    "-c",
    "--config",
    type=InputPath("recipes"),
    metavar="RECIPE",
    help="How texts become terms, and the default of -w and --distance.  [default: reuse]",
)
@exit_code_option
@format_option
@reading_options
def command(
    files: tuple[str, str],
    w: int | None,
    distance: int | None,
    top: int | None,
    unabridged: bool,
    config: str | None,
    fail_if_empty: bool,
    form: str | None,
    reading: Reading,
) -> int:
    """List the pairs of windows of two documents that differ in few terms.

    A window is W terms in a row. Its terms may stand in any order, and each counts as often as both
    windows have it. All pairs are found. The nearest are listed first, by default 100; FindReuse
    makes passages of them. start and end are half-open ranges in characters of the text as
    ExtractText prints it, lines count from 1, and distance is the number of terms that differ.
    """
    from sdtext.model.displayed_results import columns_in_files
    from sdtext.reuse.window_pair_search import TOP, WindowPair, window_pairs

    if unabridged and top:
        raise click.UsageError("-k limits the rows and --all lists every pair; use one of them")
    left, right = (_read(path, reading) for path in files)
    result = window_pairs(
        left,
        right,
        w=w,
        distance=distance,
        recipe=config or "reuse",
        top=None if unabridged else top or TOP,
    )
    sides = [
        {"document": path, "terms": terms} for path, terms in zip(files, result.terms, strict=True)
    ]
    columns = columns_in_files(WindowPair)
    print_rows(
        form,
        columns,
        ({name: getattr(pair, name) for name in columns} for pair in result),
        "sdtext/window-pairs/1",
        result.problems,
        left=sides[0],
        right=sides[1],
        w=result.w,
        distance=result.distance,
        total=result.total,
    )
    _summarise(result, files)
    code = report(result.problems)
    return code or (NOTHING_FOUND if fail_if_empty and not result.total else 0)


def _read(path: str, reading: Reading) -> Document:
    from sdtext.reading.main_process_limits import within_limits
    from sdtext.reading.read_document import read

    with within_limits(reading.limits, shown(path)):
        return read(path, reading=reading)


def _summarise(result: WindowPairs, files: Sequence[str]) -> None:
    """Print how many pairs there are, and which document has no window."""
    if more := result.total - len(result):
        say(f"… {more:,} more (-k, --all)")
    for path, terms in zip(files, result.terms, strict=True):
        if terms < result.w:
            say(
                f"warning: {shown(path)} has {counted(terms, 'term')}, fewer than a window of "
                f"{result.w}; use a shorter one (-w)"
            )
    say(
        f"{result.total:,} pairs of windows of {result.w} terms that differ in at most "
        f"{counted(result.distance, 'term')}"
    )
