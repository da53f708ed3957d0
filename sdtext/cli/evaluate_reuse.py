"""EvaluateReuse: measure how well passages were detected."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import exit_code, say
from sdtext.cli.options.common import format_option
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import Verb
from sdtext.errors import FormatError
from sdtext.wording import counted

if TYPE_CHECKING:
    from sdtext.model import Problem


@click.command(
    cls=Verb,
    epilog="Examples: sdtext EvaluateReuse truth/ found/\n\n"
    "sdtext EvaluateReuse planted/truth found --format json",
)
@click.argument("truth", type=InputPath(), metavar="TRUTH")
@click.argument("found", type=InputPath(), metavar="FOUND")
@format_option
def command(truth: str, found: str, form: str | None) -> int:
    """Measure how well passages were detected: PAN's precision, recall, granularity, plagdet.

    TRUTH is a folder of true cases in PAN's XML, FOUND one of detections, as FindReuse --format pan
    writes them. Files are matched by their names below the two folders. Macro rows weight each
    case equally, micro rows each code point; subfolders of the truth have rows of their own.
    """
    from sdtext.evaluation.evaluate_pan_folders import EvaluationRow, evaluate
    from sdtext.reading.parallel_run import Run

    problems: list[Problem] = []
    rows = evaluate(truth, found, run=Run(problems=problems))
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
