"""Print the problems of a verb, and the exit code that they call for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import inf
from typing import TYPE_CHECKING

from sdtext.cli.main import VERBOSE, is_set, say
from sdtext.errors import shown

if TYPE_CHECKING:
    from sdtext.model import Problem

UNREADABLE = 3
"""Exit code."""

_MOST_LISTED = 3  # problems of a kind
_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\S*[/!]\S*|\w*\d\w*")
"""What differs between messages of one kind: quoted texts, paths, numbers."""


def report(problems: Iterable[Problem]) -> int:
    """Print the problems, a line each; return the exit code that they call for.

    From the fourth of a kind on they are only counted, except with `--verbose`. `--quiet` leaves
    warnings out.
    """
    code = 0
    counts: Counter[tuple[str, str, str]] = Counter()
    samples: dict[tuple[str, str, str], Problem] = {}
    most = inf if is_set(VERBOSE) else _MOST_LISTED
    for problem in problems:
        kind = (problem.severity, problem.category, _VARIABLE.sub("…", _without_file(problem)))
        counts[kind] += 1
        samples.setdefault(kind, problem)
        if counts[kind] <= most:
            _say(problem.severity, problem.message)
        if problem.severity == "error":
            code = UNREADABLE
    for kind, problem in samples.items():
        if counts[kind] > most:
            more = f"{counts[kind] - _MOST_LISTED:,} more of this kind"
            what = _without_file(problem).partition(";")[0]
            _say(problem.severity, f"{more} ({what}); --verbose lists them")
    return code


def _say(severity: str, message: str) -> None:
    say(f"{severity}: {message}", always=severity == "error")


def _without_file(problem: Problem) -> str:
    """The message without the name of the file in front."""
    return problem.what or problem.message.removeprefix(f"{shown(problem.path)}: ")


def as_records(problems: Iterable[Problem]) -> list[dict[str, str]]:
    """The problems as JSON objects."""
    return [
        {
            "severity": problem.severity,
            "category": problem.category,
            "path": problem.path,
            "message": problem.message,
        }
        for problem in problems
    ]
