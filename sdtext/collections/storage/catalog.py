"""The catalog of a collection: what is committed, in one SQLite file.

It is kept with a write-ahead log (WAL): a writer adds to the log beside the file, so readers
never wait for it and a reader that has begun sees one committed state to its end; after a crash
SQLite's own checksums decide what was committed. A log needs two more files
(-wal, -shm) in the folder. Where a reader may not write there, it uses those that are there;
where there are none, nobody is writing, and the file is read as one that does not change
(`immutable`), which also serves for media that cannot be written to, or are full.

SQLite verifies the log, not the file. So each row of the table of documents has a checksum of its
values. The sum of a hash of all rows reveals rows that are missing, added or exchanged, and
documents marked as removed or as not removed; a commit updates it by the rows that it changes,
however many there are. The last statement of a transaction writes a digest of the other tables into
`meta`, and these sums, which the digest covers too.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage
from typing import Any

from xxhash import xxh3_64_hexdigest, xxh3_128_hexdigest, xxh3_128_intdigest

from sdtext.collections.storage.arrays import VERIFIED, FileState
from sdtext.collections.storage.collection_meta import REMEDY, CollectionMeta, damage
from sdtext.collections.storage.conditions import ids_where
from sdtext.collections.storage.lock import is_new_folder
from sdtext.errors import FormatError, OutputError, UnreadableError
from sdtext.reading.walk import CATALOG
from sdtext.wording import printable

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

Values = Sequence[object]
"""The id, root, name, size, digest and metadata of a document, as stored."""
_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE segments (
    number INTEGER PRIMARY KEY, rows INTEGER NOT NULL, files TEXT NOT NULL)""",
    """CREATE TABLE documents (
    id INTEGER PRIMARY KEY, root TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL,
    digest TEXT NOT NULL, removed INTEGER, metadata TEXT NOT NULL, checksum TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX documents_by_name ON documents (root, name) WHERE removed IS NULL",
    "CREATE INDEX documents_removed ON documents (id) WHERE removed IS NOT NULL",
)
_DIGEST, _SUMS = "digest", "documents_digest"
_UNCHANGING = "mode=ro&immutable=1"
_PATIENCE = 30.0  # seconds; a reader waits while the last writer's log is removed
_SHORT = 1000  # milliseconds; a writer waits that long for readers to release the log
_MOST_FAULTS = 20  # reported
_LONGEST = 64 << 20  # bytes of one value
_SAFETY = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY")
_NO_SPACE = "cannot be written: no space left on device"
KEPT = "; what was added before is kept"
"""What messages about a collection that cannot be written to end in, unless it is a new one."""
_ROOM = 1 << 16  # bytes; a log needs 32 KB beside itself
_NO_LOG = frozenset(  # results of SQLite where it cannot create a log
    (
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMMAP,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
    )
)
_ERRORS = {
    sqlite3.SQLITE_FULL: (OutputError, _NO_SPACE),
    sqlite3.SQLITE_READONLY: (OutputError, "cannot be written to; make it writable, or copy it"),
    sqlite3.SQLITE_BUSY: (OutputError, "is in use by another program; try again"),
    sqlite3.SQLITE_IOERR: (OutputError, "its disk has read or write errors; copy what can be read"),
    sqlite3.SQLITE_CANTOPEN: (
        UnreadableError,
        f"{CATALOG} cannot be opened; if it is on a medium that cannot be written to, copy it",
    ),
    sqlite3.SQLITE_TOOBIG: (OutputError, "the metadata of a document are over 64 MB; shorten them"),
}


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


def sum_of_removed(ids: Iterable[object]) -> int:
    """The sum of the hashes of the numbers of removed documents."""
    return sum(xxh3_128_intdigest(f"{number}".encode()) for number in ids) % _MODULUS


def summed(catalog: Catalog, changed: list[int] | None = None) -> DocumentSums:
    """The sums of all rows; `changed` gets the ids of those that do not match their checksum."""
    rows = removed = 0
    for batch in catalog.batches(_ALL, (), _AT_ONCE):
        for *values, checksum, mark in batch:
            rows += _hash(values[0], checksum, live=mark is None)
            if changed is not None and row_checksum(values) != checksum:
                changed.append(values[0])
        removed += sum_of_removed(row[0] for row in batch if row[-1] is not None)
    return DocumentSums(rows % _MODULUS, removed % _MODULUS)


class DocumentTable:
    """The documents of a catalog, changed within a transaction; `sums` follows the changes."""

    def __init__(self, catalog: Catalog, sums: DocumentSums) -> None:
        self._catalog = catalog
        self.sums = sums

    def _changed(self, rows: int, removed: int) -> None:
        sums = self.sums
        self.sums = DocumentSums((sums.rows + rows) % _MODULUS, (sums.removed + removed) % _MODULUS)

    def insert(self, rows: Iterable[tuple[Values, int | None]]) -> None:
        """Insert documents, each with 1 if it is already replaced by another, else None."""
        total, replaced = 0, []

        def inserted() -> Iterator[tuple[object, ...]]:
            nonlocal total
            for values, removed in rows:
                checksum, number = row_checksum(values), values[0]
                total += _hash(number, checksum, live=removed is None)
                if removed:
                    replaced.append(number)
                yield *values, removed, checksum

        self._catalog.run_many(_INSERT, inserted())
        self._changed(total, sum_of_removed(replaced))

    def remove_named(self, keys: Iterable[Key]) -> None:
        """Mark the documents with these names as removed."""
        names: dict[str | bytes, list[str | bytes]] = {}
        for root, name in keys:
            names.setdefault(root, []).append(name)
        for root, all_names in names.items():
            self._mark("root = ? AND name", [root], all_names)

    def remove(self, ids: Sequence[int]) -> None:
        """Mark the documents with these ids as removed; unknown ids are ignored."""
        self._mark("id", [], ids)

    def _mark(self, column: str, values: Sequence[object], wanted: Sequence[object]) -> None:
        """Mark live documents as removed, as many at a time as SQLite takes values."""
        for start in range(0, len(wanted), _VALUES):
            some = wanted[start : start + _VALUES]
            marks = ", ".join("?" * len(some))
            rows = self._catalog.rows(f"{_LIVE} AND {column} IN ({marks})", *values, *some)
            self._catalog.run_many(_REMOVE, ((number,) for number, _ in rows))
            before, after = (
                sum(_hash(number, checksum, live=live) for number, checksum in rows)
                for live in (True, False)
            )
            self._changed(after - before, sum_of_removed(number for number, _ in rows))

    def drop_removed(self, first: int, last: int) -> None:
        """Delete the rows of removed documents from id `first` to id `last`."""
        rows = self._catalog.rows(f"SELECT id, checksum {_REMOVED}", first, last)
        hashes = sum(_hash(number, checksum, live=False) for number, checksum in rows)
        self._changed(-hashes, -sum_of_removed(number for number, _ in rows))
        self._catalog.run(f"DELETE {_REMOVED}", first, last)


@contextmanager
def failures(name: str, folder: Path) -> Iterator[None]:
    """Raise errors of SQLite as SdtextError; `name` is that of the collection in `folder`."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise damage(name, f"{CATALOG}: is not UTF-8") from error
    except sqlite3.ProgrammingError:
        raise  # a mistake in this program: a closed connection, a parameter too many
    except sqlite3.Error as error:
        code = _code(error) & 0xFF
        if code == sqlite3.SQLITE_IOERR:
            with suppress(OSError):  # some systems call a full disk that
                if disk_usage(folder).free < _ROOM:
                    code = sqlite3.SQLITE_FULL
        kind, words = _ERRORS.get(
            code, (FormatError, f"is damaged: {CATALOG}: {printable(str(error))[:200]}; {REMEDY}")
        )
        kept = KEPT if words == _NO_SPACE and not is_new_folder(folder) else ""
        raise kind(f"{words}{kept}", file=name) from error


