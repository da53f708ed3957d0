"""The catalog of a collection: what is committed, in one SQLite file.

It is kept with a write-ahead log (WAL): a writer adds to the log beside the file, so readers
never wait for it and a reader that has begun sees one committed state to its end; after a crash
SQLite's own checksums decide what was committed. A log needs two more files
(-wal, -shm) in the folder. Where a reader may not write there, it uses those that are there;
where there are none, nobody is writing, and the file is read as one that does not change
(`immutable`), which also serves for media that cannot be written to, or are full.

SQLite verifies the log, not the file. So the list of segments has a checksum for each block of
`BLOCK` documents of a segment, and the last statement of a transaction writes into `meta` a digest
of the other tables and of the ids of removed documents.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_hexdigest, xxh3_128_hexdigest

from sdtext.collections.storage.arrays import FileState
from sdtext.collections.storage.collection_meta import REMEDY, CollectionMeta, damage
from sdtext.collections.storage.conditions import ids_where
from sdtext.collections.storage.lock import is_new_folder
from sdtext.errors import FormatError, OutputError, UnreadableError
from sdtext.reading.walk import CATALOG
from sdtext.wording import printable

if TYPE_CHECKING:
    from sdtext.collections.storage.segments import StoredSegment

BLOCK = 256
"""Documents of a segment, in the order of their ids, whose rows share a checksum."""

_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE segments (
    number INTEGER PRIMARY KEY, rows INTEGER NOT NULL, files TEXT NOT NULL,
    documents TEXT NOT NULL)""",
    """CREATE TABLE documents (
    id INTEGER PRIMARY KEY, root TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL,
    digest TEXT NOT NULL, removed INTEGER, metadata TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX documents_by_name ON documents (root, name) WHERE removed IS NULL",
    "CREATE INDEX documents_removed ON documents (id) WHERE removed IS NOT NULL",
)
_DIGEST = "digest"
_BLOCK = (
    "SELECT id, root, name, size, digest, metadata, removed FROM documents "
    "WHERE id BETWEEN ? AND ? ORDER BY id"
)
_UNCHANGING = "mode=ro&immutable=1"
_PATIENCE = 30.0  # seconds; a reader waits while the last writer's log is removed
_SHORT = 1000  # milliseconds; a writer waits that long for readers to release the log
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
            catalog.commit_meta(meta)
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

    def run(self, statement: str, *values: object) -> None:
        """Run a statement."""
        with failures(self.name, self._path.parent):
            self._connection.execute(statement, values)

    def run_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each row of values."""
        with failures(self.name, self._path.parent):
            self._connection.executemany(statement, rows)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with failures(self.name, self._path.parent):
            return self._connection.execute(statement, values).fetchall()

    def batches(
        self, statement: str, values: Sequence[object] = ()
    ) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query, 1000 at a time."""
        with failures(self.name, self._path.parent):
            cursor = self._connection.execute(statement, values)
            while batch := cursor.fetchmany(1000):
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

    def commit_meta(self, meta: CollectionMeta) -> None:
        """Replace the facts of the whole collection, and the digest: the end of a transaction."""
        statement = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
        self.run_many(statement, meta.as_rows().items())
        self.run(statement, _DIGEST, self._digest())

    def check_digest(self) -> None:
        """FormatError unless all but the rows of documents is as it was committed."""
        if self._meta().get(_DIGEST) != self._digest():
            raise self._damage("its content does not match its digest")

    def _digest(self) -> str:
        """The digest (XXH3, 128 bits) of all but the rows of documents."""
        meta = self.rows("SELECT key, value FROM meta WHERE key != ? ORDER BY key", _DIGEST)
        segments = self.rows("SELECT * FROM segments ORDER BY number")
        removed = self.rows("SELECT id FROM documents WHERE removed IS NOT NULL ORDER BY id")
        return xxh3_128_hexdigest(_json([meta, segments, removed]))

    def checksums(self, ids: NDArray[np.int64]) -> list[str]:
        """The checksum (XXH3, 64 bits) of each block of documents of a segment with these ids."""
        blocks = np.split(ids, range(BLOCK, len(ids), BLOCK))
        return [self._block(block)[0] for block in blocks]

    def check_block(self, segment: StoredSegment, block: int) -> None:
        """FormatError unless a block of documents of a segment is as it was committed."""
        rows = slice(block * BLOCK, (block + 1) * BLOCK)
        ids = segment.ids[rows]
        checksum, alive = self._block(ids)
        if checksum != segment.entry.documents[block] or alive != segment.alive[rows].tolist():
            what = f"the rows of documents {ids[0]} to {ids[-1]} do not match their checksum"
            raise self._damage(what)

    def _block(self, ids: NDArray[np.int64]) -> tuple[str, list[bool]]:
        """The checksum of the rows from the first to the last id, and which are not removed."""
        rows = self.rows(_BLOCK, int(ids[0]), int(ids[-1]))
        checksum = xxh3_64_hexdigest(_json([row[:-1] for row in rows]))
        return checksum, [row[-1] is None for row in rows]

    def integrity_faults(self) -> Iterator[str]:
        """The faults that SQLite finds in the file."""
        for (words,) in self.rows("PRAGMA integrity_check(20)"):
            if words != "ok":
                yield printable(" ".join(str(words).split()))[:200]

    def _damage(self, fault: str) -> FormatError:
        return damage(f"{self.name}/{CATALOG}", fault)


def _json(value: object) -> bytes:
    return json.dumps(value, default=repr).encode("ascii")
