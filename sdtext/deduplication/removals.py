"""The choice of documents to remove: all but one of each cluster of similar ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdtext.collections.collection import Collection
from sdtext.deduplication.rules import KEEP
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import OptionError, counted, shown
from sdtext.model import Problem, RecipeSpec
from sdtext.search.by_sequences import ComparedPairs, Sequences
from sdtext.search.clusters import Cluster, clusters
from sdtext.search.description import refused_pairs
from sdtext.search.find import links
from sdtext.search.plan import SearchPlan, plan_search
from sdtext.search.results import Curve, Links
from sdtext.search.search_options import Question
from sdtext.search.searchable import Table, documents_of, segment_views

_ORDERS: Mapping[str, Callable[[Workspace, int], tuple[int, int]]] = {
    "first": lambda _, number: (0, number),
    "longest": lambda documents, number: (-documents.length(number), number),
    "shortest": lambda documents, number: (documents.length(number), number),
}
_IRRELEVANT = ("equal-documents", "many-pairs")  # about pairs that clusters do not need


@dataclass(frozen=True)
class Rules:
    """The rules by which documents are duplicates, and by which one of them is kept.

    Duplicates score `minimum` or more by the `recipe`. Pairs that score exactly `minimum` are
    found with the probability `recall`. Without these the recipe's index states them. `keep` is
    "first" (in the order of the inputs), "longest" or "shortest". Documents that are similar to
    one of the collection `against` are removed, too.
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
        """The question for a search."""
        return Question(minimum=self.minimum, recall=self.recall)


@dataclass(frozen=True)
class RemovedDocument:
    """A document that is removed, and the one that is kept instead.

    The score is that of these two. In a cluster they may be connected by other documents alone;
    then the score is below the minimum. It is 0 where they are too long to be compared. `cluster`
    is None where the other document is in the collection against which all were compared.
    """

    document: str
    kept: str
    score: int
    similarity: float
    cluster: int | None = None


@dataclass(frozen=True)
class DuplicateCluster:
    """A cluster of duplicates: the document that is kept, and the similarities of its links."""

    cluster: int
    documents: int
    kept: str
    weakest: float
    mean: float
    members: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """The removed documents by their numbers, in the order of the inputs, and the clusters."""

    removed: Mapping[int, RemovedDocument]
    clusters: tuple[DuplicateCluster, ...]
    problems: tuple[Problem, ...]
    how: str
    curve: Curve


def choose(documents: Workspace, rules: Rules) -> Choice:
    """The documents to remove by the rules."""
    stored, problems = _similar_to_stored(documents, rules)
    pairs = links(documents.collection, rules.question, without=stored)
    groups = [
        _ClusterChoice(
            cluster, min(cluster.members, key=lambda n: _ORDERS[rules.keep](documents, n))
        )
        for cluster in clusters(pairs)
    ]
    members = (number for group in groups for number in group.cluster.members)
    names = documents.names(sorted({*stored, *members}))
    removed = {number: replace(row, document=names[number]) for number, row in stored.items()}
    removals = _Removals.of(documents, rules.question, groups, names)
    removed |= removals.removed
    problems = (
        *problems,
        *pairs.problems,
        *_refused(documents, pairs),
        *removals.problems(),
        *removals.chains(len(removed)),
    )
    return Choice(
        dict(sorted(removed.items())),
        tuple(group.row(place, names) for place, group in enumerate(groups, 1)),
        tuple(_relevant(problems)),
        pairs.how,
        pairs.curve,
    )


def _refused(
    documents: Workspace, pairs: Links, against: Collection | None = None
) -> Iterator[Problem]:
    """Warnings about pairs that were not compared."""
    left, right = ([pair[side] for pair in pairs.refused] for side in (0, 1))
    names = documents.names(left if against else [*left, *right])
    others = names
    if against:
        others = {number: other.name for number, other in documents_of(against, right).items()}
    return refused_pairs(
        pairs.refused, lambda pair: f"{shown(names[pair[0]])} and {shown(others[pair[1]])}"
    )


