"""The table of documents: its changes, and the sums of hashes that cover its rows.

Each row has a checksum of its values. The sum of a hash of all rows reveals rows that are missing,
added or exchanged, and documents marked as removed or as not removed; a commit updates it by the
rows that it changes, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from xxhash import xxh3_64_hexdigest, xxh3_128_intdigest

Key = tuple[str | bytes, str | bytes]
"""The root and the name of a document, as stored."""

_INSERT = (
    "INSERT INTO documents (id, root, name, size, digest, metadata, removed, checksum)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_LIVE = "SELECT id, checksum FROM documents WHERE removed IS NULL"
_REMOVE = "UPDATE documents SET removed = 1 WHERE id = ?"
_REMOVED = "FROM documents WHERE removed IS NOT NULL AND id BETWEEN ? AND ?"
_ALL = "SELECT id, root, name, size, digest, metadata, checksum, removed FROM documents ORDER BY id"
_MODULUS = 1 << 128
_AT_ONCE = 1 << 12  # rows
_VALUES = 500  # of one statement

Item = TypeVar("Item")

Values = Sequence[object]
"""The id, root, name, size, digest and metadata of a document, as stored."""


class Rows(Protocol):
    """A catalog, as far as documents need it."""

    def run(self, statement: str, /, *values: object) -> int: ...

    def run_many(self, statement: str, rows: Iterator[Sequence[object]], /) -> int: ...

    def rows(self, statement: str, /, *values: object) -> list[tuple[Any, ...]]: ...

    def batches(
        self, statement: str, values: Sequence[object] = (), number: int = 1000
    ) -> Iterator[list[tuple[Any, ...]]]: ...


def row_checksum(values: Values) -> str:
    """The checksum (XXH3, 64 bits) of a document's row in the catalog."""
    if bytes in map(type, values):  # a name that is no Unicode text
        parts = (value if isinstance(value, bytes) else str(value).encode() for value in values)
        return xxh3_64_hexdigest(b"\0".join(parts))
    return xxh3_64_hexdigest("\0".join(map(str, values)).encode())


@dataclass(frozen=True)
class DocumentSums:
    """The sums, modulo 2**128, of the hashes of all rows, and of the ids of removed documents.

    >>> DocumentSums.from_text(str(DocumentSums(1, 2)))
    DocumentSums(rows=1, removed=2)
    """

    rows: int = 0
    removed: int = 0

    def __str__(self) -> str:
        return f"{self.rows:032x} {self.removed:032x}"

    @classmethod
    def from_text(cls, text: str) -> DocumentSums:
        """The sums in a text. Raises ValueError."""
        rows, removed = text.split(" ")
        return cls(int(rows, 16), int(removed, 16))


def _hash(number: object, checksum: str, *, live: bool) -> int:
    return xxh3_128_intdigest(f"{number} {checksum} {'live' if live else 'removed'}".encode())


def _hash_of_id(number: object) -> int:
    """The hash of the number of a removed document."""
    return xxh3_128_intdigest(f"{number}".encode())


def sum_of_removed(ids: Iterable[int]) -> int:
    """The sum for the numbers of removed documents."""
    return sum(map(_hash_of_id, ids)) % _MODULUS


def summed(catalog: Rows, changed: list[int] | None = None) -> DocumentSums:
    """The sums of all rows; `changed` gets the ids of those that do not match their checksum."""
    rows = removed = 0
    for batch in catalog.batches(_ALL, (), _AT_ONCE):
        for *values, checksum, mark in batch:
            number, live = values[0], mark is None
            rows += _hash(number, checksum, live=live)
            removed += 0 if live else _hash_of_id(number)
            if changed is not None and row_checksum(values) != checksum:
                changed.append(number)
    return DocumentSums(rows % _MODULUS, removed % _MODULUS)


class DocumentTable:
    """The documents of a catalog, changed within a transaction; `sums` follows the changes."""

    def __init__(self, catalog: Rows, sums: DocumentSums) -> None:
        self._catalog = catalog
        self._rows, self._removed = sums.rows, sums.removed

    @property
    def sums(self) -> DocumentSums:
        """The sums of the rows as they are now."""
        return DocumentSums(self._rows % _MODULUS, self._removed % _MODULUS)

    def insert(self, rows: Iterable[tuple[Values, int | None]]) -> None:
        """Insert documents, each with 1 if it is already replaced by another, else None."""
        self._catalog.run_many(_INSERT, self._inserted(rows))

    def _inserted(self, rows: Iterable[tuple[Values, int | None]]) -> Iterator[tuple[object, ...]]:
        for values, removed in rows:
            checksum, number, live = row_checksum(values), values[0], removed is None
            self._rows += _hash(number, checksum, live=live)
            self._removed += 0 if live else _hash_of_id(number)
            yield *values, removed, checksum

    def remove_named(self, keys: Iterable[Key]) -> None:
        """Mark the documents with these names as removed."""
        names: dict[str | bytes, list[str | bytes]] = {}
        for root, name in keys:
            names.setdefault(root, []).append(name)
        for root, all_names in names.items():
            for some in _in_steps(all_names):
                condition = f"root = ? AND name IN ({_marks(some)})"
                self._mark(self._catalog.rows(f"{_LIVE} AND {condition}", root, *some))

    def remove(self, ids: Sequence[int]) -> None:
        """Mark the documents with these ids as removed; unknown ids are ignored."""
        for some in _in_steps(ids):
            self._mark(self._catalog.rows(f"{_LIVE} AND id IN ({_marks(some)})", *some))

    def _mark(self, rows: Sequence[tuple[int, str]]) -> None:
        self._catalog.run_many(_REMOVE, ((number,) for number, _ in rows))
        for number, checksum in rows:
            before, after = (_hash(number, checksum, live=live) for live in (True, False))
            self._rows += after - before
            self._removed += _hash_of_id(number)

    def drop_removed(self, first: int, last: int) -> None:
        """Delete the rows of removed documents from id `first` to id `last`."""
        for number, checksum in self._catalog.rows(f"SELECT id, checksum {_REMOVED}", first, last):
            self._rows -= _hash(number, checksum, live=False)
            self._removed -= _hash_of_id(number)
        self._catalog.run(f"DELETE {_REMOVED}", first, last)


def _in_steps(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """`items`, as many at a time as SQLite takes values."""
    return (items[start : start + _VALUES] for start in range(0, len(items), _VALUES))


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
