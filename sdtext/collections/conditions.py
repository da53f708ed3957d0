"""Selection of documents: conditions on metadata, names and ids, each with its SQL.

Conditions follow SQL's three-valued logic: a comparison with a value that a document lacks, or
that is of another kind (a number and a text), is neither true nor false, nor is its `not`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_types import StoredDocument, as_stored, is_text
from sdtext.errors import OptionError, brief, shown
from sdtext.model import Problem

_LENGTH = 10_000
_COMPARISONS = 200  # SQLite takes expressions of depth 1,000
_DEPTH = 16  # and nesting of at most 100 in its parser
_WORDS = frozenset(("and", "or", "not", "in", "like", "between", "is", "null", "true", "false"))
_SIGNS = frozenset(("=", "!=", "<>", "<", "<=", ">", ">="))
_TOKEN = re.compile(
    r"""(?P<number>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")+")
    |(?P<name>[^\W\d][\w.-]*)
    |(?P<sign><>|!=|<=|>=|[=<>(),])
    |(?P<other>\S)""",
    re.VERBOSE,
)
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")  # which fit in the 64 bits that SQLite has
_TEXT = "a text in single quotes"
_VALUE = f"a number, {_TEXT}, true or false"
_END = "the end"
_OPERATORS = "one of = != < <= > >= like in between is"
_AT_ONCE = 500  # names; SQLite takes some 30,000 values
_NUMBER = re.compile("[1-9][0-9]{0,17}")  # such as SQLite can hold
_SHOWN = 5

Value = str | int | float
Sql = tuple[str, list[Value]]
"""An expression with a ? for each of its parameters."""

OWN = {"id": "id", "name": "name", "document": "name", "size": "size"}
"""Names that every document has, and their columns: results call the name `document`."""
_IN_A_PATH = re.compile(r"[ !#-\[\]-~]*")  # printable ASCII without the quote and the backslash


class Node(Protocol):
    """A condition, or a part of one."""

    def metadata(self) -> frozenset[Name]:
        """The names of metadata in it."""

    def sql(self) -> Sql:
        """The expression with its parameters: 1, 0 or NULL."""


@dataclass(frozen=True)
class Name:
    """A name in a condition: a column of every document, or a name of metadata.

    >>> Name("size").sql(), Name("year").sql()
    (('size', []), ('json_extract(metadata, ?)', ['$."year"']))
    """

    text: str
    quoted: bool = False

    def metadata(self) -> frozenset[Name]:
        """The name, unless it is the document's own."""
        return frozenset() if self.text in OWN and not self.quoted else frozenset((self,))

    def sql(self) -> Sql:
        """The value under the name, NULL if there is none."""
        if self.text in OWN and not self.quoted:
            return OWN[self.text], []
        if _IN_A_PATH.fullmatch(self.text):
            return "json_extract(metadata, ?)", [f'$."{self.text}"']
        # How a path spells other signs differs between versions of SQLite, and by who wrote them.
        return "(SELECT value FROM json_each(metadata) WHERE key = ?)", [self.text]


@dataclass(frozen=True)
class Predicate:
    """A comparison of the value under a name with values of one kind; `in` takes several.

    >>> Predicate(Name("size"), ">", (1000,)).sql()
    ("CASE WHEN typeof(size) IN ('integer', 'real') THEN size > ? END", [1000])
    """

    name: Name
    operator: str
    values: tuple[Value, ...]

    def metadata(self) -> frozenset[Name]:
        """The name, unless it is the document's own."""
        return self.name.metadata()

    def sql(self) -> Sql:
        """The comparison; NULL for a value of another kind."""
        value, key = self.name.sql()
        kind = "= 'text'" if isinstance(self.values[0], str) else "IN ('integer', 'real')"
        marks = ", ".join("?" for _ in self.values)
        test = f"IN ({marks})" if self.operator == "in" else f"{self.operator.upper()} ?"
        case = f"CASE WHEN typeof({value}) {kind} THEN {value} {test} END"
        return case, [*key, *key, *self.values]


@dataclass(frozen=True)
class IsNull:
    """The condition that a document has no value under a name."""

    name: Name

    def metadata(self) -> frozenset[Name]:
        """The name, unless it is the document's own."""
        return self.name.metadata()

    def sql(self) -> Sql:
        """1 or 0, never NULL."""
        value, key = self.name.sql()
        return f"{value} IS NULL", key


@dataclass(frozen=True)
class Not:
    """The negation of a condition."""

    part: Node

    def metadata(self) -> frozenset[Name]:
        """The names in the part."""
        return self.part.metadata()

    def sql(self) -> Sql:
        """NULL stays NULL."""
        text, values = self.part.sql()
        return f"(NOT {text})", values


@dataclass(frozen=True)
class BooleanExpression:
    """Conditions joined by `and` or by `or`."""

    word: str
    parts: tuple[Node, ...]

    def metadata(self) -> frozenset[Name]:
        """The names in all parts."""
        return frozenset().union(*(part.metadata() for part in self.parts))

    def sql(self) -> Sql:
        """The conditions in brackets."""
        parts = [part.sql() for part in self.parts]
        text = f" {self.word.upper()} ".join(sql for sql, _ in parts)
        return f"({text})", [value for _, values in parts for value in values]