@dataclass(frozen=True)
class _ClusterChoice:
    """A cluster and the document of it that is kept."""

    cluster: Cluster
    kept: int

    def row(self, place: int, names: Mapping[int, str]) -> DuplicateCluster:
        members = tuple(names[number] for number in self.cluster.members)
        # Six digits: a sum of many has errors in its last ones.
        weakest, mean = round(self.cluster.weakest, 6), round(self.cluster.mean, 6)
        return DuplicateCluster(place, len(members), names[self.kept], weakest, mean, members)


def _relevant(problems: Iterable[Problem]) -> list[Problem]:
    """The problems that affect clusters, each once."""
    distinct = dict.fromkeys(problems)
    return [problem for problem in distinct if problem.category not in _IRRELEVANT]


def _similar_to_stored(
    documents: Workspace, rules: Rules
) -> tuple[dict[int, RemovedDocument], tuple[Problem, ...]]:
    """The documents that are similar to one of the collection `against`.

    Each has the most similar stored document; its own name is still missing.
    """
    if rules.against is None:
        return {}, ()
    pairs = links(documents.collection, rules.question, rules.against)
    order = np.lexsort((pairs.right, -pairs.similarity, pairs.left))
    ids, first = np.unique(pairs.left[order], return_index=True)
    best = order[first]
    others = documents_of(rules.against, pairs.right[best].tolist())
    columns = (pairs.right[best], pairs.score[best], pairs.similarity[best])
    rows = zip(ids.tolist(), *(column.tolist() for column in columns), strict=True)
    stored = {
        number: RemovedDocument("", others[other].name, score, similarity)
        for number, other, score, similarity in rows
    }
    return stored, (*pairs.problems, *_refused(documents, pairs, rules.against))


@dataclass(frozen=True)
class _Removals:
    """All documents of clusters but those that are kept, each with the one that is kept instead.

    `compared` has the scores of the two of each of the `pairs` of names, linked or not.
    """

    removed: Mapping[int, RemovedDocument]
    pairs: Sequence[tuple[str, str]]
    compared: ComparedPairs
    minimum: int

    @classmethod
    def of(
        cls,
        documents: Workspace,
        question: Question,
        groups: Sequence[_ClusterChoice],
        names: Mapping[int, str],
    ) -> _Removals:
        """The removals from clusters; `names` has the names of all their documents."""
        rows = [
            (number, group.kept, place)
            for place, group in enumerate(groups, 1)
            for number in group.cluster.members
            if number != group.kept
        ]
        pairs = [(min(number, kept), max(number, kept)) for number, kept, _ in rows]
        plan = plan_search(documents.collection, question)
        compared = _compared(documents, plan, pairs)
        scores = compared.scores
        scored = zip(rows, scores.score.tolist(), scores.similarity.tolist(), strict=True)
        removed = {
            number: RemovedDocument(names[number], names[kept], score, similarity, place)
            for (number, kept, place), score, similarity in scored
        }
        by_name = [(names[left], names[right]) for left, right in pairs]
        return cls(removed, by_name, compared, plan.minimum)

    def problems(self) -> Iterator[Problem]:
        """Warnings about pairs that were not compared, since their texts are too long."""
        return refused_pairs(
            self.compared.refused, lambda place: " and ".join(map(shown, self.pairs[place]))
        )

    def chains(self, removed: int) -> Iterator[Problem]:
        """A warning where documents are not similar to the one that is kept."""
        below = sum(row.score < self.minimum for row in self.removed.values())
        far = below - (len(self.compared.refused) if below else 0)
        if far:
            yield Problem(
                "warning",
                "chain",
                f"{far:,} of {counted(removed, 'removed document')} "
                f"{'scores' if far == 1 else 'score'} below {self.minimum} with the document kept "
                "instead; --removed lists them (they are linked through other documents)",
            )


def _compared(
    documents: Workspace, plan: SearchPlan, pairs: Sequence[tuple[int, int]]
) -> ComparedPairs:
    """The scores of the two documents of each pair."""
    table = Table(segment_views(documents.collection, plan.derivation), plan.derivation)
    order = np.argsort(table.ids)
    sides = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    left, right = (order[np.searchsorted(table.ids, side, sorter=order)] for side in sides)
    if plan.compares == "sequences":
        return Sequences(plan.part, table).pairs(left, right)
    scores = plan.scorer(table.common(left, right), table.sizes[left], table.sizes[right])
    return ComparedPairs(scores, {})
