"""What a deduplication removes, by which rules, and what all of its rules have in common."""

from __future__ import annotations

from dataclasses import dataclass

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.rule_names import KEEP, KEEP_FORMS, RULES, SCOPE_FORMS, FieldChoice
from sdtext.errors import OptionError
from sdtext.model import RecipeSpec
from sdtext.model.displayed_results import ShortFields
from sdtext.search.search_plan import Question

_CONTAINED = 99  # of 100 shingles: nearly nothing is lost


@dataclass(frozen=True)
class Rules:
    """The rules by which documents are duplicates, and by which one of them is kept.

    Duplicates score `minimum` or more by the `recipe`; pairs that score exactly that are found with
    the probability `recall`. Without these the recipe's index states them. `rule`, `keep`,
    `against` and `scope` are those of `sdtext.deduplicate`.
    """

    recipe: RecipeSpec | None = None
    minimum: int | None = None
    recall: float | None = None
    keep: str = "first"
    against: StoredCollection | None = None
    rule: str = RULES[0]
    scope: str = ""

    def __post_init__(self) -> None:
        for option, value, forms in (
            ("rule", self.rule, RULES),
            ("keep", self.keep, KEEP_FORMS),
            ("scope", self.scope, ("", *SCOPE_FORMS)),
        ):
            if not FieldChoice.parsed(value, forms):
                wanted = f"one of {', '.join(filter(None, forms))}"
                raise OptionError.of("deduplicate", option, value, wanted)
        if self.is_contained and self.keep == "none":
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
    def choices(self) -> dict[str, FieldChoice]:
        """The options that depend on a field of records, and what they are."""
        options = {"keep": self.order, "scope": self.pairs_in}
        return {name: choice for name, choice in options.items() if choice and choice.field}

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
class ReviewedPair(ShortFields):
    """A removed document and the one that is kept instead, with the passages where they differ.

    `score` is 0 to 99, `similarity` 0 to 1. `text` is of the removed document, `kept_text` of the
    other one: each from a few words before their first difference. They are None where a text is
    not at hand.
    """

    document: str
    kept: str
    score: int
    similarity: float
    cluster: int | None
    text: str | None
    kept_text: str | None


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