@dataclass(frozen=True)
class Condition:
    """A condition on documents.

    `=`, `!=`, `<`, `<=`, `>`, `>=`, `like` (% stands for any characters, _ for one; A to Z are the
    same as a to z), `in (…)`, `between … and …`, `is null`, the last four also with `not`; joined
    by `and`, `or`, `not` and brackets. `id`, `name` (or `document`) and `size` are the document's
    own; every other name is one of its metadata, and so is any name in double quotes. Texts stand
    in single quotes, a quote in them twice. Numbers are compared with numbers, texts with texts, by
    code points. A document that lacks the value, or has one of the other kind, is selected neither
    with nor without `not`.
    """

    text: str
    node: Node

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Parse a condition. Raises OptionError.

        >>> Condition.parse("year >= 2019 and size > 1000").sql()[1]
        ['$."year"', '$."year"', 2019, 1000]
        >>> Condition.parse("year 2019")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        sdtext.errors.OptionError: where: at '2019' (character 6): expected one of = != < <= ...
        """
        return cls(text, _Parser(text).whole())

    def metadata(self) -> list[str]:
        """The names of metadata in it, in code-point order.

        >>> Condition.parse("year >= 2019 and size > 1000").metadata()
        ['year']
        """
        return sorted({name.text for name in self.node.metadata()})

    def sql(self) -> Sql:
        """An expression over the columns `id`, `name`, `size` and `metadata`, and its parameters.

        `metadata` holds a JSON object. The expression is 1 for the documents selected, else 0 or
        NULL. It contains no text of the user: names and values are parameters.
        """
        return self.node.sql()


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


class _Parser:
    """Recursive-descent parser of a condition."""

    def __init__(self, text: str) -> None:
        if len(text) > _LENGTH:
            raise OptionError(
                f"where: has {len(text):,} characters; at most {_LENGTH:,} may be given"
            )
        if not is_text(text):
            raise OptionError(f"where: {brief(text)} is not all text; write it in UTF-8")
        matches = _TOKEN.finditer(text)
        self._tokens = [_Token(match.lastgroup or "", match[0], match.start()) for match in matches]
        self._tokens.append(_Token("end", "", len(text)))
        self._place = self._comparisons = self._depth = 0

    def whole(self) -> Node:
        """The condition of the whole text."""
        node = self._any()
        self._expect(_END, "and, or, or the end")
        return node

    def _any(self) -> Node:
        parts = [self._all()]
        while self._accept("or"):
            parts.append(self._all())
        return BooleanExpression("or", tuple(parts)) if len(parts) > 1 else parts[0]

    def _all(self) -> Node:
        parts = [self._operand()]
        while self._accept("and"):
            parts.append(self._operand())
        return BooleanExpression("and", tuple(parts)) if len(parts) > 1 else parts[0]

    def _operand(self) -> Node:
        """A comparison, its opposite, or a condition in brackets."""
        first = self._next
        if not self._accept("not", "("):
            return self._comparison()
        self._depth += 1
        if self._depth > _DEPTH:
            raise self._refused(first, f"no more than {_DEPTH} brackets and nots in one another")
        if first.text == "(":
            node = self._any()
            self._expect(")", "and, or, or a closing bracket")
        else:
            node = Not(self._operand())
        self._depth -= 1
        return node

    def _comparison(self) -> Node:
        self._comparisons += 1
        if self._comparisons > _COMPARISONS:
            raise self._refused(self._next, f"no more than {_COMPARISONS} comparisons")
        name = self._name()
        if sign := self._accept(*_SIGNS):
            return Predicate(name, sign, (self._value(),))
        if self._accept("is"):
            denied = self._accept("not")
            self._expect("null", "null" if denied else "null or not null")
            return _unless(denied, IsNull(name))
        denied = self._accept("not")
        return _unless(denied, self._by_word(name, denied))

    def _by_word(self, name: Name, denied: str) -> Node:
        """A comparison by `like`, `in` or `between`."""
        if self._accept("like"):
            return Predicate(name, "like", (self._value(like=""),))
        if self._accept("between"):
            least = self._value()
            self._expect("and", "and")
            most = self._value(like=least)
            bounds = Predicate(name, ">=", (least,)), Predicate(name, "<=", (most,))
            return BooleanExpression("and", bounds)
        if not self._accept("in"):
            raise self._refused(self._next, "like, in or between" if denied else _OPERATORS)
        self._expect("(", "an opening bracket")
        values = [self._value()]
        while self._accept(","):
            values.append(self._value(like=values[0]))
        self._expect(")", "a comma or a closing bracket")
        return Predicate(name, "in", tuple(values))

    def _name(self) -> Name:
        token = self._next
        if token.kind not in ("name", "quoted") or _word(token) in _WORDS:
            raise self._refused(token, "a name, not, or an opening bracket")
        self._place += 1
        if token.kind == "name":
            return Name(token.text)
        return Name(token.text[1:-1].replace('""', '"'), quoted=True)

    def _value(self, like: Value | None = None) -> Value:
        """The next value, which must be of the kind of `like`, if given: a text or a number."""
        token = self._next
        value = _value_of(token)
        if value is None:
            raise self._refused(token, _VALUE)
        if like is not None and isinstance(value, str) is not isinstance(like, str):
            raise self._refused(token, _TEXT if isinstance(like, str) else "a number")
        self._place += 1
        return value

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _accept(self, *words: str) -> str:
        """Consume the next token if it is one of these words or signs, and return it; else ""."""
        word = _word(self._next)
        if word not in words:
            return ""
        self._place += 1
        return word

    def _expect(self, word: str, wanted: str) -> None:
        if not self._accept(word):
            raise self._refused(self._next, wanted)

    @staticmethod
    def _refused(token: _Token, wanted: str) -> OptionError:
        place = f"at {brief(token.text)}" if token.text else "at the end"
        if token.text in ("'", '"'):
            wanted = "a closing quote behind it, and something between"
        return OptionError(f"where: {place} (character {token.place + 1}): expected {wanted}")


def _unless(denied: str, node: Node) -> Node:
    return Not(node) if denied else node


def _word(token: _Token) -> str:
    """A word in small letters, a sign, or the end; "" for a value and a quoted name."""
    if token.kind == "end":
        return _END
    return token.text.lower() if token.kind in ("name", "sign") else ""


def _value_of(token: _Token) -> Value | None:
    """The value of a token, None if it is no value."""
    if token.kind == "text":
        return token.text[1:-1].replace("''", "'")
    if token.kind == "number":
        return int(token.text) if _WHOLE.fullmatch(token.text) else float(token.text)
    return {"true": 1, "false": 0}.get(_word(token))


@dataclass(frozen=True)
class HasId:
    """The condition that a document has one of some ids."""

    ids: Sequence[int]

    def sql(self) -> tuple[str, list[Any]]:
        return "id IN (SELECT value FROM json_each(?))", [json.dumps(self.ids)]


@dataclass(frozen=True)
class HasName:
    """The condition that a document has one of some names, and the folder `root`, if given.

    >>> HasName(["a.txt", "b.txt"]).sql()
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


