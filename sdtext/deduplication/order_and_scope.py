"""The order in which documents are kept, and the scope: the pairs of them that count."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isfinite, nan

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.rule_names import FieldChoice
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.source_documents import FILES, Sources
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import OptionError
from sdtext.model import Problem
from sdtext.reading.archive_members import MARK
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.record import listed
from sdtext.search.candidates.buckets import Rows
from sdtext.search.searchable import documents_of
from sdtext.wording import brief, counted

Keys = NDArray[np.float64]
"""A number for each document; the least is kept first, and NaN stands for the last."""

_NONE = -1
_YEAR, _DAY = 4, 8  # digits


def places_by(documents: Workspace, keep: FieldChoice) -> NDArray[np.int64]:
    """The place of each document in the order of keeping, the first of equal ones before others.

    Raises OptionError where documents have no such field.
    """
    places = np.empty(len(documents), np.int64)
    places[np.argsort(_keys(documents, keep), kind="stable")] = np.arange(len(places))
    return places


def missing_values(documents: Workspace, keep: FieldChoice) -> list[Problem]:
    """A warning where records have no date or number to be ordered by."""
    if not keep.field or documents.sources.kind == FILES:
        return []
    return lacking(keep, int(np.isnan(_keys(documents, keep)).sum()), len(documents))


def lacking(choice: FieldChoice, missing: int, number: int) -> list[Problem]:
    """A warning about so many records without the value of a choice; none where all have one."""
    what, effect = {
        "newest": ("date", "each counts as the oldest"),
        "best": ("number", "each counts as the lowest"),
    }.get(choice.name, ("value", f"none of these is compared ({choice}), and each is kept"))
    have = "has" if missing == 1 else "have"
    message = f"{missing:,} of {counted(number, 'record')} {have} no {what} in the field "
    message += f"{brief(choice.field)}; {effect}"
    return [Problem("warning", "missing-value", message)] if missing else []


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
        values = documents.values[choice.field]
        numbers: dict[str, int] = {}
        codes = [
            _NONE if value is None else numbers.setdefault(str(value), len(numbers))
            for value in values
        ]
        if not numbers:
            raise no_values("scope", choice, documents.sources.known)
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
        return lacking(self.choice, int((self.codes == _NONE).sum()), len(self.codes))


def with_fields(sources: Sources, rules: Rules, run: Run) -> Sources:
    """The sources with the fields that the rules are about, and those that the first record has.

    OptionError where the documents are files, or records in tables none of which has the field.
    """
    carried = tuple(sorted({choice.field for choice in rules.choices.values()}))
    if not carried or sources.kind == FILES:
        for option, choice in rules.choices.items():
            if choice.is_stated:
                raise OptionError(
                    f"{option} is {choice}, but these documents are files; only records have fields"
                )
        return replace(sources, carried=carried)
    known, _ = next(sources.field_names(run), ((), False))
    sources = replace(sources, carried=carried, known=known)
    for option, choice in rules.choices.items():
        each = sources.field_names(run)
        if all(are_all and choice.field not in names for names, are_all in each):
            raise no_values(option, choice, sources.known)
    return sources


def no_values(option: str, choice: FieldChoice, fields: Iterable[str] = ()) -> OptionError:
    """The error about a field that no record has, with those that the first one has."""
    names = dict.fromkeys(fields)
    known = f"; the first has {listed(names)}" if names else ""
    return OptionError(
        f"{option} is {choice}, but no record has a field {brief(choice.field)} with a text or "
        f"number{known}"
    )


def _keys(documents: Workspace, keep: FieldChoice) -> Keys:
    """Raises OptionError where no record has a value of the field."""
    sign = 1 if keep.name == "shortest" else -1
    if keep.name in ("longest", "shortest"):
        return sign * documents.lengths.astype(np.float64)
    if keep.name == "newest" and documents.sources.kind == FILES:
        paths = documents.sources.paths
        return -np.array([_modified(str(paths[number])) for number in documents.files.tolist()])
    if not keep.field:
        return np.zeros(len(documents))
    values = documents.values[keep.field]
    if all(value is None for value in values):
        raise no_values("keep", keep, documents.sources.known)
    return -np.array(times_of(values) if keep.name == "newest" else [*map(number_in, values)])


def _modified(path: str) -> float:
    """The time when a file was changed; that of the archive for a document in one."""
    while path:
        try:
            return os.stat(path).st_mtime  # noqa: PTH116 (Path.stat raises for some names)
        except (OSError, ValueError):
            path = path.rpartition(MARK)[0]  # of a document in an archive
    return nan


def times_of(values: Sequence[object]) -> list[float]:
    """Numbers that order dates; NaN where a value is no date.

    Values that are all numbers are ordered as they are. Otherwise they are dates by ISO 8601: a
    year, a month, a day or a time (without a time zone, UTC), or seconds since 1970.

    >>> times_of(["2020", "2020-01", "2020-01-01T00:00:00Z", "soon"])
    [1577836800.0, 1577836800.0, 1577836800.0, nan]
    >>> times_of([3, "12.5", None])
    [3.0, 12.5, nan]
    """
    numbers = [*map(number_in, values)]
    if all(isfinite(numbers[place]) for place, value in enumerate(values) if value is not None):
        return numbers
    return [time_in(*pair) for pair in zip(values, numbers, strict=True)]


def time_in(value: object, number: float) -> float:
    """The seconds of a date, or the number in a value if it is none; NaN for all else."""
    text = "" if value is None else str(value).strip()
    if isfinite(number) and not (text.isdigit() and len(text) in (_YEAR, _DAY)):
        return number
    for ending in ("", "-01", "-01-01"):
        with suppress(ValueError):
            time = datetime.fromisoformat(text + ending)
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return nan


def number_in(value: object) -> float:
    """A number, also one that is written as a text; NaN for all else."""
    try:
        number = float(value) if isinstance(value, str | int | float) else nan
    except ValueError:
        return nan
    return number if isfinite(number) else nan
