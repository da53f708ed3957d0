"""Print the problems of a verb, and the exit code that they call for."""

from __future__ import annotations

import re
from collections.abc import Iterable
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

    From the fourth of a kind on they are only counted, except with `--verbose`. What differs
    between them is then an ellipsis. `--quiet` leaves warnings out.
    """
    kinds: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        kind = (problem.severity, problem.category, _kind(problem))
        kinds.setdefault(kind, []).append(problem)
    for (severity, _, kind_text), group in kinds.items():
        listed = group if is_set(VERBOSE) else group[:_MOST_LISTED]
        for problem in listed:
            _say(severity, problem.message)
        if more := len(group) - len(listed):
            texts = {_without_file(problem) for problem in group}
            what = (texts.pop() if len(texts) == 1 else kind_text).partition(";")[0]
            _say(severity, f"{more:,} more of this kind ({what}); --verbose lists them")
    return UNREADABLE if any(severity == "error" for severity, *_ in kinds) else 0


def _kind(problem: Problem) -> str:
    """What problems of the same kind have in common.

    How a document differs from those of its dictionary is given by one figure or by two.
    """
    what = _VARIABLE.sub("…", _without_file(problem))
    return what.partition(": ")[0] if problem.category == "drift" else what


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
