"""The order in which documents are kept: by their place, length, date, or a number in a field."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import isfinite, nan

import numpy as np
from numpy.typing import NDArray

from sdtext.deduplication.rule_names import FieldChoice
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.source_documents import FILES, Sources
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import OptionError, brief, counted
from sdtext.model import Problem
from sdtext.reading.archive_members import MARK
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.record import listed
from sdtext.reading.records.record_files import FieldNames

Keys = NDArray[np.float64]
"""A number for each document; the least is kept first, and NaN stands for the last."""

_YEAR, _DAY = 4, 8  # digits


def places_by(documents: Workspace, keep: FieldChoice) -> NDArray[np.int64]:
    """The place of each document in the order of keeping, the first of equal ones before others.

    Raises OptionError where documents have no such field.
    """
    places = np.empty(len(documents), np.int64)
    places[np.argsort(_KEYS[keep.name](documents, keep), kind="stable")] = np.arange(len(places))
    return places


def missing_values(documents: Workspace, keep: FieldChoice) -> list[Problem]:
    """A warning where records have no date or number to be ordered by."""
    if not keep.field or documents.sources.kind == FILES:
        return []
    missing = int(np.isnan(_KEYS[keep.name](documents, keep)).sum())
    if not missing:
        return []
    what, rank = _WORDS[keep.name]
    return [
        Problem(
            "warning",
            "missing-value",
            f"{missing:,} of {counted(len(documents), 'record')} "
            f"{'has' if missing == 1 else 'have'} no {what} in the field {brief(keep.field)}; "
            f"{'it counts' if missing == 1 else 'they count'} as the {rank}",
        )
    ]


_WORDS = {"newest": ("date", "oldest"), "best": ("number", "lowest")}


def with_fields(sources: Sources, rules: Rules, run: Run) -> Sources:
    """The sources with the fields that the rules are about, and those that the first record has.

    OptionError where the documents are files, or records in tables none of which has the field.
    """
    if not rules.fields or sources.kind == FILES:
        for option, choice in rules.choices:
            if choice.is_stated:
                raise OptionError(
                    f"{option} is {choice}, but these documents are files; only records have fields"
                )
        return replace(sources, carried=rules.fields)
    first = next(sources.field_names(run), FieldNames())
    sources = replace(sources, carried=rules.fields, known=first.names)
    for option, choice in rules.choices:
        each = sources.field_names(run)
        if all(names.are_all and choice.field not in names.names for names in each):
            raise no_values(option, choice, sources)
    return sources


def no_values(option: str, choice: FieldChoice, sources: Sources) -> OptionError:
    """The error about a field that no record has, with those that the first one has."""
    known = f"; the first has {listed(dict.fromkeys(sources.known))}" if sources.known else ""
    return OptionError(
        f"{option} is {choice}, but no record has a field {brief(choice.field)} with a text or "
        f"number{known}"
    )


def _by_place(documents: Workspace, _: FieldChoice) -> Keys:
    return np.zeros(len(documents))


def _longest(documents: Workspace, _: FieldChoice) -> Keys:
    return -np.array(documents.origins.lengths, np.float64)


def _shortest(documents: Workspace, _: FieldChoice) -> Keys:
    return np.array(documents.origins.lengths, np.float64)


def _newest(documents: Workspace, keep: FieldChoice) -> Keys:
    if documents.sources.kind == FILES:
        return -np.array([_modified(documents, row) for row in documents.origins.sources])
    return -np.array(times_of(_values(documents, keep)))


def _best(documents: Workspace, keep: FieldChoice) -> Keys:
    return -np.array([*map(_number, _values(documents, keep))])


_KEYS: Mapping[str, Callable[[Workspace, FieldChoice], Keys]] = {
    "first": _by_place,
    "longest": _longest,
    "shortest": _shortest,
    "newest": _newest,
    "best": _best,
    "none": _by_place,
}


def _values(documents: Workspace, keep: FieldChoice) -> Sequence[object]:
    """The values of the field. Raises OptionError where no record has one."""
    values = documents.origins.values[keep.field]
    if all(value is None for value in values):
        raise no_values("keep", keep, documents.sources)
    return values


def _modified(documents: Workspace, number: int) -> float:
    """The time when a file was changed; that of the archive for a document in one."""
    path = str(documents.sources.paths[number])
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
    numbers = [_number(value) for value in values]
    present = (value is not None for value in values)
    if all(isfinite(number) for number, is_there in zip(numbers, present, strict=True) if is_there):
        return numbers
    return [
        nan if value is None else _time(str(value), number)
        for value, number in zip(values, numbers, strict=True)
    ]


def _time(text: str, number: float) -> float:
    text = text.strip()
    if isfinite(number) and not (text.isdigit() and len(text) in (_YEAR, _DAY)):
        return number
    for ending in ("", "-01", "-01-01"):
        try:
            time = datetime.fromisoformat(text + ending)
        except ValueError:
            continue
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return nan


def _number(value: object) -> float:
    """A number, also one that is written as a text; NaN for all else."""
    try:
        number = float(value) if isinstance(value, str | int | float) else nan
    except ValueError:
        return nan
    return number if isfinite(number) else nan
