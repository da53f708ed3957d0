"""Writing to a collection: rows wait in memory, become segments, and are committed.

A commit writes a segment and lists it in the catalog; only the catalog decides what counts. A new
collection is written in a hidden folder beside its path until its first commit. Small adjacent
segments are merged into one, by a tiered policy.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from math import inf, isfinite
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext._version import __version__
from sdtext.collections.document_types import DocumentRows, NewDocument, as_stored, is_text
from sdtext.collections.schema import IDS, TOKENS, WORDS
from sdtext.collections.snapshot import Snapshot
from sdtext.collections.storage.arrays import NAME, ArrayKind, Kinds
from sdtext.collections.storage.catalog import KEPT, Catalog, DocumentTable, Key, Values
from sdtext.collections.storage.collection_meta import (
    DICTIONARIES,
    UNKNOWN_VERSION,
    CollectionMeta,
    damage,
    dictionary_file,
)
from sdtext.collections.storage.lock import Lock, new_folder
from sdtext.collections.storage.merge_vocabularies import used_words
from sdtext.collections.storage.segments import (
    SEGMENTS,
    RowSource,
    StoredSegment,
    discard,
    make_segment,
)
from sdtext.errors import FormatError, OutputError, SdtextError
from sdtext.fingerprinting.load_and_save import save
from sdtext.io.output import sync_folder
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Metadata
from sdtext.model.dictionary import Dictionary
from sdtext.reading.walk import CATALOG
from sdtext.wording import reason

_SMALL = 8 << 20  # bytes; smaller ones are all of level 0
_MANY = 8
_LEVELS = 3  # up to 8 MB, 64 MB, 512 MB; larger ones are left as they are
SEGMENT_BYTES = 64 << 20


def level(size: float) -> int:
    """The level of a segment of `size` bytes: each holds segments eight times as large.

    >>> level(1000), level(10_000_000), level(100_000_000), level(1_000_000_000)
    (0, 1, 2, 3)
    """
    return sum(size > _SMALL * _MANY**step for step in range(_LEVELS))


def due(sizes: Sequence[float], dead: Sequence[float]) -> tuple[int, int] | None:
    """The half-open range of adjacent segments to merge, None if there is none.

    `sizes` are bytes, `dead` the shares of removed rows. Eight adjacent segments of one level are
    merged, with smaller ones between them, so that each document is copied once at each level:
    there are few segments to search, and adding takes linear time. A segment with more removed
    than live rows is rewritten alone.

    >>> due([1000] * 8, [0] * 8), due([1000] * 7, [0] * 7), due([1000, 1000], [0, 0.6])
    ((0, 8), None, (1, 2))
    """
    levels = [*map(level, sizes)]
    for wanted in range(_LEVELS):
        for start, stop in _runs([size_level <= wanted for size_level in levels]):
            if levels[start:stop].count(wanted) >= _MANY:
                return start, stop
    return next(((place, place + 1) for place, share in enumerate(dead) if share > 0.5), None)


def _runs(fits: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The half-open ranges of consecutive segments that fit."""
    stop = 0
    for fit, run in groupby(fits):
        start, stop = stop, stop + len(list(run))
        if fit:
            yield start, stop


