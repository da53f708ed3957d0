"""The table of documents: its changes, and the sums of hashes that cover its rows.

Each row has a checksum of its values. The sum of a hash of all rows reveals rows that are missing,
added or exchanged, and documents marked as removed or as not removed; a commit updates it by the
rows that it changes, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from xxhash import xxh3_64_hexdigest, xxh3_128_intdigest

Key = tuple[str | bytes, str | bytes]
"""The root and the name of a document, as stored."""

_INSERT = (
    "INSERT INTO documents (id, root, name, size, digest, metadata, removed, checksum)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_NAMED = "SELECT id, checksum FROM documents WHERE root = ? AND name = ? AND removed IS NULL"
_LIVE = "SELECT id, checksum FROM documents WHERE id = ? AND removed IS NULL"
_REMOVE = "UPDATE documents SET removed = 1 WHERE id = ?"
_REMOVED_BETWEEN = (
    "SELECT id, checksum FROM documents WHERE removed IS NOT NULL AND id BETWEEN ? AND ?"
)
_DROP = "DELETE FROM documents WHERE removed IS NOT NULL AND id BETWEEN ? AND ?"
_ALL = "SELECT id, root, name, size, digest, metadata, checksum, removed FROM documents ORDER BY id"
_MODULUS = 1 << 128
_AT_ONCE = 1 << 12  # rows

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
    parts = (value if isinstance(value, bytes) else str(value).encode("utf-8") for value in values)
    return xxh3_64_hexdigest(b"\0".join(parts))


@dataclass(frozen=True)
class DocumentSums:
    """The sums of the hashes of all rows, and of the numbers of removed documents.

    >>> sums = DocumentSums().with_row(1, "c").with_removal(1, "c")
    >>> sums == DocumentSums().with_row(1, "c", live=False)
    True
    >>> sums.without_removed(1, "c")
    DocumentSums(rows=0, removed=0)
    >>> DocumentSums.from_text(str(sums)) == sums
    True
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

    def with_row(self, number: int, checksum: str, *, live: bool = True) -> DocumentSums:
        """The sums with one more row."""
        return self._plus(_hash(number, checksum, live=live), 0 if live else hash_of_id(number))

    def with_removal(self, number: int, checksum: str) -> DocumentSums:
        """The sums after a document has been marked as removed."""
        change = _hash(number, checksum, live=False) - _hash(number, checksum, live=True)
        return self._plus(change, hash_of_id(number))

    def without_removed(self, number: int, checksum: str) -> DocumentSums:
        """The sums without the row of a removed document."""
        return self._plus(-_hash(number, checksum, live=False), -hash_of_id(number))

    def _plus(self, rows: int, removed: int) -> DocumentSums:
        return DocumentSums((self.rows + rows) % _MODULUS, (self.removed + removed) % _MODULUS)


def _hash(number: int, checksum: str, *, live: bool) -> int:
    return xxh3_128_intdigest(f"{number} {checksum} {'live' if live else 'removed'}".encode())


def hash_of_id(number: int) -> int:
    """The hash of the number of a removed document."""
    return xxh3_128_intdigest(f"{number}".encode())


def sum_of_removed(ids: Iterable[int]) -> int:
    """The sum for the numbers of removed documents."""
    return sum(map(hash_of_id, ids)) % _MODULUS


def summed(catalog: Rows, changed: list[int] | None = None) -> DocumentSums:
    """The sums of all rows; `changed` gets the ids of those that do not match their checksum."""
    rows = removed = 0
    for batch in catalog.batches(_ALL, (), _AT_ONCE):
        for *values, checksum, mark in batch:
            number, live = values[0], mark is None
            rows += _hash(number, checksum, live=live)
            removed += 0 if live else hash_of_id(number)
            if changed is not None and row_checksum(values) != checksum:
                changed.append(number)
    return DocumentSums(rows % _MODULUS, removed % _MODULUS)


class DocumentTable:
    """The documents of a catalog, changed within a transaction; `sums` follows the changes."""

    def __init__(self, catalog: Rows, sums: DocumentSums) -> None:
        self._catalog = catalog
        self.sums = sums

    def insert(self, rows: Iterable[tuple[Values, int | None]]) -> None:
        """Insert documents, each with 1 if it is already replaced by another, else None."""
        self._catalog.run_many(_INSERT, self._inserted(rows))

    def _inserted(self, rows: Iterable[tuple[Values, int | None]]) -> Iterator[tuple[object, ...]]:
        for values, removed in rows:
            checksum = row_checksum(values)
            number = values[0]
            assert isinstance(number, int)  # noqa: S101 (an id)
            self.sums = self.sums.with_row(number, checksum, live=removed is None)
            yield *values, removed, checksum

    def remove_named(self, keys: Iterable[Key]) -> None:
        """Mark the documents with these names as removed."""
        for key in keys:
            self._mark(self._catalog.rows(_NAMED, *key))

    def remove(self, ids: Iterable[int]) -> None:
        """Mark the documents with these ids as removed; unknown ids are ignored."""
        for number in ids:
            self._mark(self._catalog.rows(_LIVE, number))

    def _mark(self, rows: Iterable[tuple[int, str]]) -> None:
        for number, checksum in rows:
            self._catalog.run(_REMOVE, number)
            self.sums = self.sums.with_removal(number, checksum)

    def drop_removed(self, first: int, last: int) -> None:
        """Delete the rows of removed documents from id `first` to id `last`."""
        for number, checksum in self._catalog.rows(_REMOVED_BETWEEN, first, last):
            self.sums = self.sums.without_removed(number, checksum)
        self._catalog.run(_DROP, first, last)
