"""FindPairs: which documents of a collection, or of two, are alike."""

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
@top_option("At most TOP pairs.")
@exit_code_option
@format_option
def command(path: str, other: str | None, question: Question, told: bool, form: str | None) -> int:
    """Find the pairs of documents that are alike in the collection NAME.sdx.

    With OTHER.sdx, the pairs of a document of the first collection and one of the second. Rows
    come by similarity, high to low.
    """
    from sdtext.collections.collection import Collection
    from sdtext.reports.curve import curve_told
    from sdtext.search import Pair, between, within

    left = Collection.open(path)
    right = Collection.open(other) if other else None
    found = between(left, right, question) if right else within(left, question)
    columns = [field.name for field in fields(Pair)]
    beside = {"how": found.how, "curve": found.curve}
    print_rows(form, columns, map(asdict, found.rows), "sdtext/pairs/1", found.problems, **beside)
    for line in filter(None, (found.how, curve_told(found.curve))):
        say(line)
    say(f"{counted(len(found.rows), 'pair')} found")
    code = report(found.problems)
    return code or (_NOTHING_FOUND if told and not found.rows else 0)