class CollectionWriter:
    """The only writer of a collection, given by `Collection.writing`.

    Waiting arrays are committed when they exceed `most` bytes. `refreshed` returns the state after
    a commit.
    """

    def __init__(
        self, folder: WritableFolder, refreshed: Callable[[], Snapshot], most: int
    ) -> None:
        self._folder = folder
        self._refreshed = refreshed
        self._most = most
        self._meta = folder.catalog.meta()
        self._pending = PendingChanges()
        self._ended = False
        self._damaged: set[int] = set()

    def add(self, rows: DocumentRows) -> NDArray[np.int64]:
        """Add documents and return their ids; one with the name of another replaces it.

        Their rows were computed by this version of sdtext. They are on disk after `commit`, which
        is called whenever enough rows wait. Raises OutputError.
        """
        ids = self._wait(rows, __version__)
        if self._pending.size > self._most:
            self.commit()
        return ids

    def _wait(self, rows: DocumentRows, version: str) -> NDArray[np.int64]:
        """Keep rows, computed by a version of sdtext, until they are written; their ids."""
        kinds = kinds_of(rows, self._meta.kinds)
        first = self._meta.next_document
        ids = self._pending.add(first, rows)
        versions = (*dict.fromkeys((*self._meta.sdtext_versions, version)),)
        self._meta = replace(
            self._meta,
            kinds=kinds,
            next_document=first + len(rows),
            sdtext_versions=versions if len(rows) else self._meta.sdtext_versions,
        )
        return ids

    def add_whole(self, rows: Iterable[DocumentRows]) -> None:
        """Add all of these rows, or none of them if an error ends their iterator.

        They were computed elsewhere, by a version of sdtext that is not known here. However many
        they are, few of them are in memory at once. Raises OutputError.
        """
        batches = iter(rows)
        few = [*self._first(batches)]
        following = next(batches, None)
        if following is None:
            for batch in few:
                self._wait(batch, UNKNOWN_VERSION)
            if self._pending.size > self._most:
                self.commit()
            return
        if self._pending:
            self.commit()
        with self._transaction() as documents:
            self._pending = PendingChanges()
            for batch in chain(few, [following], batches):
                self._wait(batch, UNKNOWN_VERSION)
                if self._pending.size > self._most:
                    self._write_pending(documents)
            self._write_pending(documents)
        self._follow_up()

    def _first(self, batches: Iterator[DocumentRows]) -> Iterator[DocumentRows]:
        """The first of these rows: as many as wait in memory for a commit."""
        size = 0
        while size <= self._most and (batch := next(batches, None)) is not None:
            size += batch.size
            yield batch

    def remove(self, ids: Iterable[int]) -> None:
        """Remove documents with the next commit; unknown ids are ignored."""
        known = range(1, self._meta.next_document)  # a larger id may be given next
        self._pending.removed += (number for number in map(int, ids) if number in known)

    def commit(self) -> None:
        """Make all additions and removals durable.

        Raises OutputError; earlier commits are kept.
        """
        if self._ended:
            raise ValueError("the block in which the collection was written to has ended")
        if not self._pending and self._folder.is_there:
            return
        with self._transaction() as documents:
            self._write_pending(documents)
        self._follow_up()

    def _follow_up(self) -> None:
        """After a commit: let a new collection appear, and merge what is due."""
        self._folder.appear()
        snapshot = self._refreshed()
        with suppress(OutputError):  # the commit holds; merging is tried again after the next
            while bounds := self._due(snapshot):
                snapshot = self._merge_if_whole(snapshot, bounds)

    def compact(self) -> bool:
        """Merge all segments into one, without removed rows.

        Returns whether no trace of these is left on disk: a reader in another process keeps them
        in the catalog's log until it ends. Raises OutputError; FormatError for a damaged segment.
        """
        self.commit()
        segments = self._refreshed().segments
        for segment in segments:
            segment.check_files()
        old = segments if len(segments) > 1 or any(segment.dead for segment in segments) else ()
        if old:
            self._merge(old)
        rewritten = self._folder.catalog.rewritten(self._refreshed)
        return rewritten and not any(segment.folder.exists() for segment in old)

    def end(self) -> None:
        """Discard waiting changes and release the collection, even if the writer is kept."""
        self._pending = PendingChanges()
        self._refreshed = _ended_writer
        self._ended = True

    @contextmanager
    def _transaction(self) -> Iterator[DocumentTable]:
        """Commit the segments and the documents that the block writes together, or none of them."""
        catalog = self._folder.catalog
        before = self._meta, self._pending
        with write_errors(self._folder.name, is_new=not self._folder.is_there):
            try:
                with catalog.transaction():
                    documents = catalog.document_table()
                    yield documents
                    catalog.commit_meta(self._meta, documents.sums)
            except BaseException:
                for number in range(before[0].next_segment, self._meta.next_segment):
                    self._discard(number)
                self._meta, self._pending = before
                raise

    def _write_pending(self, documents: DocumentTable) -> None:
        """Write what waits, within a transaction."""
        self._write_segment(self._pending.sources)
        self._pending.write(documents)
        self._pending = PendingChanges()

    def _write_segment(self, sources: Sequence[RowSource]) -> None:
        """Write a segment with the rows of all sources, within a transaction; none without."""
        number = self._meta.next_segment
        self._meta = replace(self._meta, next_segment=number + 1)
        if not sources:
            return
        try:
            entry = make_segment(self._folder.home, number, sources, self._meta.kinds)
        except ValueError as error:
            raise damage(self._folder.name, str(error)) from error
        self._folder.catalog.run("INSERT INTO segments VALUES (?, ?, ?)", *entry.as_row())

    def _discard(self, number: int) -> None:
        """Remove a segment, unless it was committed before the interruption."""
        with suppress(SdtextError):
            rows = self._folder.catalog.rows("SELECT 1 FROM segments WHERE number = ?", number)
            if not rows:
                discard(self._folder.home / SEGMENTS / str(number))

    def _due(self, snapshot: Snapshot) -> tuple[int, int] | None:
        """The range of segments to merge; damaged ones stay, so that the damage can be reported."""
        segments = snapshot.segments
        whole = [segment.number not in self._damaged for segment in segments]
        sizes = [
            segment.entry.size if ok else inf for segment, ok in zip(segments, whole, strict=True)
        ]
        dead = [segment.dead if ok else 0 for segment, ok in zip(segments, whole, strict=True)]
        return due(sizes, dead)

    def _merge_if_whole(self, snapshot: Snapshot, bounds: tuple[int, int]) -> Snapshot:
        """Merge a range of segments unless one is damaged; the state afterwards."""
        segments = snapshot.segments[slice(*bounds)]
        damaged = {segment.number for segment in segments if not _is_whole(segment)}
        if not damaged:
            try:
                return self._merge(segments)
            except FormatError:
                damaged = {segment.number for segment in segments}
        self._damaged |= damaged
        return snapshot

    def _merge(self, segments: Sequence[StoredSegment]) -> Snapshot:
        """Replace segments by one with their live rows; the state afterwards."""
        alive = [segment for segment in segments if segment.alive.any()]
        with self._transaction() as documents:
            self._write_segment([RowSource.of(segment, self._meta.kinds) for segment in alive])
            for segment in segments:
                statement = "DELETE FROM segments WHERE number = ?"
                self._folder.catalog.run(statement, segment.number)
                documents.drop_removed(int(segment.ids[0]), int(segment.ids[-1]))
        snapshot = self._refreshed()
        for segment in segments:
            discard(segment.folder)
        return snapshot


