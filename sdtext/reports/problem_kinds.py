"""Problems by kind, so that a thousand files of one fault are one entry and not a thousand."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from sdtext.model import Problem

_MOST_ALIKE, _MOST_LISTED = 3, 10


class ProblemKind(NamedTuple):
    """Problems of one severity and category; `others` than those `listed` are only counted."""

    severity: str
    problems: list[Problem]
    listed: list[Problem]
    others: list[Problem]
    summary: str


def kinds_of(problems: Iterable[Problem]) -> list[ProblemKind]:
    """The problems by kind, in the order of the first of each kind.

    >>> late = [Problem("error", "damaged", f"{name}: ends at {at}", name)
    ...         for name, at in (("a.pdf", "7"), ("b.pdf", "1,234,567"))]
    >>> [(kind.summary, len(kind.problems)) for kind in kinds_of(late)]
    [('damaged', 2)]
    """
    groups = defaultdict[tuple[str, str], list[Problem]](list)
    for problem in problems:
        groups[problem.severity, problem.category].append(problem)
    kinds = []
    for (severity, category), group in groups.items():
        wordings, listed, others = Counter[str](), list[Problem](), list[Problem]()
        most = _MOST_LISTED if severity == "error" else _MOST_ALIKE
        for problem in group:
            wordings[problem.what] += 1
            is_listed = wordings[problem.what] <= _MOST_ALIKE and len(listed) < most
            (listed if is_listed else others).append(problem)
        kinds.append(ProblemKind(severity, group, listed, others, category.replace("-", " ")))
    return kinds
