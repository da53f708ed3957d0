"""What a deduplication removes, by which rules, and what all of its rules have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdtext.collections.collection import Collection
from sdtext.deduplication.rule_names import KEEP, RULES
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import OptionError, shown
from sdtext.model import Problem, RecipeSpec
from sdtext.model.short_representation import ShortFields
from sdtext.reading.parallel_run import Run
from sdtext.search.find import links
from sdtext.search.results import Curve, Links
from sdtext.search.search_explanations import refused_pairs
from sdtext.search.search_options import Question
from sdtext.search.searchable import documents_of

_IRRELEVANT = ("equal-documents", "many-pairs")  # about pairs that the choice does not need


@dataclass(frozen=True)
class Rules:
    """The rules by which documents are duplicates, and by which one of them is kept.

    By the `rule` "direct" a document is removed only where it is a duplicate of one that is kept;
    by "cluster", all but one of each connected component of duplicates are. Duplicates score
    `minimum` or more by the `recipe`. Pairs that score exactly `minimum` are found with the
    probability `recall`. Without these the recipe's index states them. `keep` is the order in which
    documents are kept: "first" (in the order of the inputs), "longest" or "shortest". Documents
    that are similar to one of the collection `against` are removed, too.
    """

    recipe: RecipeSpec | None = None
    minimum: int | None = None
    recall: float | None = None
    keep: str = "first"
    against: Collection | None = None
    rule: str = RULES[0]

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise OptionError.of("deduplicate", "rule", self.rule, f"one of {', '.join(RULES)}")
        if self.keep not in KEEP:
            raise OptionError.of("deduplicate", "keep", self.keep, f"one of {', '.join(KEEP)}")

    @property
    def question(self) -> Question:
        """The question for a search."""
        return Question(minimum=self.minimum, recall=self.recall)


@dataclass(frozen=True)
class RemovedDocument:
    """A document that is removed, and the one that is kept instead.

    The score is that of these two. By the rule `cluster` they may be connected by other documents
    alone; then the score is below the minimum, and 0 where they are too long to be compared.
    `cluster` is None where the other document is in the collection against which all were compared.
    """

    document: str
    kept: str
    score: int
    similarity: float
    cluster: int | None = None


@dataclass(frozen=True, repr=False)
class DuplicateCluster(ShortFields):
    """A cluster of duplicates: the document that is kept, and the similarities of its links.

    By the rule `direct` the members are the document kept and those removed for it, and the links
    those between it and them. By `cluster` they are a connected component and all its links.
    """

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


def refused_in(
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


def relevant(problems: Iterable[Problem]) -> list[Problem]:
    """The problems that affect the choice, each once."""
    distinct = dict.fromkeys(problems)
    return [problem for problem in distinct if problem.category not in _IRRELEVANT]


def similar_to_stored(
    documents: Workspace, rules: Rules, run: Run, without: Sequence[int] = ()
) -> tuple[dict[int, RemovedDocument], tuple[Problem, ...]]:
    """The documents that are similar to one of the collection `against`.

    Each has the most similar stored document; its own name is still missing. Those at `without` are
    not compared.
    """
    if rules.against is None:
        return {}, ()
    pairs = links(documents.collection, rules.question, rules.against, without, run)
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
    return stored, (*pairs.problems, *refused_in(documents, pairs, rules.against))
