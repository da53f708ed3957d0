"""FindPairs: find similar pairs in one or two collections."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

import click

from sdtext.cli.asking import exit_code_option, question_options, top_option
from sdtext.cli.main import say
from sdtext.cli.options import format_option, print_rows, report
from sdtext.errors import counted

if TYPE_CHECKING:
    from sdtext.search import Question


_NOTHING_FOUND = 1


@click.command(
    epilog="Examples: sdtext FindPairs papers.sdx -s 80\n\n"
    "sdtext FindPairs drafts.sdx archive.sdx -m containment -s 50 --where 'year >= 2019'"
)
@click.argument("path", metavar="NAME.sdx")
@click.argument("other", metavar="[OTHER.sdx]", required=False)
@question_options
@top_option("Maximum number of pairs.")
@exit_code_option
@format_option
def command(
    path: str, other: str | None, question: Question, fail_if_empty: bool, form: str | None
) -> int:
    """Find the pairs of similar documents in the collection NAME.sdx.

    With OTHER.sdx, each pair has one document of each collection. Rows are sorted by similarity,
    highest first.
    """
    from sdtext.collections.collection import Collection
    from sdtext.reports.curve import curve_told
    from sdtext.search import Pair, between, within

    left = Collection.open(path)
    right = Collection.open(other) if other else None
    result = between(left, right, question) if right else within(left, question)
    columns = [field.name for field in fields(Pair)]
    beside = {"how": result.how, "curve": result.curve}
    print_rows(form, columns, map(asdict, result.rows), "sdtext/pairs/1", result.problems, **beside)
    for line in filter(None, (result.how, curve_told(result.curve))):
        say(line)
    say(f"{counted(len(result.rows), 'pair')} found")
    code = report(result.problems)
    return code or (_NOTHING_FOUND if fail_if_empty and not result.rows else 0)
