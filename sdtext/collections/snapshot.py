"""One committed state of a collection, which later commits do not change."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_records import StoredDocument, as_given
from sdtext.collections.storage.catalog import Catalog
from sdtext.collections.storage.collection_meta import CollectionMeta, damage
from sdtext.collections.storage.segments import SegmentEntry, StoredSegment
from sdtext.errors import FormatError, UnreadableError, reason
from sdtext.reading.walk import CATALOG

_TRIES = 100  # a try fails when a writer merges segments away meanwhile


class Where(Protocol):
    """A condition on documents."""

    def sql(self) -> tuple[str, list[Any]]:
        """An expression over the columns of `documents`, with its parameters."""


class Snapshot:
    """A committed state of a collection, with all its files open.

    `segments` are in the order of their ids. The state stays readable whatever is committed later,
    even if segments are merged away.
    """

    def __init__(self, catalog: Catalog, home: Path) -> None:
        self.catalog = catalog
        self.meta: CollectionMeta = catalog.meta()
        ids = catalog.rows("SELECT id FROM documents WHERE removed IS NOT NULL ORDER BY id")
        self.removed = np.array(ids, np.int64).reshape(-1)
        kinds = self.meta.kinds
        rows = catalog.rows("SELECT number, rows, files FROM segments ORDER BY number")
        entries = [SegmentEntry.read(row, kinds, catalog.name) for row in rows]
        segments = (StoredSegment(home, e, kinds, self.removed, catalog.name) for e in entries)
        self.segments = tuple(sorted(segments, key=lambda segment: int(segment.ids[0])))
        self._firsts = np.array([segment.ids[0] for segment in self.segments], np.int64)
        self._check_order()

    @classmethod
    def of(cls, home: Path, name: str) -> Snapshot:
        """The current state of the collection in the folder `home`.

        Raises UnreadableError if there is none, FormatError if it is damaged.
        """
        _check_folder(home, name)
        before: list[tuple[Any, ...]] = []
        for _ in range(_TRIES):
            catalog = Catalog.reading(home, name)
            try:
                return cls(catalog, home)
            except FileNotFoundError as error:
                # A writer may have merged that segment away: then the list of segments has changed.
                now = catalog.rows("SELECT number FROM segments ORDER BY number")
                if now == before:
                    missing = os.path.relpath(error.filename, home)
                    raise damage(name, f"{missing} is missing") from error
                before = now
            except OSError as error:
                what = os.path.relpath(error.filename or home, home)
                raise UnreadableError(f"{what}: {reason(error)}", file=name) from error
        raise UnreadableError("changes faster than it can be opened; try again later", file=name)

    def __len__(self) -> int:
        return sum(segment.rows for segment in self.segments) - len(self.removed)

    def ids(self, where: Where | None = None) -> NDArray[np.int64]:
        """The ids of the live documents that `where` selects, in rising order."""
        if where is None:
            return np.concatenate([np.empty(0, np.int64), *(s.ids[s.alive] for s in self.segments)])
        batches = self._selected("id", where)
        return np.array([row[0] for batch in batches for row in batch], np.int64)

    def documents(self, where: Where | None = None) -> Iterator[StoredDocument]:
        """The live documents that `where` selects, in the order of their ids."""
        for batch in self._selected("id, name, root, size, digest, metadata", where):
            segments, rows = self._places(np.array([row[0] for row in batch], np.int64))
            for values, segment, row in zip(batch, segments, rows, strict=True):
                yield self._document(values, segment, row)

    def _selected(self, columns: str, where: Where | None) -> Iterator[list[tuple[Any, ...]]]:
        condition, values = where.sql() if where else ("1", [])
        return self.catalog.batches(
            f"SELECT {columns} FROM documents WHERE removed IS NULL AND ({condition}) ORDER BY id",  # noqa: S608 (text of the user is in the values)
            values,
        )

    def _places(self, ids: NDArray[np.int64]) -> tuple[list[int], list[int]]:
        """The numbers of the segments of documents, and their rows in them."""
        which = np.searchsorted(self._firsts, ids, "right") - 1
        rows = np.full(len(ids), -1)
        for place in np.unique(which[which >= 0]):
            chosen = which == place
            there = self.segments[place].ids
            nearest = np.minimum(np.searchsorted(there, ids[chosen]), len(there) - 1)
            rows[chosen] = np.where(there[nearest] == ids[chosen], nearest, -1)
        if (rows < 0).any():
            raise self._damage(f"document {ids[rows.argmin()]} is in no segment")
        return [self.segments[place].number for place in which], rows.tolist()

    def _document(self, values: tuple[Any, ...], segment: int, row: int) -> StoredDocument:
        number, name, root, size, digest, text = values
        try:
            names = as_given(name), as_given(root)
            metadata = json.loads(text)
            if not isinstance(metadata, dict) or not isinstance(size, int):
                raise ValueError(metadata)
        except (ValueError, TypeError, RecursionError) as error:
            raise self._damage(f"the catalog row of document {number} cannot be read") from error
        return StoredDocument(number, *names, size, str(digest), segment, row, metadata)

    def _check_order(self) -> None:
        """FormatError if segments overlap: each document has one row."""
        ends = [int(segment.ids[-1]) for segment in self.segments]
        if any(end >= first for end, first in zip(ends, self._firsts[1:], strict=False)):
            raise self._damage("its segments overlap")

    def _damage(self, words: str) -> FormatError:
        return damage(self.catalog.name, words)


def _check_folder(home: Path, name: str) -> None:
    """UnreadableError or FormatError if there is no collection in `home`."""
    try:
        home.stat()
        has_catalog = (home / CATALOG).is_file() and not (home / CATALOG).is_symlink()
    except (OSError, ValueError) as error:
        raise UnreadableError("there is no such collection", file=name) from error
    if not has_catalog:
        raise FormatError("is not an sdtext collection; name the folder of one", file=name)
