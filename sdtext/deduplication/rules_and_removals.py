"""What a deduplication removes, by which rules, and what all of its rules have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.rule_names import (
    KEEP,
    KEEP_FORMS,
    RULES,
    SCOPE_FORMS,
    FieldChoice,
    meant,
)
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import OptionError, shown
from sdtext.model import Problem, RecipeSpec
from sdtext.model.displayed_results import ShortFields, shorten_tuples
from sdtext.search.results import Curve, Links
from sdtext.search.search_explanations import refused_pairs
from sdtext.search.search_plan import Question
from sdtext.search.searchable import documents_of

_CONTAINED = 99  # of 100 shingles: nearly nothing is lost
_IRRELEVANT = ("equal-documents", "many-pairs")  # about pairs that the choice does not need


@dataclass(frozen=True)
class Rules:
    """The rules by which documents are duplicates, and by which one of them is kept.

    By the `rule` "direct" a document is removed only where it is a duplicate of one that is kept;
    by "cluster", all but one of each connected component of duplicates are; by "contained", one of
    which the shingles are in one that is kept (`minimum` percent of them, by default 99). Of
    documents that contain one another, that with more shingles is kept. Duplicates score
    `minimum` or more by the `recipe`. Pairs that score exactly `minimum` are found with the
    probability `recall`. Without these the recipe's index states them. `keep` is the order in which
    documents are kept: "first" (in the order of the inputs), "longest", "shortest", "newest" (by
    the times of files, or the field `date` of records, or "newest:FIELD") or "best:FIELD" (the
    largest number); with "none" every document that has a duplicate is removed. Documents that are
    similar to one of the collection `against` are removed, too. `scope` restricts the pairs that
    count to those "within:FIELD", of records with the same value in a field, or "across:FIELD", of
    those with different values. `lists_covered` asks which documents of `against` are
    similar to an input document, `explains` what removed documents share with those kept instead,
    `reviewed` for so many removals, the least similar first, with their texts, and `marks` for the
    clusters of all documents. `retains` keeps the links, to choose again at a higher minimum.
    """

    recipe: RecipeSpec | None = None
    minimum: int | None = None
    recall: float | None = None
    keep: str = "first"
    against: StoredCollection | None = None
    rule: str = RULES[0]
    scope: str = ""
    lists_covered: bool = False
    explains: bool = False
    reviewed: int = 0
    marks: bool = False
    retains: bool = False

    def __post_init__(self) -> None:
        for option, given, forms in (
            ("rule", self.rule, RULES),
            ("keep", self.keep, KEEP_FORMS),
            ("scope", self.scope or None, SCOPE_FORMS),
        ):
            if given is not None and not FieldChoice.parsed(given, forms):
                wanted = f"one of {', '.join(forms)}{meant(given, forms)}"
                raise OptionError.of("deduplicate", option, given, wanted)
        if self.is_contained and self.order.name == "none":
            raise OptionError(
                "keep is none, but by the rule contained the document is kept that holds the others"
            )

    @property
    def order(self) -> FieldChoice:
        """The choice of what is kept."""
        return FieldChoice.parsed(self.keep, KEEP_FORMS) or FieldChoice(KEEP[0])

    @property
    def pairs_in(self) -> FieldChoice | None:
        """The choice of which pairs count; None for all."""
        return FieldChoice.parsed(self.scope, SCOPE_FORMS)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of records on which the choices depend."""
        return tuple(sorted({choice.field for _, choice in self.choices}))

    @property
    def choices(self) -> list[tuple[str, FieldChoice]]:
        """The options that depend on a field of records, and what they are."""
        options = (("keep", self.order), ("scope", self.pairs_in))
        return [(name, choice) for name, choice in options if choice and choice.field]

    @property
    def needs_texts(self) -> bool:
        """Whether the texts of documents are needed after the comparison."""
        return self.explains or self.reviewed > 0

    @property
    def is_contained(self) -> bool:
        """Whether one of two documents is a duplicate if the other contains it."""
        return self.rule == "contained"

    @property
    def question(self) -> Question:
        """The question for a search."""
        if self.is_contained:
            minimum = _CONTAINED if self.minimum is None else self.minimum
            return Question(minimum=minimum, matcher="containment", recall=self.recall)
        return Question(minimum=self.minimum, recall=self.recall)


@dataclass(frozen=True, repr=False)
class RemovedDocument(ShortFields):
    """A document that is removed, and the one that is kept instead.

    `score` (0 to 99) and `similarity` (0 to 1) are those of these two. By the rule `cluster` they
    may be connected by other documents alone; then the score is below the minimum, and 0 where they
    are too long to be compared. `cluster` is None where the other document is in the collection
    against which all were compared. If none is to be kept, `kept` is empty, and `duplicate` names
    the most similar document, which is removed, too, or is in that collection. If asked for,
    `shared` is the number of shingles that both have, and `passage` the longest passage; they are
    None where a stored text is not at hand.
    """

    document: str
    kept: str
    score: int
    similarity: float
    cluster: int | None = None
    duplicate: str | None = None
    shared: int | None = None
    passage: str | None = None


@dataclass(frozen=True, repr=False)
class CoveredDocument(ShortFields):
    """A document of the collection `against` to which an input document is similar.

    `covered_by` is the most similar one; `score` (0 to 99) and `similarity` (0 to 1) are those of
    these two. By the rule `contained`, it contains the stored document.
    """

    document: str
    covered_by: str
    score: int
    similarity: float


@dataclass(frozen=True, repr=False)
class DuplicateCluster(ShortFields):
    """A cluster of duplicates: the document that is kept, and the similarities of its links.

    `weakest` and `mean` are similarities from 0 to 1. By the rule `direct` the members are the
    document kept and those removed for it, and the links those between it and them. By `cluster`
    they are a connected component and all its links.
    """

    cluster: int
    documents: int
    kept: str
    weakest: float
    mean: float
    members: tuple[str, ...]

    def __post_init__(self) -> None:
        shorten_tuples(self, "members")


@dataclass(frozen=True)
class Choice:
    """The removed documents by their numbers, in the order of the inputs, and the clusters.

    `partners` has, by their numbers, those of the documents that are kept instead: stored ones for
    a removal without a cluster. `again` chooses at a higher minimum score, with the warnings that
    depend on it alone; it raises OptionError where the links do not suffice.
    """

    removed: Mapping[int, RemovedDocument]
    clusters: tuple[DuplicateCluster, ...]
    problems: tuple[Problem, ...] = ()
    how: str = ""
    curve: Curve = ()
    covered: tuple[CoveredDocument, ...] = ()
    partners: Mapping[int, int] = field(default_factory=dict)
    again: Callable[[int], Choice] | None = None

    def cluster_of(self) -> dict[int, int]:
        """The numbers of the clusters of documents; 0 for one that is similar to a stored one."""
        clusters = {number: row.cluster or 0 for number, row in self.removed.items()}
        kept = ((self.partners[number], place) for number, place in clusters.items() if place)
        return {**dict(kept), **clusters}


TOO_MANY_PAIRS = "so many documents are similar that not all of their pairs are known"


def refuse_again(why: str) -> Callable[[int], Choice]:
    """A function that says why nothing can be chosen again."""

    def refuse(_: int) -> Choice:
        raise OptionError(f"{why}; deduplicate again with that similarity", place="rethreshold")

    return refuse


def refused_in(
    documents: Workspace, pairs: Links, against: StoredCollection | None = None
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
