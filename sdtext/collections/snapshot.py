"""One committed state of a collection, which later commits do not change."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_types import StoredDocument, as_given, as_stored
from sdtext.collections.storage.catalog import Catalog, row_checksum, sum_of_removed
from sdtext.collections.storage.collection_meta import (
    CollectionMeta,
    DamagedCollectionError,
    damage,
)
from sdtext.collections.storage.lock import WAIT, lock_holder, new_folder
from sdtext.collections.storage.segments import (
    SEGMENTS,
    SegmentEntry,
    StoredSegment,
)
from sdtext.errors import FormatError, SdtextError, UnreadableError
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.model import Problem
from sdtext.reading.walk import CATALOG
from sdtext.wording import counted, reason

_COLUMNS = "id, name, root, size, digest, metadata, checksum"
_WITH_ID = "id IN (SELECT value FROM json_each(?))"
_MOST_HELD = 1 << 26  # characters of names and metadata that are held in memory
_ROW = 512  # characters that any other row counts as, for what Python takes for it
_TRIES = 100  # a try fails when a writer merges segments away meanwhile


@dataclass(frozen=True)
class Checks:
    """How the content of a collection is checked.

    With `verify` the checksum of each file is verified when the process first reads it. Lengths
    and ranges are checked in any case. With `skip_damaged` all segments are read at once and
    damaged ones are left out.
    """

    verify: bool = True
    skip_damaged: bool = False


_DEFAULT = Checks()
_IN_CATALOG = f"/{CATALOG}"


@dataclass(frozen=True)
class SkippedSegment:
    """A segment that is left out because of an error, and the warning about it."""

    entry: SegmentEntry
    path: Path
    error: SdtextError
    problem: Problem


class Snapshot:
    """A committed state of a collection, with all its files open.

    `segments` are in the order of their ids, without those `skipped`. The state stays readable
    whatever is committed later, even if segments are merged away.
    """

    def __init__(
        self, catalog: Catalog, home: Path, checks: Checks = _DEFAULT, *, settled: bool = False
    ) -> None:
        self.catalog = catalog
        self.checks = checks
        self.documents_verified = not checks.verify
        self.meta: CollectionMeta = catalog.meta()
        ids = catalog.rows("SELECT id FROM documents WHERE removed IS NOT NULL ORDER BY id")
        self.removed = np.array(ids, np.int64).reshape(-1)
        segments, skipped = self._opened(home, settled=settled)
        self.skipped = tuple(skipped)
        self.segments = tuple(sorted(segments, key=lambda segment: int(segment.ids[0])))
        self._firsts = np.array([segment.ids[0] for segment in self.segments], np.int64)
        ends = [int(segment.ids[-1]) for segment in self.segments]
        if any(end >= first for end, first in zip(ends, self._firsts[1:], strict=False)):
            raise self._damage("its segments overlap")  # each document has one row
        self._held: _DocumentsById | None = None

    def _opened(
        self, home: Path, *, settled: bool
    ) -> tuple[list[StoredSegment], list[SkippedSegment]]:
        """The segments, and those to skip. FileNotFoundError unless their list is `settled`."""
        name, kinds, checks = self.catalog.name, self.meta.kinds, self.checks
        segments: list[StoredSegment] = []
        skipped: list[SkippedSegment] = []
        rows = self.catalog.rows("SELECT number, rows, files FROM segments ORDER BY number")
        for entry in [SegmentEntry.read(row, kinds, name) for row in rows]:
            most = "up to " if len(self.removed) else ""
            documents = f"{most}{counted(entry.rows, 'document')}"
            try:
                segment = StoredSegment(
                    entry, home, name, kinds, self.removed, verify=checks.verify
                )
                documents = counted(int(segment.alive.sum()), "document")
                if checks.skip_damaged:
                    segment.check_all()
                segments.append(segment)
            except (SdtextError, FileNotFoundError) as cause:
                if not checks.skip_damaged or (isinstance(cause, OSError) and not settled):
                    raise
                error = cause
                if isinstance(error, FileNotFoundError):
                    error = damage(name, f"{os.path.relpath(error.filename, home)} is missing")
                fault = str(error)
                if isinstance(error, DamagedCollectionError):
                    fault = f"{error.file}: is damaged: {error.fault}"
                what = f"segment {entry.number} with {documents} is left out of all results"
                path = home / SEGMENTS / str(entry.number)
                problem = Problem("warning", "skipped-segment", f"{fault}; {what}", os.fspath(path))
                skipped.append(SkippedSegment(entry, path, error, problem))
        return segments, skipped

    @classmethod
    def of(cls, home: Path, name: str, checks: Checks = _DEFAULT) -> Snapshot:
        """The current state of the collection in the folder `home`.

        Raises UnreadableError if there is none, FormatError if it is damaged.
        """
        snapshot = cls.unverified(home, name, checks)
        snapshot.catalog.check_digest()
        if snapshot.catalog.sums().removed != sum_of_removed(snapshot.removed.tolist()):
            raise damage(f"{name}/{CATALOG}", "its removed documents do not match their digest")
        return snapshot

    @classmethod
    def unverified(cls, home: Path, name: str, checks: Checks) -> Snapshot:
        """The same without verification of the catalog."""
        _check_folder(home, name)
        before: list[tuple[Any, ...]] | None = None
        for _ in range(_TRIES):
            catalog = Catalog.reading(home, name)
            now = catalog.rows("SELECT number FROM segments ORDER BY number")
            try:
                return cls(catalog, home, checks, settled=now == before)
            except FileNotFoundError as error:
                # A writer may have merged that segment away: then the list of segments has changed.
                if now == before:
                    missing = os.path.relpath(error.filename, home)
                    raise damage(name, f"{missing} is missing") from error
                before = now
            except OSError as error:
                what = os.path.relpath(error.filename or home, home)
                raise UnreadableError(f"{what}: {reason(error)}", file=name) from error
        raise UnreadableError("changes faster than it can be opened; try again later", file=name)

    def __len__(self) -> int:
        if self.skipped:
            return sum(int(segment.alive.sum()) for segment in self.segments)
        return sum(segment.rows for segment in self.segments) - len(self.removed)

    def ids(self, where: str | None = None) -> NDArray[np.int64]:
        """The ids of the live documents that `where` selects, in rising order."""
        if where is None or not len(self._live):
            return self._live
        self._verify_documents()
        ids = np.array(self.catalog.ids_where(where), np.int64)
        return ids[np.isin(ids, self._live)] if self.skipped else ids

    @cached_property
    def _live(self) -> NDArray[np.int64]:
        """The ids of all live documents."""
        return np.concatenate([np.empty(0, np.int64), *(s.ids[s.alive] for s in self.segments)])

    def documents(self, where: str | None = None) -> Iterator[StoredDocument]:
        """The live documents that `where` selects, in the order of their ids."""
        self._verify_documents()
        if where is None:
            return self._documents(self._query("1", []))
        return self._documents(self._query(_WITH_ID, [json.dumps(self.ids(where).tolist())]))

    def named(self, names: Sequence[str], root: str | None = None) -> Iterator[StoredDocument]:
        """The live documents with these names, and the folder `root`, if given, by their ids."""
        self._verify_documents()
        condition = f"name IN ({', '.join('?' * len(names))})"
        values: list[Any] = [as_stored(name) for name in names]
        if root is not None:
            condition, values = f"root = ? AND {condition}", [as_stored(root), *values]
        return self._documents(self._query(condition, values))

    def taken(self, ids: Sequence[int]) -> dict[int, StoredDocument]:
        """The live documents among those with these ids, by id; only their rows are verified.

        Raises FormatError if the catalog lacks one that a segment has.
        """
        wanted = sorted(set(ids))
        if self._held is not None and self._held.rows.keys() >= set(wanted):
            return {number: self._held[number] for number in wanted}
        documents = self._documents(self._query(_WITH_ID, [json.dumps(wanted)]))
        by_id = {document.id: document for document in documents}
        if len(by_id) < len(wanted):
            missing = np.setdiff1d(np.intersect1d(wanted, self._live), [*by_id])
            if len(missing):
                raise self._damage(f"document {missing[0]} is missing", _IN_CATALOG)
        return by_id

    def hold_documents(self) -> None:
        """Hold the rows of all documents in memory, for `taken`, unless they are too large."""
        if self._held is None:
            self._held = _DocumentsById(self._document)
            statement = "SELECT COUNT(*) * ? + SUM(LENGTH(name) + LENGTH(metadata)) FROM documents"
            if (self.catalog.rows(statement, _ROW)[0][0] or 0) > _MOST_HELD:
                return
            for batch in self._query("1", []):
                numbers = [row[0] for row in batch]
                places = zip(batch, *self._places(np.array(numbers, np.int64)), strict=True)
                self._held.rows.update(zip(numbers, places, strict=True))

    def _documents(self, batches: Iterable[list[tuple[Any, ...]]]) -> Iterator[StoredDocument]:
        for batch in batches:
            segments, rows = self._places(np.array([row[0] for row in batch], np.int64))
            for values, segment, row in zip(batch, segments, rows, strict=True):
                yield self._document(values, segment, row)

    def _verify_documents(self) -> None:
        if not self.documents_verified:
            self.catalog.check_documents()
            self.documents_verified = True

    def _query(self, condition: str, values: list[Any]) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of live documents that are in a segment; the first column is the id."""
        batches = self.catalog.batches(
            f"SELECT {_COLUMNS} FROM documents WHERE removed IS NULL AND ({condition}) ORDER BY id",  # noqa: S608 (text of the user is in the values)
            values,
        )
        if not self.skipped:
            return batches
        present = set(self._live.tolist())
        return ([row for row in batch if row[0] in present] for batch in batches)

    def _places(self, ids: NDArray[np.int64]) -> tuple[list[int], list[int]]:
        """The numbers of the segments of documents, and their rows in them."""
        which = np.searchsorted(self._firsts, ids, "right") - 1
        rows = np.full(len(ids), -1)
        for place in distinct(which[which >= 0]):
            chosen = which == place
            there = self.segments[place].ids
            nearest = np.minimum(np.searchsorted(there, ids[chosen]), len(there) - 1)
            rows[chosen] = np.where(there[nearest] == ids[chosen], nearest, -1)
        if (rows < 0).any():
            raise self._damage(f"document {ids[rows.argmin()]} is in no segment")
        return [self.segments[place].number for place in which], rows.tolist()

    def _document(self, values: tuple[Any, ...], segment: int, row: int) -> StoredDocument:
        number, name, root, size, digest, text, checksum = values
        try:
            names = as_given(name), as_given(root)
            metadata = json.loads(text)
            if not isinstance(metadata, dict) or not isinstance(size, int):
                raise ValueError(metadata)
        except (ValueError, TypeError, RecursionError) as error:
            what = f"the catalog row of document {number} cannot be read"
            raise self._damage(what, _IN_CATALOG) from error
        in_order = (number, root, name, size, digest, text)
        if self.checks.verify and row_checksum(in_order) != checksum:
            what = f"the catalog row of document {number} does not match its checksum"
            raise self._damage(what, _IN_CATALOG)
        return StoredDocument(number, *names, size, str(digest), segment, row, metadata)

    def _damage(self, words: str, file: str = "") -> FormatError:
        return damage(f"{self.catalog.name}{file}", words)


