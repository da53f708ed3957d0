"""Which pairs count in a deduplication, and the documents that are removed for one of `against`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.order_of_keeping import no_values
from sdtext.deduplication.rule_names import FieldChoice
from sdtext.deduplication.rules_and_removals import (
    CoveredDocument,
    RemovedDocument,
    Rules,
    refused_in,
)
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import brief, counted
from sdtext.model import Problem
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates.buckets import Rows
from sdtext.search.find import links
from sdtext.search.results import Links
from sdtext.search.searchable import documents_of

_NONE = -1


@dataclass(frozen=True, eq=False)
class Scope:
    """The pairs that count: "within" a value of a field, or "across" two values.

    `codes` has a number for the value of each document, in the order of their ids, -1 for a
    document without one. Such a document is in no pair. Values are compared as texts.

    >>> from numpy import array
    >>> values = array([0, 0, 1, -1])
    >>> Scope(FieldChoice("within", "lang"), {}, values).allows(values[:1], values).tolist()
    [True, True, False, False]
    >>> Scope(FieldChoice("across", "lang"), {}, values).allows(values[:1], values).tolist()
    [False, False, True, False]
    """

    choice: FieldChoice
    numbers: Mapping[str, int]
    codes: Rows

    @classmethod
    def of(cls, documents: Workspace, choice: FieldChoice | None) -> Scope | None:
        """The scope of the documents; None where all pairs count.

        Raises OptionError where no record has the field.
        """
        if choice is None:
            return None
        values = documents.origins.values[choice.field]
        numbers: dict[str, int] = {}
        codes = [
            _NONE if value is None else numbers.setdefault(str(value), len(numbers))
            for value in values
        ]
        if not numbers:
            raise no_values("scope", choice, documents.sources)
        return cls(choice, numbers, np.array(codes, np.int64))

    @property
    def is_within(self) -> bool:
        """Whether documents of the same value can be duplicates, not those of different ones."""
        return self.choice.name == "within"

    def allows(self, left: Rows, right: Rows) -> NDArray[np.bool_]:
        """Which pairs of values count."""
        same = left == right if self.is_within else left != right
        return np.asarray(same & (left != _NONE) & (right != _NONE))

    def codes_in(self, stored: StoredCollection, ids: Sequence[int]) -> Rows:
        """The numbers of the values of stored documents; unknown values have one of their own."""
        found = documents_of(stored, ids)
        values = (found[number].metadata.get(self.choice.field) for number in ids)
        others = len(self.numbers)
        codes = [
            _NONE if value is None else self.numbers.get(str(value), others) for value in values
        ]
        return np.array(codes, np.int64)

    def problems(self) -> list[Problem]:
        """A warning about documents without a value, which are in no pair."""
        missing = int((self.codes == _NONE).sum())
        if not missing:
            return []
        return [
            Problem(
                "warning",
                "missing-value",
                f"{missing:,} of {counted(len(self.codes), 'record')} "
                f"{'has' if missing == 1 else 'have'} no value in the field "
                f"{brief(self.choice.field)}; {'it is' if missing == 1 else 'they are'} not "
                f"compared ({self.choice.name}:{self.choice.field}), and kept",
            )
        ]


@dataclass(frozen=True)
class StoredMatches:
    """What a collection and the documents have in common.

    `removed` has, by their numbers, the documents that are similar to a stored one, each with the
    most similar one; its own name is still missing. `partners` has the numbers of these. `covered`
    has all stored ones that are similar, if asked for.
    """

    removed: Mapping[int, RemovedDocument] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    covered: tuple[CoveredDocument, ...] = ()
    partners: Mapping[int, int] = field(default_factory=dict)


def similar_to_stored(
    documents: Workspace,
    rules: Rules,
    run: Run,
    scope: Scope | None = None,
    without: Sequence[int] = (),
) -> StoredMatches:
    """The documents that are similar to one of the collection `against`.

    Those at `without` are not compared.
    """
    if rules.against is None:
        return StoredMatches()
    pairs = links(documents.collection, rules.question, rules.against, without, run)
    problems = (*pairs.problems, *refused_in(documents, pairs, rules.against))
    if scope:
        problems = (*problems, *_left_out(pairs))
        pairs = _in_scope(documents, pairs, rules.against, scope)
    others = documents_of(rules.against, (best := _best(pairs)).right.tolist())
    columns = (best.left, best.right, best.score, best.similarity)
    removed = {
        number: RemovedDocument("", others[other].name, score, similarity)
        for number, other, score, similarity in zip(*(c.tolist() for c in columns), strict=True)
    }
    partners = dict(zip(best.left.tolist(), best.right.tolist(), strict=True))
    matches = StoredMatches(removed, problems, partners=partners)
    if not rules.lists_covered:
        return matches
    if rules.is_contained:
        pairs = _stored_in_inputs(documents, rules, run, scope)
    return replace(matches, covered=_covered(documents, pairs, rules.against))


def _best(pairs: Links) -> Links:
    """For each document on the left the most similar one, of equally similar ones the first."""
    order = np.lexsort((pairs.right, -pairs.similarity, pairs.left))
    _, first = np.unique(pairs.left[order], return_index=True)
    return _taken(pairs, order[first])


def _taken(pairs: Links, places: NDArray[Any]) -> Links:
    sides = pairs.left[places], pairs.right[places]
    return Links(*sides, pairs.score[places], pairs.similarity[places])


def _turned(pairs: Links) -> Links:
    return Links(pairs.right, pairs.left, pairs.score, pairs.similarity)


def _stored_in_inputs(documents: Workspace, rules: Rules, run: Run, scope: Scope | None) -> Links:
    """The pairs where a document contains a stored one."""
    assert rules.against is not None  # noqa: S101 (as for the caller)
    question = replace(rules.question, recipe=documents.collection.recipe)
    pairs = _turned(links(rules.against, question, documents.collection, run=run))
    return _in_scope(documents, pairs, rules.against, scope) if scope else pairs


def _covered(
    documents: Workspace, pairs: Links, stored: StoredCollection
) -> tuple[CoveredDocument, ...]:
    """The stored documents of the pairs, in their order, each with the most similar input."""
    best = _best(_turned(pairs))
    covered = documents_of(stored, best.left.tolist())
    names = documents.names(sorted({*best.right.tolist()}))
    columns = (best.left, best.right, best.score, best.similarity)
    return tuple(
        CoveredDocument(covered[number].name, names[other], score, similarity)
        for number, other, score, similarity in zip(*(c.tolist() for c in columns), strict=True)
    )


def _in_scope(documents: Workspace, pairs: Links, stored: StoredCollection, scope: Scope) -> Links:
    """The pairs that count, by the fields of the stored documents."""
    codes = scope.codes[np.searchsorted(documents.ids, pairs.left)]
    ids, places = np.unique(pairs.right, return_inverse=True)
    counting = scope.allows(codes, scope.codes_in(stored, ids.tolist())[places])
    return _taken(pairs, counting)


def _left_out(pairs: Links) -> Iterator[Problem]:
    if number := len(pairs.incomplete):
        yield Problem(
            "warning",
            "large-bucket",
            f"{counted(number, 'document')} similar to so many stored documents that some pairs "
            "were not compared; with a scope, duplicates of stored documents may be kept",
        )
