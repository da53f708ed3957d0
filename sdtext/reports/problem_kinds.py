"""Problems by kind, so that a thousand files of one fault are one entry and not a thousand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from sdtext.model import Problem

MOST_LISTED = 3
"""Problems of a kind that are listed where there are more; the others are only counted."""

_PLACE = re.compile("^(line|row|element|cell) …: ")
"""Where in a file of records a problem is."""

_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\S*[/!]\S*|\w*\d(?:,?\w)*")
"""What differs between messages of one kind: quoted texts, paths, numbers."""


@dataclass(frozen=True)
class ProblemKind:
    """Problems of one kind, in their order; `pattern` is what their messages have in common."""

    severity: str
    pattern: str
    problems: list[Problem] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """The message without names of files; what differs between problems is an ellipsis."""
        texts = {problem.without_file for problem in self.problems}
        text = texts.pop() if len(texts) == 1 else _PLACE.sub("", self.pattern)
        return text.partition(";")[0]


def kinds_of(problems: Iterable[Problem]) -> list[ProblemKind]:
    """The problems by kind, in the order of the first of each kind.

    >>> late = [Problem("error", "damaged", f"{name}: ends at {at}", name)
    ...         for name, at in (("a.pdf", "7"), ("b.pdf", "1,234,567"))]
    >>> [(kind.summary, len(kind.problems)) for kind in kinds_of(late)]
    [('ends at …', 2)]
    """
    kinds: dict[tuple[str, str, str], ProblemKind] = {}
    for problem in problems:
        pattern = _VARIABLE.sub("…", problem.without_file)
        if problem.category == "drift":  # given by one figure or by two
            pattern = pattern.partition(": ")[0]
        kind = ProblemKind(problem.severity, pattern)
        kinds.setdefault((problem.severity, problem.category, pattern), kind).problems.append(
            problem
        )
    return list(kinds.values())
