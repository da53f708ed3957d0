"""Writing to a collection: rows wait in memory, become segments, and are committed.

A commit writes a segment and lists it in the catalog; only the catalog decides what counts. A new
collection is written in a hidden folder beside its path until its first commit. Small adjacent
segments are merged into one, by a tiered policy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, groupby
from math import inf
from pathlib import Path
from shutil import rmtree

import numpy as np
from numpy.typing import NDArray

from sdtext._version import __version__
from sdtext.collections.document_types import DocumentRows, as_stored, is_text
from sdtext.collections.schema import IDS, WORDS
from sdtext.collections.storage.arrays import NAME, ArrayKind, Kinds
from sdtext.collections.storage.catalog import KEPT, Catalog
from sdtext.collections.storage.collection_meta import (
    DICTIONARIES,
    UNKNOWN_VERSION,
    CollectionMeta,
    damage,
    dictionary_file,
)
from sdtext.collections.storage.lock import Lock, new_folder
from sdtext.collections.storage.segments import (
    SEGMENTS,
    RowSource,
    SegmentEntry,
    StoredSegment,
    discard,
    make_segment,
)
from sdtext.errors import FormatError, OutputError, SdtextError
from sdtext.fingerprinting.load_and_save import save
from sdtext.formats.strict_json import json_text
from sdtext.io.output import sync_folder
from sdtext.io.platform import IS_UNIX
from sdtext.model import Metadata
from sdtext.model.dictionary import Dictionary
from sdtext.reading.walk import CATALOG
from sdtext.wording import reason

_SMALL = 8 << 20  # bytes; smaller ones are all of level 0
_MANY = 8
_LEVELS = 3  # up to 8 MB, 64 MB, 512 MB; larger ones are left as they are
SEGMENT_BYTES = 64 << 20
_REMOVE = "UPDATE documents SET removed = 1 WHERE removed IS NULL AND"
_DROP = "DELETE FROM documents WHERE removed IS NOT NULL AND id BETWEEN ? AND ?"


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
        stop = 0
        for fits, run in groupby([own <= wanted for own in levels]):
            start, stop = stop, stop + len(list(run))
            if fits and levels[start:stop].count(wanted) >= _MANY:
                return start, stop
    return next(((place, place + 1) for place, share in enumerate(dead) if share > 0.5), None)


class CollectionWriter:
    """The only writer of a collection, given by `Collection.writing`.

    Waiting arrays are committed when they exceed `most` bytes. `refreshed` returns the
    segments after a commit.
    """

    def __init__(
        self, folder: WritableFolder, refreshed: Callable[[], Sequence[StoredSegment]], most: int
    ) -> None:
        self._folder = folder
        self._refreshed = refreshed
        self._most = most
        self._meta = folder.catalog.meta()
        self._pending: list[tuple[NDArray[np.int64], DocumentRows]] = []
        self._removed: list[int] = []
        self._ended = False
        self._damaged: set[int] = set()

    def add(self, rows: DocumentRows) -> NDArray[np.int64]:
        """Add documents and return their ids; one with the name of another replaces it.

        Their rows were computed by this version of sdtext. They are on disk after `commit`, which
        is called whenever enough rows wait. Raises OutputError.
        """
        ids = self._wait(rows, __version__)
        if self._is_full:
            self.commit()
        return ids

    @property
    def _is_full(self) -> bool:
        return sum(rows.size for _, rows in self._pending) > self._most

    def _wait(self, rows: DocumentRows, version: str) -> NDArray[np.int64]:
        """Keep rows until they are written; their ids."""
        kinds = kinds_of(rows, self._meta.kinds)
        first = self._meta.next_document
        ids = np.arange(first, first + len(rows), dtype=np.int64)
        versions = self._meta.sdtext_versions
        if len(rows):
            versions = (*dict.fromkeys((*versions, version)),)
            self._pending.append((ids, rows))
        self._meta = replace(
            self._meta, kinds=kinds, next_document=first + len(rows), sdtext_versions=versions
        )
        return ids

    def add_whole(self, rows: Iterable[DocumentRows]) -> None:
        """Add all of these rows, or none of them if an error ends their iterator.

        They were computed elsewhere, by a version of sdtext that is not known here. However many
        they are, few of them are in memory at once. Raises OutputError.
        """
        batches = iter(rows)
        few: list[DocumentRows] = []
        following = next(batches, None)
        while following is not None and sum(batch.size for batch in few) <= self._most:
            few.append(following)
            following = next(batches, None)
        if following is None:
            for batch in few:
                self._wait(batch, UNKNOWN_VERSION)
            if self._is_full:
                self.commit()
            return
        if self._pending or self._removed:
            self.commit()
        with self._transaction():
            self._pending = []
            for batch in chain(few, [following], batches):
                self._wait(batch, UNKNOWN_VERSION)
                if self._is_full:
                    self._write_pending()
            self._write_pending()
        self._follow_up()

    def remove(self, ids: Iterable[int]) -> None:
        """Remove documents with the next commit; unknown ids are ignored."""
        known = range(1, self._meta.next_document)  # a larger id may be given next
        self._removed += (number for number in map(int, ids) if number in known)

    def commit(self) -> None:
        """Make all additions and removals durable.

        Raises OutputError; earlier commits are kept.
        """
        if self._ended:
            raise ValueError("the block in which the collection was written to has ended")
        if not (self._pending or self._removed) and self._folder.is_there:
            return
        with self._transaction():
            self._write_pending()
        self._follow_up()

    def _follow_up(self) -> None:
        """After a commit: let a new collection appear, and merge what is due.

        Damaged segments stay, so that the damage can be reported: a copy would give damaged bytes a
        valid checksum.
        """
        self._folder.appear()
        segments = self._refreshed()
        with suppress(OutputError):  # the commit holds; merging is tried again after the next
            while True:
                damaged = [segment.number in self._damaged for segment in segments]
                pairs = [*zip(segments, damaged, strict=True)]
                sizes = [inf if bad else segment.entry.size for segment, bad in pairs]
                bounds = due(sizes, [0 if bad else segment.dead for segment, bad in pairs])
                if bounds is None:
                    return
                wanted = segments[slice(*bounds)]
                found = set()
                for segment in wanted:
                    try:
                        segment.check_files()
                    except FormatError:
                        found.add(segment.number)
                if not found:
                    try:
                        segments = self._merge(wanted)
                    except FormatError:
                        found = {segment.number for segment in wanted}
                self._damaged |= found

    def compact(self) -> bool:
        """Merge all segments into one, without removed rows.

        Returns whether no trace of these is left on disk: a reader in another process keeps them
        in the catalog's log until it ends. Raises OutputError; FormatError for a damaged segment.
        """
        self.commit()
        segments = self._refreshed()
        for segment in segments:
            segment.check_files()
        old = segments if len(segments) > 1 or any(segment.dead for segment in segments) else ()
        if old:
            self._merge(old)
        rewritten = self._folder.catalog.rewritten(self._refreshed)
        return rewritten and not any(segment.folder.exists() for segment in old)

    def end(self) -> None:
        """Discard waiting changes and release the collection, even if the writer is kept."""
        self._pending = []
        self._refreshed = list  # it would hold the collection
        self._ended = True

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit the segments and the documents that the block writes together, or none of them."""
        catalog = self._folder.catalog
        before = self._meta, self._pending, self._removed
        with write_errors(self._folder.name, is_new=not self._folder.is_there):
            try:
                with catalog.transaction():
                    yield
                    catalog.commit_meta(self._meta)
            except BaseException:
                with suppress(SdtextError):  # what was committed before the interruption stays
                    known = {number for (number,) in catalog.rows("SELECT number FROM segments")}
                    for number in range(before[0].next_segment, self._meta.next_segment):
                        if number not in known:
                            discard(self._folder.home / SEGMENTS / str(number))
                self._meta, self._pending, self._removed = before
                raise

    def _write_pending(self) -> None:
        """Write what waits, within a transaction; of documents with one name the last one stays."""
        pending, self._pending, removed, self._removed = self._pending, [], self._removed, []
        catalog = self._folder.catalog
        documents = [
            (number, as_stored(new.root), as_stored(new.name), new)
            for ids, rows in pending
            for number, new in zip(ids.tolist(), rows.documents, strict=True)
        ]
        last = {(root, name): number for number, root, name, _ in documents}
        catalog.run_many(f"{_REMOVE} root = ? AND name = ?", last)
        catalog.run_many(
            "INSERT INTO documents (id, root, name, size, digest, metadata, removed)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    *(number, root, name, new.size, new.digest, _json(new.metadata)),
                    None if last[root, name] == number else 1,
                )
                for number, root, name, new in documents
            ),
        )
        catalog.run_many(f"{_REMOVE} id = ?", ((number,) for number in removed))
        sources = []
        for ids, rows in pending:
            places = np.arange(len(rows)) if rows.places is None else rows.places
            sources.append(RowSource(ids, places, rows.arrays, rows.places is not None))
        self._write_segment(sources)

    def _write_segment(self, sources: Sequence[RowSource]) -> None:
        """Write a segment with the rows of all sources, within a transaction; none without."""
        number = self._meta.next_segment
        self._meta = replace(self._meta, next_segment=number + 1)
        if not sources:
            return
        catalog = self._folder.catalog
        try:
            files = make_segment(self._folder.home, number, sources, self._meta.kinds)
        except ValueError as error:
            raise damage(self._folder.name, str(error)) from error
        ids = np.concatenate([source.ids for source in sources])
        entry = SegmentEntry(number, len(ids), files, tuple(catalog.checksums(ids)))
        catalog.run("INSERT INTO segments VALUES (?, ?, ?, ?)", *entry.as_row())

    def _merge(self, segments: Sequence[StoredSegment]) -> Sequence[StoredSegment]:
        """Replace segments by one with their live rows; all segments afterwards."""
        catalog = self._folder.catalog
        with self._transaction():
            for segment in segments:
                for block in range(len(segment.entry.documents)):
                    catalog.check_block(segment, block)
                catalog.run("DELETE FROM segments WHERE number = ?", segment.number)
                catalog.run(_DROP, int(segment.ids[0]), int(segment.ids[-1]))
            alive = [segment for segment in segments if segment.alive.any()]
            self._write_segment([RowSource.of(segment, self._meta.kinds) for segment in alive])
        merged = self._refreshed()
        for segment in segments:
            discard(segment.folder)
        return merged


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
    return kinds


