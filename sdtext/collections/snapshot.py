"""One committed state of a collection, as it was when it was looked at."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_rows import StoredDocument
from sdtext.collections.storage.catalog import Catalog
from sdtext.collections.storage.meta import REMEDY, Carried
from sdtext.collections.storage.segments import Listed, Segment
from sdtext.errors import FormatError, UnreadableError, reason
from sdtext.reading.walk import CATALOG

_TRIES = 100  # each time segments were merged away at the very moment


class Where(Protocol):
    """A condition on documents."""

    def sql(self) -> tuple[str, list[Any]]:
        """An expression over the columns of `documents`, with its parameters."""


class Snapshot:
    """What was committed to a collection at one moment, with all its files opened.

    `segments` are in the order of the ids in them. Whatever is committed later, and even if
    segments are merged away, all of it stays as it was.
    """

    def __init__(self, catalog: Catalog, home: Path) -> None:
        self.catalog = catalog
        self.carried: Carried = catalog.carried()
        ids = catalog.rows("SELECT id FROM documents WHERE removed IS NOT NULL ORDER BY id")
        self.removed = np.array(ids, np.int64).reshape(-1)
        kinds = self.carried.kinds
        rows = catalog.rows("SELECT number, rows, files FROM segments ORDER BY number")
        listed = [Listed.read(row, kinds, catalog.name) for row in rows]
        segments = (Segment(home, one, kinds, self.removed, catalog.name) for one in listed)
        self.segments = tuple(sorted(segments, key=lambda one: int(one.ids[0])))
        self._firsts = np.array([one.ids[0] for one in self.segments], np.int64)
        self._check_order()

    @classmethod
    def of(cls, home: Path, name: str) -> Snapshot:
        """What is committed now to the collection in the folder `home`.

        Raises UnreadableError where there is none, FormatError where it is damaged.
        """
        _check_folder(home, name)
        before: list[tuple[Any, ...]] = []
        for _ in range(_TRIES):
            catalog = Catalog.reading(home, name)
            try:
                return cls(catalog, home)
            except FileNotFoundError as error:
                # A writer may have merged that segment away since: then another list is there.
                now = catalog.rows("SELECT number FROM segments ORDER BY number")
                if now == before:
                    missing = os.path.relpath(error.filename, home)
                    raise FormatError(
                        f"{name}: is damaged: {missing} is missing; {REMEDY}"
                    ) from error
                before = now
            except OSError as error:
                what = os.path.relpath(error.filename or home, home)
                raise UnreadableError(f"{name}: {what}: {reason(error)}") from error
        raise UnreadableError(f"{name}: changes faster than it can be opened; try again later")

    def __len__(self) -> int:
        return sum(one.rows for one in self.segments) - len(self.removed)

    def ids(self, where: Where | None = None) -> NDArray[np.int64]:
        """The ids of live documents, in rising order; of those that `where` means."""
        if where is None:
            return np.concatenate([np.empty(0, np.int64), *(s.ids[s.alive] for s in self.segments)])
        batches = self._asked("id", where)
        return np.array([row[0] for batch in batches for row in batch], np.int64)

    def documents(self, where: Where | None = None) -> Iterator[StoredDocument]:
        """The live documents in the order of their ids; those that `where` means."""
        for batch in self._asked("id, name, root, size, digest, metadata", where):
            segments, rows = self._places(np.array([row[0] for row in batch], np.int64))
            for found, segment, place in zip(batch, segments, rows, strict=True):
                yield self._document(found, segment, place)

    def _asked(self, columns: str, where: Where | None) -> Iterator[list[tuple[Any, ...]]]:
        condition, values = where.sql() if where else ("1", [])
        return self.catalog.batches(
            f"SELECT {columns} FROM documents WHERE removed IS NULL AND ({condition}) ORDER BY id",  # noqa: S608 (what was written stands in the values)
            values,
        )

    def _places(self, ids: NDArray[np.int64]) -> tuple[list[int], list[int]]:
        """The segments' numbers and the rows that documents have."""
        which = np.searchsorted(self._firsts, ids, "right") - 1
        rows = np.full(len(ids), -1)
        for place in np.unique(which[which >= 0]):
            chosen = which == place
            there = self.segments[place].ids
            found = np.minimum(np.searchsorted(there, ids[chosen]), len(there) - 1)
            rows[chosen] = np.where(there[found] == ids[chosen], found, -1)
        if (rows < 0).any():
            raise self._damage(f"document {ids[rows.argmin()]} is in no segment")
        return [self.segments[place].number for place in which], rows.tolist()

    def _document(self, row: tuple[Any, ...], segment: int, place: int) -> StoredDocument:
        number, name, root, size, digest, metadata = row
        try:
            names = _path(name), _path(root)
            told = json.loads(metadata)
            if not isinstance(told, dict) or not isinstance(size, int):
                raise ValueError(told)
        except (ValueError, TypeError, RecursionError) as error:
            raise self._damage(f"what it says of document {number} cannot be read") from error
        return StoredDocument(number, *names, size, str(digest), segment, place, told)

    def _check_order(self) -> None:
        """FormatError where segments share ids: each document has one row."""
        ends = [int(one.ids[-1]) for one in self.segments]
        if any(end >= first for end, first in zip(ends, self._firsts[1:], strict=False)):
            raise self._damage("its segments overlap")

    def _damage(self, words: str) -> FormatError:
        return FormatError(f"{self.catalog.name}: is damaged: {words}; {REMEDY}")


def _check_folder(home: Path, name: str) -> None:
    """UnreadableError or FormatError where a path leads to no collection."""
    try:
        home.stat()
        found = (home / CATALOG).is_file() and not (home / CATALOG).is_symlink()
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{name}: there is no such collection") from error
    if not found:
        raise FormatError(f"{name}: is no collection of sdtext; name a folder that is one")


def _path(stored: str | bytes) -> str:
    """A name as it was given: it is stored as bytes where it is no Unicode text."""
    return stored.decode("utf-8", "surrogatepass") if isinstance(stored, bytes) else str(stored)
