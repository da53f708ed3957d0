"""Which documents of a collection are meant by names, numbers and conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Protocol

from sdtext.collections.collection import Collection
from sdtext.collections.condition import Missing, Name, Not
from sdtext.collections.filters import Condition
from sdtext.collections.storage.pending import as_stored
from sdtext.errors import brief, shown
from sdtext.model import Problem

_AT_ONCE = 500  # names; SQLite takes some 30,000 values
_NUMBER = re.compile("[1-9][0-9]{0,17}")  # such as SQLite can hold
_SHOWN = 5


@dataclass(frozen=True)
class Called:
    """The condition that a document has one of some names, below `root` if that is given.

    >>> Called(["a.txt", "b.txt"]).sql()
    ('name IN (?, ?)', ['a.txt', 'b.txt'])
    """

    names: Sequence[str]
    root: str | None = None

    def sql(self) -> tuple[str, list[Any]]:
        condition = f"name IN ({', '.join('?' * len(self.names))})"
        values: list[Any] = list(map(as_stored, self.names))
        if self.root is None:
            return condition, values
        return f"root = ? AND {condition}", [as_stored(self.root), *values]


class _Numbered(Protocol):
    """What gives the numbers of the documents for which a condition is true."""

    def ids(self, where: Any, /) -> Sized: ...


def unknown_names(collection: _Numbered, where: Condition | None) -> Iterator[Problem]:
    """A warning where a condition asks about metadata that no document has."""
    for name in where.metadata() if where else ():
        if not len(collection.ids(Not(Missing(Name(name, quoted=True))))):
            message = f"where: no document has the metadata {brief(name)}; is it spelt so?"
            yield Problem("warning", "no-metadata", message)


def chosen(
    collection: Collection,
    named: Sequence[str],
    where: Condition | None,
    note: Callable[[Problem], None],
) -> set[int]:
    """The numbers of the documents that are `named`, and of those for which `where` is true.

    A document is named by its name, or by its number. A name that none has, or several have
    because they came from different folders, is a problem.
    """
    found: set[int] = set()
    for name, known in _known(collection, list(dict.fromkeys(named))).items():
        if len(known) == 1:
            found.add(known[0])
        else:
            note(_problem(collection, name, known))
    if where:
        for problem in unknown_names(collection, where):
            note(problem)
        found.update(collection.ids(where).tolist())
    return found


def _known(collection: Collection, names: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the documents of each name; of a name that none has, as a number."""
    found: dict[str, list[int]] = {name: [] for name in names}
    for place in range(0, len(names), _AT_ONCE):
        for one in collection.documents(Called(names[place : place + _AT_ONCE])):
            found[one.name].append(one.id)
    numbers = [name for name, known in found.items() if not known and _NUMBER.fullmatch(name)]
    for one in collection.taken(map(int, numbers)):
        found[str(one.id)].append(one.id)
    return found


def _problem(collection: Collection, name: str, known: Sequence[int]) -> Problem:
    place = shown(collection.path)
    if not known:
        message = (
            f"{place}: holds no document called {brief(name)}; ShowCollection --documents lists "
            "those there are"
        )
        return Problem("error", "missing", message, name)
    ids = ", ".join(map(str, known[:_SHOWN])) + (", …" if len(known) > _SHOWN else "")
    message = (
        f"{place}: holds {len(known)} documents called {brief(name)}, from different folders; "
        f"name one by its number: {ids}"
    )
    return Problem("error", "ambiguous", message, name)