def _is_whole(segment: StoredSegment) -> bool:
    """Whether a segment may be copied: a copy would give damaged bytes a valid checksum."""
    try:
        segment.check_files()
    except FormatError:
        return False
    return True


def _ended_writer() -> Snapshot:
    raise AssertionError("the writer has ended")


@dataclass
class PendingChanges:
    """Additions and removals since the last commit; `size` is the bytes of their arrays."""

    documents: list[tuple[int, NewDocument]] = field(default_factory=list)
    sources: list[RowSource] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.documents or self.removed)

    def add(self, first: int, rows: DocumentRows) -> NDArray[Any]:
        """Keep documents; returns their ids, which begin at `first`."""
        ids = np.arange(first, first + len(rows), dtype=np.int64)
        if len(rows):
            self.documents += zip(ids.tolist(), rows.documents, strict=True)
            self.sources.append(_source_of(rows, ids))
            self.size += rows.size
        return ids

    def write(self, documents: DocumentTable) -> None:
        """Write all of it to the table of documents, within a transaction."""
        keys = [
            (as_stored(document.root), as_stored(document.name)) for _, document in self.documents
        ]
        last = dict(zip(keys, (number for number, _ in self.documents), strict=True))
        documents.remove_named(last)
        documents.insert(self._rows(keys, last))
        documents.remove(self.removed)

    def _rows(self, keys: list[Key], last: dict[Key, int]) -> Iterator[tuple[Values, int | None]]:
        """Rows of the table; of documents with one name all but the last are removed."""
        for (number, document), key in zip(self.documents, keys, strict=True):
            removed = None if last[key] == number else 1
            yield (
                (number, *key, document.size, document.digest, _json(document.metadata)),
                removed,
            )


def _source_of(rows: DocumentRows, ids: NDArray[np.int64]) -> RowSource:
    """The rows of documents with these ids, to be copied into a segment."""
    if rows.places is None:
        return RowSource(ids, np.arange(len(rows)), rows.arrays)
    ids_of_rows = np.zeros(rows.height, np.int64)
    ids_of_rows[rows.places] = ids
    return RowSource(ids_of_rows, rows.places, rows.arrays, canonical=True)


def kinds_of(rows: DocumentRows, known: Kinds) -> Kinds:
    """The kinds of the arrays of rows. Raises ValueError if they differ from those `known`.

    ValueError also if an array does not have a row for each document.
    """
    kinds = {name: ArrayKind.of(array) for name, array in rows.arrays.items()}
    if kinds != (known or kinds):
        raise ValueError(f"arrays are {kinds}; in this collection they are {dict(known)}")
    for name, array in rows.arrays.items():
        if name == IDS or not NAME.fullmatch(name):
            raise ValueError(f"an array may not be called {name!r}")
        if name != WORDS and rows.places is None and len(array) != len(rows):
            raise ValueError(f"{name} has {len(array)} rows for {len(rows)} documents")
    if rows.places is not None:
        return kinds  # of a segment, which has been verified
    tokens, words = rows.arrays.get(TOKENS), rows.arrays.get(WORDS)
    if isinstance(tokens, Ragged) and isinstance(words, Ragged):
        used_words([tokens.values], len(words))
    return kinds