def _code(error: BaseException | None) -> int:
    """The extended result code of SQLite in an error."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT))


class Catalog:
    """A connection to the catalog in a folder; `name` is the collection's, for messages."""

    def __init__(self, folder: Path, name: str, mode: str) -> None:
        self.name = name
        self._path = path = folder / CATALOG
        self._fixed_state: FileState | None = None  # of a file that must not change
        address = f"{path.absolute().as_uri()}?{mode}"
        with failures(name, folder):
            self._connection = sqlite3.connect(
                address, _PATIENCE, isolation_level=None, check_same_thread=False, uri=True
            )
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
            for setting in _SAFETY:
                self._connection.execute(f"PRAGMA {setting}")

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            self.close()

    @classmethod
    def create(cls, folder: Path, name: str, meta: CollectionMeta) -> Catalog:
        """A new catalog without documents, open for writing."""
        catalog = cls(folder, name, "mode=rwc")
        with failures(name, folder):
            catalog._connection.execute("PRAGMA journal_mode = WAL")
        catalog._durable()
        with catalog.transaction():
            for statement in _TABLES:
                catalog.run(statement)
            catalog.commit_meta(meta, DocumentSums())
        return catalog

    @classmethod
    def writing(cls, folder: Path, name: str) -> Catalog:
        """The existing catalog, open for writing. Raises FormatError."""
        catalog = cls(folder, name, "mode=rw")
        catalog._check_tables()
        catalog._durable()
        return catalog

    @classmethod
    def reading(cls, folder: Path, name: str) -> Catalog:
        """The current state of the catalog, unaffected by later commits. Raises FormatError."""
        log = folder / f"{CATALOG}-wal"
        mode = "mode=ro" if log.exists() else _UNCHANGING
        if os.access(folder, os.W_OK) and os.access(folder / CATALOG, os.W_OK):
            mode = "mode=rw"  # so that the last reader to close can remove the log
        try:
            return cls._open_for_reading(folder, name, mode)
        except (OutputError, UnreadableError) as error:
            has_data = False
            with suppress(FileNotFoundError):
                has_data = log.stat().st_size > 0  # data that the file may lack
            if _code(error.__cause__) not in _NO_LOG or has_data:
                raise
        return cls._open_for_reading(folder, name, _UNCHANGING)

    @classmethod
    def _open_for_reading(cls, folder: Path, name: str, mode: str) -> Catalog:
        """The catalog, open for reading in that SQLite mode."""
        catalog = cls(folder, name, mode)
        catalog._fixed_state = catalog._state() if mode == _UNCHANGING else None
        catalog.run("PRAGMA query_only = ON")
        catalog.run("BEGIN")  # the first query fixes the state that is read
        catalog._check_tables()
        return catalog

    def _durable(self) -> None:
        self.run("PRAGMA synchronous = FULL")  # a commit is durable when it returns
        self.run("PRAGMA secure_delete = ON")  # deleted data are overwritten

    def _check_tables(self) -> None:
        """FormatError unless the tables are exactly ours: views and triggers could run any SQL."""
        rows = self.rows("SELECT type, sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 1000")
        missing = set(_TABLES) - {sql for _, sql in rows}
        if missing or {kind for kind, _ in rows} - {"table", "index"}:
            raise FormatError(f"{CATALOG} is not that of a collection; {REMEDY}", file=self.name)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all statements of the block at its end, or none."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.rollback()
            raise

    def run(self, statement: str, *values: object) -> int:
        """Run a statement and return how many rows it changed."""
        with failures(self.name, self._path.parent):
            return self._connection.execute(statement, values).rowcount

    def run_many(self, statement: str, rows: Iterator[Sequence[object]]) -> int:
        """Run a statement for each row of values and return how many rows changed."""
        with failures(self.name, self._path.parent):
            return self._connection.executemany(statement, rows).rowcount

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with failures(self.name, self._path.parent):
            return self._connection.execute(statement, values).fetchall()

    def batches(
        self, statement: str, values: Sequence[object] = (), number: int = 1000
    ) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query, `number` at a time."""
        with failures(self.name, self._path.parent):
            cursor = self._connection.execute(statement, values)
            while batch := cursor.fetchmany(number):
                self._check_unchanged()
                yield batch

    def ids_where(self, where: str) -> list[int]:
        """The ids of the live documents that a condition selects. Raises OptionError."""
        with failures(self.name, self._path.parent):
            ids = ids_where(self._connection, where)
        self._check_unchanged()
        return ids

    def _state(self) -> FileState:
        return FileState.of(self._path.stat())

    def _check_unchanged(self) -> None:
        """UnreadableError if the file has changed under a reader that cannot lock it."""
        if self._fixed_state and self._fixed_state != self._state():
            raise UnreadableError("was changed by another process; start again", file=self.name)

    def rewritten(self, refreshed: Callable[[], object]) -> bool:
        """Rewrite the file; whether no deleted data are left in it and its log.

        The log moves into the file, and is emptied if no reader needs an earlier state;
        `refreshed` moves the reader of this process on to the current one.
        """
        self.run("VACUUM")
        refreshed()
        self.run("PRAGMA wal_checkpoint")
        refreshed()  # now this reader does not need the log any more
        self.run(f"PRAGMA busy_timeout = {_SHORT}")
        ((busy, *_),) = self.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        self.run(f"PRAGMA busy_timeout = {_PATIENCE * 1000:.0f}")
        return not busy

    def _meta(self) -> dict[str, str]:
        rows = self.rows("SELECT key, value FROM meta LIMIT 100")
        return {str(key): str(value) for key, value in rows}

    def meta(self) -> CollectionMeta:
        """The facts of the whole collection. Raises FormatError."""
        return CollectionMeta.read(self._meta(), self.name)

    def commit_meta(self, meta: CollectionMeta, sums: DocumentSums) -> None:
        """Replace the facts of the whole collection, and the digests: the end of a transaction."""
        statement = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
        self.run_many(statement, iter({**meta.as_rows(), _SUMS: str(sums)}.items()))
        self.run(statement, _DIGEST, self._digest())

    def sums(self) -> DocumentSums:
        """The stored sums of the documents. Raises FormatError."""
        with suppress(ValueError):
            return DocumentSums.from_text(self._meta().get(_SUMS, ""))
        raise self._damage(f"{_SUMS} cannot be read")

    def check_digest(self) -> None:
        """FormatError unless meta and the list of segments are as they were committed."""
        if self._meta().get(_DIGEST) != self._digest():
            raise self._damage("its content does not match its digest")

    def _digest(self) -> str:
        """The digest (XXH3, 128 bits) of all rows but those of documents."""
        meta = self.rows("SELECT key, value FROM meta WHERE key != ? ORDER BY key", _DIGEST)
        segments = self.rows("SELECT number, rows, files FROM segments ORDER BY number")
        return xxh3_128_hexdigest(json.dumps([meta, segments], default=repr).encode("ascii"))

    def check_documents(self) -> None:
        """FormatError unless all documents are as they were committed.

        All of them are read, but only once by one process.
        """
        paths = (self._path, self._path.with_name(f"{CATALOG}-wal"))
        states = [FileState.of(path.stat()) for path in paths if path.exists()]
        states = [state for state in states if state.size]
        sums = self.sums()
        if all((state, str(sums)) in VERIFIED for state in states):
            return
        for fault in self.document_faults(sums):
            raise self._damage(fault)
        for state in states:
            VERIFIED.add(state, str(sums))

    def document_faults(self, sums: DocumentSums) -> Iterator[str]:
        """The faults of the file and of the documents in it; `sums` are those to expect."""
        for (words,) in self.rows(f"PRAGMA integrity_check({_MOST_FAULTS})"):
            if words != "ok":
                yield printable(" ".join(str(words).split()))[:200]
        changed: list[int] = []
        actual = summed(self, changed)
        for number in changed:
            yield f"the catalog row of document {number} does not match its checksum"
        if sums != actual and not changed:
            yield "its documents do not match their digest"

    def _damage(self, fault: str) -> FormatError:
        return damage(f"{self.name}/{CATALOG}", fault)
