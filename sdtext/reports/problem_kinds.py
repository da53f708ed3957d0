"""Problems by kind, so that a thousand files of one fault are one entry and not a thousand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from sdtext.model import Problem

_MOST_ALIKE, _MOST_LISTED = 3, 10


@dataclass(frozen=True)
class ProblemKind:
    """Problems of one severity and category, in their order.

    Three of each wording and ten in all are `listed`; the `others` are only counted.
    """

    severity: str
    category: str
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def listed(self) -> list[Problem]:
        """The problems to list where there are many."""
        wordings: Counter[str] = Counter()
        listed: list[Problem] = []
        for problem in self.problems:
            wordings[problem.what] += 1
            if wordings[problem.what] <= _MOST_ALIKE and len(listed) < _MOST_LISTED:
                listed.append(problem)
        return listed

    @cached_property
    def others(self) -> list[Problem]:
        """The problems that are not listed."""
        listed = set(map(id, self.listed))
        return [item for item in self.problems if id(item) not in listed]

    @property
    def summary(self) -> str:
        """What all of them say, without names of files; else the category in words."""
        texts = {problem.what for problem in self.problems}
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
    return list(kinds.values())
