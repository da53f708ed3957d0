"""What a deduplication removes, by which rules, and what all of its rules have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage
from sdtext.deduplication.rule_names import (
    DOCUMENT,
    KEEP,
    KEEP_FORMS,
    LEAST_WORDS,
    RULES,
    SCOPE_FORMS,
    UNITS,
    FieldChoice,
)
from sdtext.errors import OptionError
from sdtext.model import Problem, RecipeSpec
from sdtext.model.displayed_results import ArrowRows, ShortFields, html_table
from sdtext.search.results import Curve
from sdtext.search.search_plan import Question
from sdtext.wording import counted

_CONTAINED = 99  # of 100 shingles: nearly nothing is lost
_OF_DOCUMENTS = {
    **{name: name for name in ("recall", "keep", "against", "rule", "scope", "mark", "explain")},
    "minimum": "similarity",
    "review": "review",
}
"""The options of whole documents alone, and their names."""


@dataclass(frozen=True)
class Rules:
    """The rules by which documents or parts of them are duplicates, and by which one is kept.

    Duplicates score `minimum` or more by the `recipe`; pairs that score exactly that are found with
    the probability `recall`. Without these the recipe's index states them. The others are those of
    `sdtext.deduplicate`.
    """

    recipe: RecipeSpec | None = None
    minimum: int | None = None
    recall: float | None = None
    keep: str = KEEP[0]
    against: StoredCollection | None = None
    rule: str = RULES[0]
    scope: str = ""
    unit: str = DOCUMENT
    min_tokens: int | None = None
    mark: bool = False
    explain: bool = False
    review: int = 0

    def __post_init__(self) -> None:
        for option, value, forms in (
            ("rule", self.rule, RULES),
            ("keep", self.keep, KEEP_FORMS),
            ("scope", self.scope, ("", *SCOPE_FORMS)),
            ("unit", self.unit, UNITS),
        ):
            if not FieldChoice.parsed(value, forms):
                wanted = f"one of {', '.join(filter(None, forms))}"
                raise OptionError.of("deduplicate", option, value, wanted)
        if self.is_contained and self.keep == "none":
            raise OptionError(
                "keep is none, but by the rule contained the document is kept that holds the others"
            )
        if self.review < 0:
            raise OptionError.of("deduplicate", "review", self.review, "0 or more")
        others = _OF_DOCUMENTS if self.unit != DOCUMENT else {"min_tokens": "min_tokens"}
        for each in fields(self):
            if each.name in others and getattr(self, each.name) != each.default:
                units = ", ".join(UNITS[:1] if self.unit != DOCUMENT else UNITS[1:])
                what = f"{others[each.name]} is for the unit {units}, and the unit is {self.unit}"
                raise OptionError(what, place="deduplicate")
        if self.unit != DOCUMENT and self.least_words < (least := 1 + (self.unit == "passage")):
            raise OptionError.of("deduplicate", "min_tokens", self.min_tokens, f"{least} or more")

    @property
    def least_words(self) -> int:
        """The fewest words of a part of a document that is compared."""
        return LEAST_WORDS[self.unit] if self.min_tokens is None else self.min_tokens

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


_NO_CLUSTERS = ArrowRows(DuplicateCluster, ())
_NONE_REVIEWED = ArrowRows(ReviewedPair, ())


@dataclass(frozen=True, repr=False)
class Deduplication:
    """The result of a deduplication.

    `removed` says for each item that is not kept which `document` it is, which one is `kept`
    instead, and their `score` (0 to 99) and `similarity` (0 to 1). `clusters` has the duplicates of
    each kept document. What could not be read is kept, and stands in `problems`. `reviewed` has the
    least similar removals, with the passages where they differ. `summary` says in words, and
    `counts` in numbers, how much was read and removed; `how` and `curve` say how pairs were found.

    With another unit than documents, `removed` are the passages, each with its place in the
    original text and the place that is kept: `restore(kept, removed)` gives the original texts.
    """

    removed: ArrowRows[Any]
    clusters: ArrowRows[DuplicateCluster] = _NO_CLUSTERS
    problems: tuple[Problem, ...] = ()
    how: str = ""
    reviewed: ArrowRows[ReviewedPair] = _NONE_REVIEWED
    curve: Curve = ()
    summary: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    _kept: Callable[[], Any] = field(default=tuple, compare=False)

    @property
    def record(self) -> dict[str, Any]:
        """The counts and, of documents, how duplicates were found, as in JSON."""
        if self.removed.row_type is RemovedPassage:
            return dict(self.counts)
        return {**self.counts, "how": self.how, "curve": [*map(list, self.curve)]}

    @cached_property
    def kept(self) -> Any:
        """The items that are kept, in their order.

        They are a tuple of the records and documents that were given, the paths of files, or the
        records in files, which are read once more; of a frame it is a table of Arrow with its
        columns, which `polars.DataFrame(result.kept)`, `pandas.DataFrame.from_arrow(result.kept)`
        and DuckDB read without a copy of the texts in Python; so they do `removed` and `clusters`.

        With another unit than documents these are all items, those from which something is removed
        with what is left of their texts, and Documents in place of paths.
        """
        return self._kept()

    def __str__(self) -> str:
        return self.summary

    def __repr__(self) -> str:
        passages = " passages" if self.removed.row_type is RemovedPassage else ""
        kept = self.counts.get("kept", self.counts.get("documents", 0))
        counts = f"{kept:,} kept, {len(self.removed):,}{passages} removed"
        noted = f", {counted(len(self.problems), 'problem')}" if self.problems else ""
        return f"<deduplication: {counts}{noted}>"

    def _repr_html_(self) -> str:
        columns = self.removed.columns
        for name in {"duplicate", "shared", "passage"}.intersection(columns):
            if all(getattr(row, name) is None for row in self.removed):
                columns.remove(name)
        rows = [[getattr(row, name) for name in columns] for row in self.removed]
        return html_table(repr(self).strip("<>"), columns, rows)
