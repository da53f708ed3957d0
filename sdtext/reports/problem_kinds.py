"""Problems by kind, so that a thousand files of one fault are one entry and not a thousand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sdtext.model import Problem

MOST_LISTED = 3
"""Problems of a kind that are listed where there are more; the others are only counted."""


@dataclass(frozen=True)
class ProblemKind:
    """Problems of one severity and category: one of each wording first, then the others."""

    severity: str
    category: str
    problems: list[Problem] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """What all of them say, without names of files; else the category in words."""
        texts = {problem.without_file for problem in self.problems}
        return texts.pop() if len(texts) == 1 else self.category.replace("-", " ")


def kinds_of(problems: Iterable[Problem]) -> list[ProblemKind]:
    """The problems by kind, in the order of the first of each kind.

    >>> late = [Problem("error", "damaged", f"{name}: ends at {at}", name)
    ...         for name, at in (("a.pdf", "7"), ("b.pdf", "1,234,567"))]
    >>> [(kind.summary, len(kind.problems)) for kind in kinds_of(late)]
    [('damaged', 2)]
    """
    kinds: dict[tuple[str, str], ProblemKind] = {}
    for problem in problems:
        key = problem.severity, problem.category
        kinds.setdefault(key, ProblemKind(*key)).problems.append(problem)
    for kind in kinds.values():
        firsts = {item.without_file: item for item in reversed(kind.problems)}.values()
        chosen = set(map(id, firsts))
        others = (item for item in kind.problems if id(item) not in chosen)
        kind.problems[:] = [*reversed(firsts), *others]
    return list(kinds.values())
