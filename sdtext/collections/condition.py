"""What a condition is made of, and its SQL.

The logic is that of SQL, with three values: a comparison of what a document does not have, or has
of another kind (a number beside a text), is neither true nor false, and so is its `not`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

Value = str | int | float
Sql = tuple[str, list[Value]]
"""An expression with a ? for each of its parameters."""

OWN = {"id": "id", "name": "name", "document": "name", "size": "size"}
"""What every document has, and the column that it is: results call the name `document`."""
_IN_A_PATH = re.compile(r"[ !#-\[\]-~]*")  # printable ASCII without the quote and the backslash


class Node(Protocol):
    """A condition, or a part of one."""

    def metadata(self) -> frozenset[Name]:
        """The names of metadata that it asks about."""

    def sql(self) -> Sql:
        """The expression with its parameters: 1, 0 or NULL."""


@dataclass(frozen=True)
class Name:
    """What a condition asks about: a column of the documents, or a name in their metadata.

    >>> Name("size").sql(), Name("year").sql()
    (('size', []), ('json_extract(metadata, ?)', ['$."year"']))
    """

    text: str
    quoted: bool = False

    def metadata(self) -> frozenset[Name]:
        """The name, unless it is the document's own."""
        return frozenset() if self.text in OWN and not self.quoted else frozenset((self,))

    def sql(self) -> Sql:
        """What stands under the name, NULL where there is nothing."""
        if self.text in OWN and not self.quoted:
            return OWN[self.text], []
        if _IN_A_PATH.fullmatch(self.text):
            return "json_extract(metadata, ?)", [f'$."{self.text}"']
        # How a path spells other signs differs between versions of SQLite, and by who wrote them.
        return "(SELECT value FROM json_each(metadata) WHERE key = ?)", [self.text]


@dataclass(frozen=True)
class Comparison:
    """A comparison of what stands under a name with values of one kind; `in` takes many.

    >>> Comparison(Name("size"), ">", (1000,)).sql()
    ("CASE WHEN typeof(size) IN ('integer', 'real') THEN size > ? END", [1000])
    """

    name: Name
    operator: str
    values: tuple[Value, ...]

    def metadata(self) -> frozenset[Name]:
        """The name, unless it is the document's own."""
        return self.name.metadata()

    def sql(self) -> Sql:
        """The comparison; NULL where what is there is of another kind."""
        found, key = self.name.sql()
        kind = "= 'text'" if isinstance(self.values[0], str) else "IN ('integer', 'real')"
        marks = ", ".join("?" for _ in self.values)
        asked = f"IN ({marks})" if self.operator == "in" else f"{self.operator.upper()} ?"
        compared = f"CASE WHEN typeof({found}) {kind} THEN {found} {asked} END"
        return compared, [*key, *key, *self.values]


@dataclass(frozen=True)
class Missing:
    """That there is nothing under a name."""

    name: Name

    def metadata(self) -> frozenset[Name]:
        """The name, unless it is the document's own."""
        return self.name.metadata()

    def sql(self) -> Sql:
        """1 or 0, never NULL."""
        found, key = self.name.sql()
        return f"{found} IS NULL", key


@dataclass(frozen=True)
class Not:
    """The opposite."""

    part: Node

    def metadata(self) -> frozenset[Name]:
        """The names in the part."""
        return self.part.metadata()

    def sql(self) -> Sql:
        """NULL stays NULL."""
        text, values = self.part.sql()
        return f"(NOT {text})", values


@dataclass(frozen=True)
class Several:
    """Conditions joined by `and` or by `or`."""

    word: str
    parts: tuple[Node, ...]

    def metadata(self) -> frozenset[Name]:
        """The names in all parts."""
        return frozenset().union(*(part.metadata() for part in self.parts))

    def sql(self) -> Sql:
        """The conditions in brackets."""
        made = [part.sql() for part in self.parts]
        text = f" {self.word.upper()} ".join(one for one, _ in made)
        return f"({text})", [value for _, values in made for value in values]
