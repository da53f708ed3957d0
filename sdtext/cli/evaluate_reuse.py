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
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdtext.model import Problem


@click.command(
    cls=Verb,
    epilog="Examples: sdtext EvaluateReuse truth/ found/\n\n"
    "sdtext EvaluateReuse --truth planted/truth --found found --format json",
)
@click.option(
    "--truth",
    type=InputPath(),
    metavar="DIR",
    help="The true cases, in PAN's XML. Also as a bare argument.",
)
@click.option(
    "--found",
    "detections",
    type=InputPath(),
    metavar="DIR",
    help="The detections, as FindReuse --format pan writes them. Also bare, after the truth.",
)
@click.argument("bare", nargs=-1, type=InputPath(), metavar="[TRUTH] [FOUND]")
@format_option
def command(
    truth: str | None, detections: str | None, bare: Sequence[str], form: str | None
) -> int:
    """Measure how well passages were detected: PAN's precision, recall, granularity, plagdet.

    Files are matched by their names below the two folders. Macro rows weight each case equally,
    micro rows each code point; subfolders of the truth have rows of their own.
    """
    from sdtext.evaluation import EvaluationRow, evaluate
    from sdtext.reading.parallel_run import Run

    folders = _folders(truth, detections, bare)
    problems: list[Problem] = []
    rows = evaluate(*folders, run=Run(problems=problems))
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


def _folders(truth: str | None, detections: str | None, bare: Sequence[str]) -> tuple[str, str]:
    """The truth and the detections; bare arguments fill the places that no option fills."""
    rest = list(bare)
    folders = [rest.pop(0) if named is None and rest else named for named in (truth, detections)]
    for option, value in zip(("--truth", "--found"), folders, strict=True):
        if value is None:
            raise click.UsageError(
                f"two folders are needed, the truth and what was detected; {option} is missing"
            )
    if rest:
        raise click.UsageError(f"{shown(rest[0])} is one folder too many; two are compared")
    return str(folders[0]), str(folders[1])