class _DocumentsById(dict[int, StoredDocument]):
    """Documents by their ids, made of the `rows` of the catalog when they are first needed."""

    def __init__(self, document: Callable[[tuple[Any, ...], int, int], StoredDocument]) -> None:
        super().__init__()
        self.rows: dict[int, tuple[tuple[Any, ...], int, int]] = {}
        self._document = document

    def __missing__(self, number: int) -> StoredDocument:
        document = self[number] = self._document(*self.rows[number])
        return document


def _check_folder(home: Path, name: str) -> None:
    """UnreadableError or FormatError if there is no collection in `home`."""
    try:
        home.stat()
        has_catalog = (home / CATALOG).is_file() and not (home / CATALOG).is_symlink()
    except (OSError, ValueError) as error:
        if isinstance(error, PermissionError):
            raise UnreadableError("permission denied", file=name) from error
        if isinstance(error, FileNotFoundError) and (holder := lock_holder(new_folder(home))):
            what = f"is being created by {holder}; {WAIT}"
            raise UnreadableError(what, file=name) from error
        what = "there is no such collection; AddDocuments creates one"
        raise UnreadableError(what, file=name) from error
    if has_catalog:
        return
    if (home / SEGMENTS).is_dir() and not os.path.lexists(home / CATALOG):
        raise damage(name, f"{CATALOG} is missing")
    kind, remedy = "a file", "AddDocuments makes a collection of documents"
    if home.is_dir():
        kind, remedy = "a folder", f"{remedy}, under a name that is new"
    what = f"is not an sdtext collection, but {kind}; {remedy}"
    raise FormatError(what, file=name)