def _json(metadata: Metadata) -> str:
    """Metadata as strict JSON: without NaN, and without lone surrogates."""
    plain = {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in metadata.items()
    }
    text = json.dumps(plain, ensure_ascii=False)
    return text if is_text(text) else json.dumps(plain)


@contextmanager
def write_errors(name: str, *, is_new: bool = False) -> Iterator[None]:
    """Raise system errors as OutputError; `name` is the collection's."""
    try:
        yield
    except OSError as error:
        kept = "" if is_new else KEPT
        raise OutputError(f"cannot be written: {reason(error)}{kept}", file=name) from error


class WritableFolder:
    """The folder of a collection, locked for writing.

    Until its first commit a new collection is in the hidden folder `.NAME.part` beside its path;
    `home` is its current folder. Raises OutputError.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self.home = path
        self.lock: Lock
        self.catalog: Catalog

    @classmethod
    def existing(cls, path: Path, name: str) -> WritableFolder:
        """The folder of the collection at `path`."""
        folder = cls(path, name)
        folder.lock = Lock(path, name)
        try:
            folder.catalog = Catalog.writing(path, name)
            _remove_orphans(path, folder.catalog)
        except BaseException:
            folder.lock.release()
            raise
        return folder

    @classmethod
    def new(
        cls, path: Path, name: str, meta: CollectionMeta, dictionaries: Sequence[Dictionary]
    ) -> WritableFolder:
        """The folder of a new collection, which appears at `path` with its first commit."""
        folder = cls(path, name)
        folder.home = new_folder(path)
        with write_errors(name, is_new=True):
            if folder.home.is_symlink():
                raise FileExistsError(17, f"{folder.home} is a link; remove it")
            folder.home.mkdir(exist_ok=True)
        folder.lock = Lock(folder.home, name)
        try:
            folder._begin(meta, dictionaries)
        except BaseException:
            folder.close()
            raise
        return folder

    def _begin(self, meta: CollectionMeta, dictionaries: Sequence[Dictionary]) -> None:
        """Fill the hidden folder, after removing the remains of a killed process."""
        with write_errors(self.name, is_new=True):
            _clear(self.home)
            check_free(self.path, self.name)
            for folder in (SEGMENTS, DICTIONARIES):
                (self.home / folder).mkdir()
            for dictionary in dictionaries:
                save(dictionary, dictionary_file(self.home, dictionary.digest), replaces=True)
            sync_folder(self.home / DICTIONARIES)
        self.catalog = Catalog.create(self.home, self.name, meta)

    def appear(self) -> None:
        """Rename a new collection to its path. Raises OutputError."""
        if self.is_there:
            return
        self.catalog.close()  # moves the log into the file
        with write_errors(self.name, is_new=True):
            sync_folder(self.home)
            if os.name == "nt":  # where a folder with open files in it cannot be renamed
                self.lock.release()
            self.home.rename(self.path)
            self.home = self.path
            sync_folder(self.path.parent)
        if os.name == "nt":
            self.lock = Lock(self.home, self.name)
        self.catalog = Catalog.writing(self.home, self.name)

    @property
    def is_there(self) -> bool:
        """Whether the collection is at its path: it has been committed."""
        return self.home == self.path

    def close(self) -> None:
        """Release the lock; a new collection without a commit is deleted."""
        if hasattr(self, "catalog"):
            self.catalog.close()
        if not self.is_there:
            rmtree(self.home, ignore_errors=True)
        self.lock.release()


def check_free(path: str | Path, name: str) -> None:
    """OutputError if the path of a new collection is taken."""
    if os.path.lexists(path):
        raise OutputError("already exists; add to it, or name another", file=name)


def _clear(home: Path) -> None:
    """Empty a hidden folder, except for the lock."""
    for folder in (SEGMENTS, DICTIONARIES):
        if (home / folder).exists():
            rmtree(home / folder)
    for ending in ("", "-wal", "-shm", "-journal"):
        (home / f"{CATALOG}{ending}").unlink(missing_ok=True)


def _remove_orphans(home: Path, catalog: Catalog) -> None:
    """Remove segments that the catalog does not list.

    Only writers do this: a reader cannot know what a writer is about to commit.
    """
    folder = home / SEGMENTS
    if folder.is_symlink() or not folder.is_dir():
        raise damage(catalog.name, f"{SEGMENTS} is not a folder")
    known = {str(number) for (number,) in catalog.rows("SELECT number FROM segments")}
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            numbered = entry.name.isdecimal() and entry.is_dir(follow_symlinks=False)
            if numbered and entry.name not in known:
                rmtree(entry.path, ignore_errors=True)
