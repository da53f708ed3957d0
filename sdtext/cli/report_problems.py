"""Print the problems of a verb, and the exit code that they call for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sdtext.cli.main import say
from sdtext.errors import counted

if TYPE_CHECKING:
    from sdtext.model import Problem

UNREADABLE = 3
"""Exit code."""

_MOST_LISTED = 3  # problems of a category that may apply to every document in a folder
_FREQUENT = ("drift", "short-text")


def report(problems: Iterable[Problem]) -> int:
    """Print each problem in a line; return the exit code that they call for.

    Of a category that may apply to every document in a folder, only the first few are printed.
    """
    code = 0
    counts: Counter[str] = Counter()
    for problem in problems:
        counts[problem.category] += 1
        if problem.category not in _FREQUENT or counts[problem.category] <= _MOST_LISTED:
            say(f"{problem.severity}: {problem.message}")
        if problem.severity == "error":
            code = UNREADABLE
    for category in _FREQUENT:
        if (more := counts[category] - _MOST_LISTED) > 0:
            say(f"warning: {counted(more, 'more document')} with such a warning ({category})")
    return code


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
