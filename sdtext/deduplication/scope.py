"""The scope of a deduplication: which pairs count, by the values of a field of the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.collection import Collection
from sdtext.deduplication.rule_names import FieldChoice
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import OptionError, brief, counted
from sdtext.model import Problem
from sdtext.search.candidates.buckets import Rows
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
            raise OptionError(
                f"scope is {choice.name}:{choice.field}, but no record has a field "
                f"{brief(choice.field)} with a text or number"
            )
        return cls(choice, numbers, np.array(codes, np.int64))

    @property
    def is_within(self) -> bool:
        """Whether documents of the same value can be duplicates, not those of different ones."""
        return self.choice.name == "within"

    def allows(self, left: Rows, right: Rows) -> NDArray[np.bool_]:
        """Which pairs of values count."""
        same = left == right if self.is_within else left != right
        return np.asarray(same & (left != _NONE) & (right != _NONE))

    def codes_in(self, stored: Collection, ids: Sequence[int]) -> Rows:
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
