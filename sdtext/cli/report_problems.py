"""Print the problems of a verb, and the exit code that they call for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sdtext.cli.main import VERBOSE, is_set, say
from sdtext.reports.command_line_words import worded_for_command_line
from sdtext.reports.problem_kinds import MOST_LISTED, kinds_of

if TYPE_CHECKING:
    from sdtext.model import Problem

UNREADABLE = 3
"""Exit code."""


def report(problems: Iterable[Problem]) -> int:
    """Print the problems, a line each; return the exit code that they call for.

    From the fourth of a kind on they are only counted, except with `--verbose`. What differs
    between them is then an ellipsis. `--quiet` leaves warnings out.
    """
    kinds = kinds_of(problems)
    for kind in kinds:
        listed = kind.problems if is_set(VERBOSE) else kind.problems[:MOST_LISTED]
        for problem in listed:
            _say(kind.severity, problem.message)
        if more := len(kind.problems) - len(listed):
            what = f"{more:,} more of this kind ({kind.summary}); --verbose lists them"
            _say(kind.severity, what)
    return UNREADABLE if any(kind.severity == "error" for kind in kinds) else 0


def _say(severity: str, message: str) -> None:
    say(f"{severity}: {message}", always=severity == "error")


def as_records(problems: Iterable[Problem]) -> list[dict[str, str]]:
    """The problems as JSON objects."""
    return [
        {
            "severity": problem.severity,
            "category": problem.category,
            "path": problem.path,
            "message": problem.message,
        }
        for problem in map(worded_for_command_line, problems)
    ]