def _json(metadata: Metadata) -> str:
    """Metadata as strict JSON: without NaN, and without lone surrogates."""
    text = json_text(metadata) if metadata else "{}"
    return text if is_text(text) else json_text(metadata, ensure_ascii=True)


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
            folder.lock.close()
            raise
        return folder

    @classmethod
    def new(
        cls, path: Path, name: str, meta: CollectionMeta, dictionaries: Sequence[Dictionary]
    ) -> WritableFolder:
        """The folder of a new collection, which appears at `path` with its first commit."""
        folder = cls(path, name)
        folder.home = home = new_folder(path)
        with write_errors(name, is_new=True):
            if home.is_symlink():
                raise FileExistsError(17, f"{home} is a link; remove it")
            home.mkdir(exist_ok=True)
        folder.lock = Lock(home, name)
        try:
            with write_errors(name, is_new=True):
                for ending in ("", "-wal", "-shm", "-journal"):  # the remains of a killed process
                    (home / f"{CATALOG}{ending}").unlink(missing_ok=True)
                for below in (home / SEGMENTS, home / DICTIONARIES):
                    if below.exists():
                        rmtree(below)
                check_free(path, name)
                (home / SEGMENTS).mkdir()
                (home / DICTIONARIES).mkdir()
                for dictionary in dictionaries:
                    save(dictionary, dictionary_file(home, dictionary.digest), replaces=True)
                sync_folder(home / DICTIONARIES)
            folder.catalog = Catalog.create(home, name, meta)
        except BaseException:
            folder.close()
            raise
        return folder

    def appear(self) -> None:
        """Rename a new collection to its path. Raises OutputError."""
        if self.is_there:
            return
        self.catalog.close()  # moves the log into the file
        with write_errors(self.name, is_new=True):
            sync_folder(self.home)
            if not IS_UNIX:  # where a folder with open files in it cannot be renamed
                self.lock.close()
            self.home.rename(self.path)
            self.home = self.path
            sync_folder(self.path.parent)
        if not IS_UNIX:
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
        self.lock.close()


def check_free(path: str | Path, name: str) -> None:
    """OutputError if the path of a new collection is taken."""
    if os.path.lexists(path):
        raise OutputError("already exists; add to it, or name another", file=name)


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
