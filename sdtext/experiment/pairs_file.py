"""A CSV file of pairs of documents that belong together, such as the list that Mangle prints."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from sdtext.errors import FormatError, UnreadableError, shown
from sdtext.io.decompressed_content import Content

_MAX_BYTES = 64 << 20
_COLUMNS = (("left", "right"), ("copy", "original"))
"""The names of the columns of a pair; the second are those of Mangle."""

_BESIDE = ("related", "lenders")
"""Further columns of the list that Mangle prints."""


class NamedPair(NamedTuple):
    """Two documents by their names, and the line of the file that names them."""

    left: str
    right: str
    line: int


@dataclass(frozen=True)
class PairsFile:
    """The pairs of the file at `path`; `lent` has copies with documents that lent text to them."""

    path: Path
    pairs: tuple[NamedPair, ...]
    lent: tuple[NamedPair, ...] = ()

    @classmethod
    def read(cls, path: Path) -> PairsFile:
        r"""Read a file with two columns, or with more and a head that names the columns.

        Rows whose column `related` is "false" are left out, but for their column `lenders`, a list
        in JSON. Raises UnreadableError, FormatError.

        >>> place = folder / "pairs.csv"
        >>> place.write_text("copy,original,related\na1,a,true\nb1,b,false\n")
        43
        >>> PairsFile.read(place).pairs
        (NamedPair(left='a1', right='a', line=2),)
        """
        data = Content(path, _MAX_BYTES).whole()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UnreadableError("is not UTF-8", file=path) from error
        rows = tuple(_rows(text, path))
        pairs = tuple(row.pair for row in rows if row.related)
        if not any(left != right for left, right, _ in pairs):
            raise FormatError("holds no pair of documents", file=path)
        lent = (
            NamedPair(row.pair.left, name, row.pair.line) for row in rows for name in row.lenders
        )
        return cls(path, pairs, tuple(lent))

    def places(self, names: Sequence[str], folders: Sequence[Path]) -> tuple[tuple[int, int], ...]:
        """The pairs as places in `names`, each once. Raises FormatError for other documents.

        Names in the file are paths, or paths in a folder of the dataset or in that of the file.
        """
        place_of = self._places(names, folders)
        for pair in self.pairs:
            for name in (pair.left, pair.right):
                if place_of(name) is None:
                    what = f"names {shown(name)}, which is not among the documents of the dataset"
                    raise FormatError(what, file=self.path, place=f"line {pair.line}")
        return _distinct(self.pairs, place_of)

    def lending_places(
        self, names: Sequence[str], folders: Sequence[Path]
    ) -> tuple[tuple[int, int], ...]:
        """The copies and their lenders as places in `names`, without other documents."""
        return _distinct(self.lent, self._places(names, folders))

    def _places(self, names: Sequence[str], folders: Sequence[Path]) -> Callable[[str], int | None]:
        """What gives the place of a document that the file names."""
        known = {Path(name).resolve(): place for place, name in enumerate(names)}
        parents = (Path(), *folders, self.path.parent)

        def place_of(name: str) -> int | None:
            try:
                paths = [(parent / name).resolve() for parent in parents]
            except ValueError:  # no file can have such a name
                return None
            return next((known[path] for path in paths if path in known), None)

        return cache(place_of)


def _distinct(
    pairs: Iterable[NamedPair], place_of: Callable[[str], int | None]
) -> tuple[tuple[int, int], ...]:
    """The pairs of two known documents as places, each once."""
    places = ((place_of(pair.left), place_of(pair.right)) for pair in pairs)
    known = ((left, right) for left, right in places if left is not None and right is not None)
    return tuple(dict.fromkeys((left, right) for left, right in known if left != right))


@dataclass(frozen=True)
class _LabelledPair:
    """A pair of the file, and whether its documents are related."""

    pair: NamedPair
    related: bool
    lenders: Sequence[str]


def _rows(text: str, path: Path) -> Iterator[_LabelledPair]:
    reader = csv.reader(StringIO(text, newline=""))
    rows = [(row, reader.line_num) for row in reader if row]
    head = [name.strip().lower() for name in rows[0][0]] if rows else []
    columns = next((columns for columns in _COLUMNS if set(columns) <= set(head)), None)
    left, right = map(head.index, columns) if columns else (0, 1)
    related, lenders = (
        head.index(name) if columns and name in head else len(head) for name in _BESIDE
    )
    for row, line in rows[1:] if columns else rows:
        if len(row) <= max(left, right):
            what = "has one column; it needs two names"
            raise FormatError(what, file=path, place=f"line {line}")
        is_related = row[related : related + 1] != ["false"]
        listed = _names("".join(row[lenders : lenders + 1]))
        yield _LabelledPair(NamedPair(row[left], row[right], line), is_related, listed)


def _names(cell: str) -> list[str]:
    """The names in a cell, which are a list in JSON; none where it is something else."""
    try:
        names = json.loads(cell)
    except (ValueError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
