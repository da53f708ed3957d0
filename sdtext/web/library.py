"""The collections of the web application: those it was started with, and those it made."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData

from sdtext.collections.storage.conditions import OWN
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OptionError
from sdtext.parts.containers import Names
from sdtext.reading.walk import CATALOG
from sdtext.web.work import shows_passages

Column = dict[str, Any]
"""A column of metadata: its `name`; `least` and `most` of numbers, or few `values` with counts."""

_NAME = re.compile(r"\w[\w -]{0,63}")
_NUMBER = re.compile(r"-?[0-9]{0,15}\.?[0-9]{1,15}")
_MOST_VALUES = 100  # values of a column that a filter offers
_TESTS = {"is": "{} || '' = '{}'", "has": "{} LIKE '%{}%'", "from": "{} >= {}", "to": "{} <= {}"}


@dataclass(frozen=True)
class Library:
    """Collections by name. `made` is the folder of those that this application makes."""

    given: Sequence[Path]
    made: Path

    def paths(self) -> dict[str, Path]:
        """The paths by name, those given first; equal names get a number."""
        names, paths = Names(), [*self.given, *sorted(self.made.glob("*.sdx"))]
        return {names.given(path.stem): path for path in paths}

    def path(self, name: str) -> Path:
        """The path of a collection. Raises OptionError if there is none of that name."""
        path = self.paths().get(name)
        if path is None:
            raise OptionError(f"there is no collection called {name[:80]!r}")
        return path

    def opened(self, name: str) -> StoredCollection:
        """A collection. Raises OptionError, UnreadableError or FormatError."""
        return StoredCollection.open(self.path(name))

    def new_path(self, name: str) -> Path:
        """The path of a new collection. Raises OptionError for a name that is taken, or wrong."""
        if not _NAME.fullmatch(name):
            raise OptionError("a name has letters, digits, blanks and hyphens, at most 64 of them")
        if name in self.paths():
            raise OptionError(f"there is a collection called {name!r} already")
        self.made.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.made / f"{name}.sdx"

    def columns(self, name: str) -> list[Column]:
        """The columns of metadata of a collection by which documents can be filtered."""
        path = self.path(name)
        return _columns(path, (path / CATALOG).stat().st_mtime_ns)

    def condition(self, name: str, form: FormData) -> str:
        """The condition that the fields of a form choose, as `--where` takes it.

        A field is called `is`, `has`, `from` or `to`, a colon and the name of a column. Raises
        OptionError.
        """
        known, conditions = {column["name"] for column in self.columns(name)}, []
        for key in form:
            way, _, column = key.partition(":")
            values = [value for value in map(str, form.getlist(key)) if value]
            if way not in _TESTS or not values:
                continue
            if column not in known:
                raise OptionError(f"there is no column called {column[:80]!r}")
            if way in ("from", "to") and not all(map(_NUMBER.fullmatch, values)):
                raise OptionError(f"{column}: {values[0][:40]!r} is not a number")
            quoted = '"' + column.replace('"', '""') + '"'
            tests = (_TESTS[way].format(quoted, value.replace("'", "''")) for value in values)
            conditions.append(f"({' OR '.join(tests)})")
        return " AND ".join(conditions)


def lacks(stored: StoredCollection) -> str:
    """What a collection cannot do, with the command that makes one that can; "" if it can all."""
    if not shows_passages(stored):
        what = "keeps no places of words, so no passages are shown, only similar documents"
    elif not stored.keeps_text:
        what = "keeps no texts, so passages are shown only where its files are still there"
    else:
        return ""
    return f"{stored.path.name} {what}: sdtext AddDocuments NEW.sdx FOLDER -c reuse --keep-text"


@lru_cache
def _columns(path: Path, _changed: int) -> list[Column]:
    """The columns of the collection at a path, which was changed at a time."""
    counts: dict[str, Counter[Any]] = {}
    for document in StoredCollection.open(path):
        for name, value in document.metadata.items():
            if value is not None:
                counts.setdefault(name, Counter())[value] += 1
    columns: list[Column] = []
    for key, values in sorted(counts.items()):
        column: Column = {"name": f"metadata.{key}" if key.lower() in OWN else key}
        if all(isinstance(value, int | float) for value in values):
            column |= {"least": min(values), "most": max(values)}
        elif len(values) <= _MOST_VALUES:
            column["values"] = sorted((str(value), number) for value, number in values.items())
        columns.append(column)
    return columns
