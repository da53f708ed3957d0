"""The collections of the web application: those it was started with, and those it made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OptionError
from sdtext.reading.walk import CATALOG
from sdtext.web.work import passages_of

_NAME = re.compile(r"\w[\w -]{0,63}")
_MOST_VALUES = 200  # values of a column that a filter offers
MORE, LESS, IS = "from", "to", "is"


@dataclass(frozen=True)
class Column:
    """A column of metadata: numbers from `least` to `most`, or values with their counts."""

    name: str
    least: float | None = None
    most: float | None = None
    values: Sequence[tuple[str, int]] = ()


@dataclass
class Library:
    """Collections by name. `made` is the folder of those that this application makes."""

    given: Sequence[Path]
    made: Path
    _columns: dict[Path, tuple[int, list[Column]]] = field(default_factory=dict)

    def paths(self) -> dict[str, Path]:
        """The paths by name, those given first; equal names get a number."""
        paths: dict[str, Path] = {}
        for path in [*self.given, *sorted(self.made.glob("*.sdx"))]:
            name, number = path.stem, 2
            while name in paths:
                name, number = f"{path.stem}-{number}", number + 1
            paths[name] = path
        return paths

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
        name = name.strip()
        if not _NAME.fullmatch(name):
            raise OptionError("a name has letters, digits, blanks and hyphens, at most 64 of them")
        if name in self.paths():
            raise OptionError(f"there is a collection called {name!r} already")
        self.made.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.made / f"{name}.sdx"

    def columns(self, name: str) -> list[Column]:
        """The columns of metadata of a collection by which documents can be filtered."""
        path, stored = self.path(name), self.opened(name)
        changed = (path / CATALOG).stat().st_mtime_ns
        if self._columns.get(path, (0,))[0] != changed:
            self._columns[path] = changed, [*_columns(stored)]
        return self._columns[path][1]


def lacks(stored: StoredCollection) -> str:
    """What a collection cannot do, with the command that makes one that can; "" if it can all."""
    if not passages_of(stored):
        what = "keeps no places of words, so no passages are shown, only similar documents"
    elif not stored.keeps_text:
        what = "keeps no texts, so passages are shown only where its files are still there"
    else:
        return ""
    return f"{stored.path.name} {what}: sdtext AddDocuments NEW.sdx FOLDER -c reuse --keep-text"


def condition(columns: Sequence[Column], form: Mapping[str, Sequence[str]]) -> str:
    """The condition that the fields of a form choose, as `--where` takes it.

    A field is called `is`, `from` or `to`, a colon and the name of a column.
    """
    return " AND ".join(_conditions(columns, form))


def _conditions(columns: Sequence[Column], form: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for column in columns:
        quoted = '"' + column.name.replace('"', '""') + '"'
        given = [value for value in form.get(f"{IS}:{column.name}", ()) if value]
        if given:
            values = ", ".join("'" + value.replace("'", "''") + "'" for value in given)
            yield f"CAST({quoted} AS TEXT) IN ({values})"
        for way, sign in ((MORE, ">="), (LESS, "<=")):
            for value in filter(None, form.get(f"{way}:{column.name}", ())):
                try:
                    yield f"{quoted} {sign} {float(value):g}"
                except ValueError as error:
                    raise OptionError(f"{column.name}: {value[:40]!r} is not a number") from error


def _columns(stored: StoredCollection) -> Iterator[Column]:
    counts: dict[str, Counter[object]] = {}
    for document in stored.documents():
        for name, value in document.metadata.items():
            if value is not None:
                counts.setdefault(name, Counter())[value] += 1
    for name, values in sorted(counts.items()):
        numbers = [value for value in values if isinstance(value, int | float)]
        if len(numbers) == len(values):
            yield Column(name, min(numbers), max(numbers))
        elif len(values) <= _MOST_VALUES:
            yield Column(name, values=sorted(((str(v), n) for v, n in values.items())))
