"""EvaluateReuse: measure how well passages were detected."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import exit_code, say
from sdtext.cli.options.common import format_option
from sdtext.cli.print_results import print_rows
from sdtext.cli.report_problems import report
from sdtext.cli.verb import Verb
from sdtext.errors import FormatError, counted

if TYPE_CHECKING:
    from sdtext.model import Problem


@click.command(
    cls=Verb,
    epilog="Example: sdtext EvaluateReuse --truth planted/truth --found found --format json",
)
@click.option("--truth", required=True, metavar="DIR", help="The true cases, in PAN's XML.")
@click.option(
    "--found",
    "detections",
    required=True,
    metavar="DIR",
    help="The detections, as FindReuse --format pan writes them.",
)
@format_option
def command(truth: str, detections: str, form: str | None) -> int:
    """Measure how well passages were detected: PAN's precision, recall, granularity, plagdet.

    Files are matched by their names below the two folders. Macro rows weight each case equally,
    micro rows each code point; subfolders of the truth have rows of their own.
    """
    from sdtext.evaluation import EvaluationRow, evaluate

    problems: list[Problem] = []
    rows = evaluate(truth, detections, problems.append)
    columns = [field.name for field in fields(EvaluationRow)]
    print_rows(form, columns, map(asdict, rows), "sdtext/evaluate-reuse/1", problems)
    for row in rows[-1:]:  # the total
        say(
            f"{row.found} of {counted(row.cases, 'case')} found, "
            f"{counted(row.false, 'false detection')}"
        )
    code = report(problems)
    damaged = any(problem.category == "damaged" for problem in problems)
    return exit_code(FormatError()) if damaged else code
