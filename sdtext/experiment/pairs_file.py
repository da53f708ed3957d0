"""A CSV file of pairs of documents that belong together, such as the list that Mangle prints."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from sdtext.errors import FormatError, UnreadableError, shown
from sdtext.io.decompressed_content import Content

_MAX_BYTES = 64 << 20
_COLUMNS = (("left", "right"), ("copy", "original"))
"""The names of the columns of a pair; the second are those of Mangle."""


class NamedPair(NamedTuple):
    """Two documents by their names, and the line of the file that names them."""

    left: str
    right: str
    line: int


@dataclass(frozen=True)
class PairsFile:
    """The pairs of the file at `path`."""

    path: Path
    pairs: tuple[NamedPair, ...]

    @classmethod
    def read(cls, path: Path) -> PairsFile:
        r"""Read a file with two columns, or with more and a head that names the columns.

        Rows whose column `related` is "false" are left out. Raises UnreadableError, FormatError.

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
        pairs = tuple(_pairs(text, path))
        if not any(left != right for left, right, _ in pairs):
            raise FormatError("holds no pair of documents", file=path)
        return cls(path, pairs)

    def places(self, names: Sequence[str], folders: Sequence[Path]) -> tuple[tuple[int, int], ...]:
        """The pairs as places in `names`, each once. Raises FormatError for other documents.

        Names in the file are paths, or paths in a folder of the dataset or in that of the file.
        """
        known = {Path(name).resolve(): place for place, name in enumerate(names)}
        parents = (Path(), *folders, self.path.parent)
        related = []
        for *pair, line in self.pairs:
            places = []
            for name in pair:
                paths = ((parent / name).resolve() for parent in parents)
                place = next((known[path] for path in paths if path in known), None)
                if place is None:
                    what = f"names {shown(name)}, which is not among the documents of the dataset"
                    raise FormatError(what, file=self.path, place=f"line {line}")
                places.append(place)
            if places[0] != places[1]:
                related.append((places[0], places[1]))
        return tuple(dict.fromkeys(related))


def _pairs(text: str, path: Path) -> Iterator[NamedPair]:
    reader = csv.reader(StringIO(text, newline=""))
    rows = [(row, reader.line_num) for row in reader if row]
    head = [name.strip().lower() for name in rows[0][0]] if rows else []
    columns = next((columns for columns in _COLUMNS if set(columns) <= set(head)), None)
    left, right = map(head.index, columns) if columns else (0, 1)
    related = head.index("related") if columns and "related" in head else len(head)
    for row, line in rows[1:] if columns else rows:
        if len(row) <= max(left, right):
            what = "has one column; it needs two names"
            raise FormatError(what, file=path, place=f"line {line}")
        if row[related : related + 1] != ["false"]:
            yield NamedPair(row[left], row[right], line)
