"""Conditions on documents: an expression of SQL over their names and metadata, run by SQLite.

The text comes from a user, or from whoever wrote a command line for one. It can do nothing but
compute on the columns of one document: an authorizer refuses all other tables, sub-selects and
functions that are not listed, and a long computation is interrupted.
"""

import json
import re
import sqlite3
from time import monotonic

from sdtext.errors import OptionError
from sdtext.wording import brief, printable

OWN = {"id": "id", "name": "name", "document": "name", "size": "size"}
"""Names that every document has, with their columns: results call the name `document`."""

_LONGEST = 10_000  # characters of a condition
_SECONDS = 60
_STEPS = 10_000  # of SQLite's virtual machine, between two looks at the clock
_FUNCTIONS = {"abs", "coalesce", "date", "glob", "ifnull", "iif", "instr", "json_extract", "length",
              "like", "lower", "ltrim", "max", "metadata_value", "min", "nullif", "round", "rtrim",
              "substr", "substring", "trim", "typeof", "unicode", "upper"}  # fmt: skip
_TABLES = frozenset(("documents", "described", "json_each"))
_TEXTS = re.compile(r"'(?:[^']|'')*'")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_IN_A_PATH = re.compile(r"[ !#-\[\]-~]*")  # printable ASCII without the quote and the backslash
_OF_USER = {None, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_TOOBIG}


def ids_where(connection: sqlite3.Connection, where: str) -> list[int]:
    """The ids of the live documents for which the expression `where` is true, in rising order.

    Columns are `id`, `name` (or `document`), `size`, and the keys of metadata; `metadata.KEY`, in
    double quotes, is a key that is called as one of the first. Raises OptionError.
    """
    if len(where) > _LONGEST:
        raise OptionError(f"where: has {len(where):,} characters; at most {_LONGEST:,} are allowed")
    try:
        columns = _columns(connection, where)
    except UnicodeEncodeError as error:
        raise OptionError(f"where: {brief(where)} is not all text; write it in UTF-8") from error
    for name in _QUOTED.findall(_TEXTS.sub("", where)):
        if name.replace('""', '"') not in columns:  # SQLite would take it for a text
            raise OptionError(f"where: no such column: {brief(name)}; texts stand in single quotes")
    values = [value for _, parameters in columns.values() for value in parameters]
    described = ", ".join(
        f'{expression} AS "{name.replace(chr(34), 2 * chr(34))}"'
        for name, (expression, _) in columns.items()
    )
    select = (
        f"WITH described AS (SELECT {described} FROM documents WHERE removed IS NULL) "  # noqa: S608 (names are quoted, and keys are parameters)
        "SELECT id FROM described WHERE {} ORDER BY id"
    )
    connection.create_function("metadata_value", 2, lambda text, key: json.loads(text).get(key))
    authorizer = _Authorizer()
    end = monotonic() + _SECONDS
    connection.set_authorizer(authorizer)
    connection.set_progress_handler(lambda: monotonic() > end, _STEPS)
    try:
        connection.execute("EXPLAIN " + select.format("1"), values)
        authorizer.most = authorizer.selects
        # In brackets once and twice: only a whole expression can stand in both.
        for brackets in ("({}\n)", "(({}\n))"):
            authorizer.selects = 0
            statement = select.format(brackets.format(where))
            rows = connection.execute(statement, values).fetchall()
    except (sqlite3.Error, sqlite3.Warning) as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_INTERRUPT:
            raise OptionError(f"where: takes longer than {_SECONDS} seconds") from error
        if code not in _OF_USER:
            raise
        what = (
            "only columns of documents and simple functions of them may stand in a condition"
            if code == sqlite3.SQLITE_AUTH
            else printable(str(error))[:200]
        )
        raise OptionError(f"where: {what}") from error
    finally:
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)
    return [number for (number,) in rows]


def _columns(connection: sqlite3.Connection, where: str) -> dict[str, tuple[str, list[str]]]:
    """The columns of documents that `where` may name, with their expressions and parameters."""
    columns: dict[str, tuple[str, list[str]]] = {name: (own, []) for name, own in OWN.items()}
    spellings = {name: name for name in columns}
    keys = connection.execute(
        "SELECT DISTINCT key FROM documents, json_each(documents.metadata) "
        "WHERE removed IS NULL AND key != '' AND instr(?, key) ORDER BY key",
        (where.replace('""', '"'),),
    )
    for (key,) in keys.fetchall():
        name = f"metadata.{key}" if key.lower() in OWN else key
        if (other := spellings.setdefault(name.lower(), name)) != name:
            raise OptionError(f"where: metadata has both {brief(other)} and {brief(name)}")
        columns[name] = (
            ("json_extract(metadata, ?)", [f'$."{key}"'])
            if _IN_A_PATH.fullmatch(key)
            else ("metadata_value(metadata, ?)", [key])
        )
    return columns


class _Authorizer:
    """Allows reading of documents and the listed functions, in at most so many SELECTs."""

    def __init__(self) -> None:
        self.selects = 0
        self.most: int | None = None

    def __call__(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT:
            self.selects += 1
            allowed = self.most is None or self.selects <= self.most
        elif action == sqlite3.SQLITE_FUNCTION:
            allowed = (second or "").lower() in _FUNCTIONS
        else:
            allowed = action == sqlite3.SQLITE_READ and first in _TABLES
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
