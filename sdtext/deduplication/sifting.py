"""Which documents go: clusters of those that are alike, one of each kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdtext.collections.collection import Collection
from sdtext.deduplication.judged import Judged
from sdtext.deduplication.rules import KEEP
from sdtext.errors import OptionError, counted, shown
from sdtext.model import Problem, RecipeSpec
from sdtext.search.clusters import Cluster, clusters
from sdtext.search.columns import called
from sdtext.search.pairs import links
from sdtext.search.plan import Plan, planned
from sdtext.search.question import Curve, Question
from sdtext.search.sequences import Compared, Sequences
from sdtext.search.table import Table, pieces

_FIRST: Mapping[str, Callable[[Judged, int], tuple[int, int]]] = {
    "first": lambda _, number: (0, number),
    "longest": lambda documents, number: (-documents.length(number), number),
    "shortest": lambda documents, number: (documents.length(number), number),
}
_UNIMPORTANT = ("equal-documents", "many-pairs")  # missing are pairs that clusters do not need


@dataclass(frozen=True)
class Rules:
    """Which documents are the same, and which one of them is kept.

    Those that score `minimum` or more by the `recipe`, where pairs right at it are found with the
    probability `recall`; without these, as the recipe's index says. `keep` is "first" (in the
    order of the inputs), "longest" or "shortest". What is like a document `against` which all are
    compared goes, too.
    """

    recipe: RecipeSpec | None = None
    minimum: int | None = None
    recall: float | None = None
    keep: str = "first"
    against: Collection | None = None

    def __post_init__(self) -> None:
        if self.keep not in KEEP:
            raise OptionError.of("deduplicate", "keep", self.keep, f"one of {', '.join(KEEP)}")

    @property
    def question(self) -> Question:
        """What is asked of a collection."""
        return Question(minimum=self.minimum, recall=self.recall)


@dataclass(frozen=True)
class Removed:
    """A document that goes, and the one that is kept instead.

    The score is that of these two. In a cluster they may be alike only by way of others, and it
    is below the minimum, or 0 where they are too long to be compared. `cluster` is None where the
    other one is in the collection against which all were compared.
    """

    document: str
    kept: str
    score: int
    similarity: float
    cluster: int | None = None


@dataclass(frozen=True)
class Same:
    """Documents that are the same: which is kept, and how alike the pairs are that link them."""

    cluster: int
    documents: int
    kept: str
    weakest: float
    mean: float
    members: tuple[str, ...]


@dataclass(frozen=True)
class Sifted:
    """What goes and why, in the order of the inputs, by the numbers of the documents."""

    removed: Mapping[int, Removed]
    clusters: tuple[Same, ...]
    problems: tuple[Problem, ...]
    how: str
    curve: Curve


def sifted(documents: Judged, rules: Rules) -> Sifted:
    """What goes of the documents by the rules."""
    stored, problems = _like_stored(documents, rules)
    found = links(documents, rules.question, without=stored)
    groups = [
        _Group(one, min(one.members, key=lambda number: _FIRST[rules.keep](documents, number)))
        for one in clusters(found)
    ]
    names = documents.names(sorted({*stored, *(n for one in groups for n in one.cluster.members)}))
    removed = {number: replace(one, document=names[number]) for number, one in stored.items()}
    going = _Going.of(documents, rules.question, groups, names)
    removed |= going.removed
    problems = (*problems, *found.problems, *going.problems(), *going.chains(len(removed)))
    return Sifted(
        dict(sorted(removed.items())),
        tuple(one.told(place, names) for place, one in enumerate(groups, 1)),
        tuple(_worth_telling(problems)),
        found.how,
        found.curve,
    )


@dataclass(frozen=True)
class _Group:
    """A cluster and which of its documents is kept."""

    cluster: Cluster
    kept: int

    def told(self, place: int, names: Mapping[int, str]) -> Same:
        members = tuple(names[number] for number in self.cluster.members)
        # Six digits: a sum of many has errors in its last ones.
        weakest, mean = round(self.cluster.weakest, 6), round(self.cluster.mean, 6)
        return Same(place, len(members), names[self.kept], weakest, mean, members)


def _worth_telling(problems: Iterable[Problem]) -> list[Problem]:
    """Those that clusters suffer from, each once."""
    return [one for one in dict.fromkeys(problems) if one.category not in _UNIMPORTANT]


def _like_stored(documents: Judged, rules: Rules) -> tuple[dict[int, Removed], tuple[Problem, ...]]:
    """The documents that are like one of the collection against which they are compared.

    Each with the stored document that it is most like; its own name is still to be said.
    """
    if rules.against is None:
        return {}, ()
    found = links(documents, rules.question, rules.against)
    order = np.lexsort((found.right, -found.similarity, found.left))
    ids, first = np.unique(found.left[order], return_index=True)
    best = order[first]
    names = called(rules.against, found.right[best].tolist())
    columns = (found.right[best], found.score[best], found.similarity[best])
    rows = zip(ids.tolist(), *(column.tolist() for column in columns), strict=True)
    stored = {
        number: Removed("", names[other].name, score, similarity)
        for number, other, score, similarity in rows
    }
    return stored, found.problems


@dataclass(frozen=True)
class _Going:
    """All documents of groups but those that are kept, each with the one that is kept instead.

    `compared` says how alike the two of each of the `pairs` of names are, linked or not.
    """

    removed: Mapping[int, Removed]
    pairs: Sequence[tuple[str, str]]
    compared: Compared
    minimum: int

    @classmethod
    def of(
        cls,
        documents: Judged,
        question: Question,
        groups: Sequence[_Group],
        names: Mapping[int, str],
    ) -> _Going:
        """Those of the groups; `names` has what all their documents are called."""
        rows = [
            (number, one.kept, place)
            for place, one in enumerate(groups, 1)
            for number in one.cluster.members
            if number != one.kept
        ]
        pairs = [(min(number, kept), max(number, kept)) for number, kept, _ in rows]
        plan = planned(documents.collection, question)
        compared = _compared(documents, plan, pairs)
        scores = compared.scores
        told = zip(rows, scores.score.tolist(), scores.similarity.tolist(), strict=True)
        removed = {
            number: Removed(names[number], names[kept], score, similarity, place)
            for (number, kept, place), score, similarity in told
        }
        called = [(names[one], names[other]) for one, other in pairs]
        return cls(removed, called, compared, plan.minimum)

    def problems(self) -> Iterator[Problem]:
        """Of the pairs that were not compared, as their texts are too long."""
        return self.compared.problems(lambda place: " and ".join(map(shown, self.pairs[place])))

    def chains(self, removed: int) -> Iterator[Problem]:
        """That documents go which are not like the one that is kept, if any of all that go do."""
        below = sum(one.score < self.minimum for one in self.removed.values())
        far = below - (len(self.compared.refused) if below else 0)
        if far:
            yield Problem(
                "warning",
                "chain",
                f"{far:,} of {counted(removed, 'removed document')} "
                f"{'scores' if far == 1 else 'score'} below {self.minimum} with the document kept "
                "instead; --removed lists them (they are linked through other documents)",
            )


def _compared(documents: Judged, plan: Plan, pairs: Sequence[tuple[int, int]]) -> Compared:
    """How alike the two documents of each pair are."""
    table = Table(pieces(documents.collection, plan.making), plan.making)
    order = np.argsort(table.ids)
    sides = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    left, right = (order[np.searchsorted(table.ids, side, sorter=order)] for side in sides)
    if plan.compares == "sequences":
        return Sequences(plan.part, table).pairs(left, right)
    scores = plan.scorer(table.common(left, right), table.sizes[left], table.sizes[right])
    return Compared(scores, {})
