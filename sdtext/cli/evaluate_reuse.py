"""EvaluateReuse: how well passages were found."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import exit_code, say
from sdtext.cli.options import format_option, print_rows, report
from sdtext.errors import FormatError, counted

if TYPE_CHECKING:
    from sdtext.model import Problem


@click.command(
    epilog="Example: sdtext EvaluateReuse --truth planted/truth --found found --format json"
)
@click.option("--truth", required=True, metavar="DIR", help="The true cases, in PAN's XML.")
@click.option("--found", required=True, metavar="DIR", help="What was found: FindReuse writes it.")
@format_option
def command(truth: str, found: str, form: str | None) -> int:
    """Say how well passages were found: PAN's precision, recall, granularity and plagdet.

    Files are matched by their names below the two folders. In macro rows each case counts alike,
    in micro rows each code point; folders within the truth have rows of their own.
    """
    from sdtext.evaluation import EvaluationRow, evaluate

    problems: list[Problem] = []
    rows = evaluate(truth, found, problems.append)
    columns = [field.name for field in fields(EvaluationRow)]
    print_rows(form, columns, map(asdict, rows), "sdtext/evaluate-reuse/1", problems)
    for row in rows[-1:]:  # that of all
        say(f"{row.found} of {counted(row.cases, 'case')} found, {row.false} found that are false")
    code = report(problems)
    damaged = any(problem.category == "damaged" for problem in problems)
    return exit_code(FormatError()) if damaged else code