class _WithIds(Protocol):
    """A collection, or documents in memory."""

    def ids(self, where: Any, /) -> Sized: ...


class _Selectable(_WithIds, Protocol):
    """A collection, as far as documents are selected from it."""

    @property
    def path(self) -> Path: ...

    def ids(self, where: Any, /) -> NDArray[np.int64]: ...

    def documents(self, where: Any, /) -> Iterable[StoredDocument]: ...

    def taken(self, ids: Iterable[int], /) -> Iterable[StoredDocument]: ...


def unknown_names(collection: _WithIds, where: Condition | None) -> Iterator[Problem]:
    """A warning for each metadata name of a condition that no document has."""
    for name in where.metadata() if where else ():
        if not len(collection.ids(Not(IsNull(Name(name, quoted=True))))):
            message = f"where: no document has the metadata {brief(name)}; check the spelling"
            yield Problem("warning", "no-metadata", message)


def selected_ids(
    collection: _Selectable,
    names: Sequence[str],
    where: Condition | None,
    note: Callable[[Problem], None],
) -> set[int]:
    """The ids of the documents with these names, and of those for which `where` is true.

    A name may also be an id. Names that no document has, or several documents from different
    folders have, are noted as problems.
    """
    selected: set[int] = set()
    for name, ids in _ids_by_name(collection, list(dict.fromkeys(names))).items():
        if len(ids) == 1:
            selected.add(ids[0])
        else:
            note(_name_problem(collection, name, ids))
    if where:
        for problem in unknown_names(collection, where):
            note(problem)
        selected.update(collection.ids(where).tolist())
    return selected


def _ids_by_name(collection: _Selectable, names: Sequence[str]) -> dict[str, list[int]]:
    """The ids of the documents of each name; a name that none has is tried as an id."""
    by_name: dict[str, list[int]] = {name: [] for name in names}
    for start in range(0, len(names), _AT_ONCE):
        for document in collection.documents(HasName(names[start : start + _AT_ONCE])):
            by_name[document.name].append(document.id)
    numbers = [name for name, ids in by_name.items() if not ids and _NUMBER.fullmatch(name)]
    for document in collection.taken(map(int, numbers)):
        by_name[str(document.id)].append(document.id)
    return by_name


def _name_problem(collection: _Selectable, name: str, ids: Sequence[int]) -> Problem:
    path = shown(collection.path)
    if not ids:
        message = f"{path}: holds no document called {brief(name)}; documents() lists those it has"
        return Problem("error", "missing", message, name)
    listed = ", ".join(map(str, ids[:_SHOWN])) + (", …" if len(ids) > _SHOWN else "")
    message = (
        f"{path}: holds {len(ids):,} documents called {brief(name)}, from different folders; "
        f"name one by its number: {listed}"
    )
    return Problem("error", "ambiguous", message, name)
