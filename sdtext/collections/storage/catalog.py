"""The catalog of a collection: what is committed, in one SQLite file.

It is kept with a write-ahead log (WAL): a writer adds to the log beside the file, so readers
never wait for it and a reader that has begun sees one committed state to its end; what counts
as committed is decided by SQLite's own checksums after a crash. A log needs two more files
(-wal, -shm) in the folder. Where a reader may not write there, it uses those that are there;
where there are none, nobody is writing, and the file is read as one that does not change
(`immutable`), which also serves for media that cannot be written to, or are full.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import disk_usage
from typing import Any

from sdtext.collections.storage.meta import REMEDY, Carried
from sdtext.errors import FormatError, OutputError, UnreadableError, printable
from sdtext.reading.walk import CATALOG

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
_UNCHANGING = "mode=ro&immutable=1"
_PATIENCE = 30.0  # seconds; a reader waits at the most while the last writer's log is cleared away
_SHORT = 1000  # milliseconds; a writer waits that long for readers to let go of the log
_LONGEST = 64 << 20  # bytes of one value
_SAFETY = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY")
_NO_SPACE = "no space left on device; what was added before is kept"
_ROOM = 1 << 16  # bytes; a log needs 32 KB beside itself
_NO_LOG = frozenset(  # what SQLite says where it cannot make a log
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
    sqlite3.SQLITE_IOERR: (OutputError, "its disk fails to read or write; copy what is there"),
    sqlite3.SQLITE_CANTOPEN: (
        UnreadableError,
        f"{CATALOG} cannot be opened; if it is on a medium that cannot be written to, copy it",
    ),
    sqlite3.SQLITE_TOOBIG: (OutputError, "the metadata of a document are over 64 MB; shorten them"),
}


@contextmanager
def failures(name: str, folder: Path) -> Iterator[None]:
    """Errors of SQLite in the words of sdtext; `name` is that of the collection in `folder`."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise FormatError(f"{name}: is damaged: {CATALOG}: is not UTF-8; {REMEDY}") from error
    except sqlite3.ProgrammingError:
        raise  # it is ours: a connection that is closed, a parameter too many
    except sqlite3.Error as error:
        code = _code(error) & 0xFF
        if code == sqlite3.SQLITE_IOERR and _is_full(folder):
            code = sqlite3.SQLITE_FULL
        kind, words = _ERRORS.get(
            code, (FormatError, f"is damaged: {CATALOG}: {printable(str(error))[:200]}; {REMEDY}")
        )
        raise kind(f"{name}: {words}") from error


def _code(error: BaseException | None) -> int:
    """What SQLite calls an error of its own."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT))


def _is_full(folder: Path) -> bool:
    """Whether the disk that a folder is on has no room for anything."""
    try:
        return disk_usage(folder).free < _ROOM
    except OSError:
        return False


class Catalog:
    """A connection to the catalog in a folder; `name` is the collection's, for messages."""

    def __init__(self, folder: Path, name: str, mode: str) -> None:
        self.name = name
        self._path = path = folder / CATALOG
        self._still: tuple[int, ...] | None = None  # how the file is while it must not change
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
    def made(cls, folder: Path, name: str, carried: Carried) -> Catalog:
        """A new catalog without documents, open for writing."""
        catalog = cls(folder, name, "mode=rwc")
        with failures(name, folder):
            catalog._connection.execute("PRAGMA journal_mode = WAL")
        catalog._durable()
        with catalog.transaction():
            for statement in _TABLES:
                catalog.run(statement)
            catalog.carry(carried)
        return catalog

    @classmethod
    def writing(cls, folder: Path, name: str) -> Catalog:
        """The catalog that is there, open for writing. Raises FormatError."""
        catalog = cls(folder, name, "mode=rw")
        catalog._check_tables()
        catalog._durable()
        return catalog

    @classmethod
    def reading(cls, folder: Path, name: str) -> Catalog:
        """The catalog as it is now, whatever is committed later. Raises FormatError."""
        mode = _mode(folder)
        try:
            return cls._looking(folder, name, mode)
        except (OutputError, UnreadableError) as error:
            if _code(error.__cause__) not in _NO_LOG or _has_log(folder):
                raise
        return cls._looking(folder, name, _UNCHANGING)

    @classmethod
    def _looking(cls, folder: Path, name: str, mode: str) -> Catalog:
        """The catalog, open for reading in that mode."""
        catalog = cls(folder, name, mode)
        catalog._still = catalog._state() if mode == _UNCHANGING else None
        catalog.run("PRAGMA query_only = ON")
        catalog.run("BEGIN")  # and the first question is the moment that is seen from then on
        catalog._check_tables()
        return catalog

    def _durable(self) -> None:
        self.run("PRAGMA synchronous = FULL")  # a commit is on the disk when it returns
        self.run("PRAGMA secure_delete = ON")  # what is deleted is overwritten

    def _check_tables(self) -> None:
        """FormatError where the tables are not ours: a view or a trigger could do anything."""
        rows = self.rows("SELECT type, sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 1000")
        missing = set(_TABLES) - {sql for _, sql in rows}
        if missing or {kind for kind, _ in rows} - {"table", "index"}:
            raise FormatError(f"{self.name}: {CATALOG} is not that of a collection; {REMEDY}")

    def close(self) -> None:
        """Give back what is open."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is done within is committed at the end, or none of it."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.rollback()
            raise

    def run(self, statement: str, *values: object) -> int:
        """Run a statement; how many rows it changed."""
        with failures(self.name, self._path.parent):
            return self._connection.execute(statement, values).rowcount

    def run_many(self, statement: str, rows: Iterator[Sequence[object]]) -> int:
        """Run a statement for each row of values; how many rows that changed."""
        with failures(self.name, self._path.parent):
            return self._connection.executemany(statement, rows).rowcount

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of an answer."""
        with failures(self.name, self._path.parent):
            return self._connection.execute(statement, values).fetchall()

    def batches(
        self, statement: str, values: Sequence[object] = (), number: int = 1000
    ) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of an answer, some at a time."""
        with failures(self.name, self._path.parent):
            cursor = self._connection.execute(statement, values)
            while batch := cursor.fetchmany(number):
                self._check_still()
                yield batch

    def _state(self) -> tuple[int, ...]:
        found = self._path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _check_still(self) -> None:
        """UnreadableError where the file has changed under a reader that may not take a lock."""
        if self._still and self._still != self._state():
            raise UnreadableError(f"{self.name}: has been changed meanwhile; begin again")

    def rewritten(self, refreshed: Callable[[], object]) -> bool:
        """Write the file anew; whether nothing of what was deleted is left in it and its log.

        The log goes into the file, and is emptied where nobody looks at what was before;
        `refreshed` has the reader of this process look at what is now.
        """
        self.run("VACUUM")
        refreshed()
        self.run("PRAGMA wal_checkpoint")
        refreshed()  # with all in the file, this reader needs the log no more
        self.run(f"PRAGMA busy_timeout = {_SHORT}")
        ((busy, *_),) = self.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        self.run(f"PRAGMA busy_timeout = {_PATIENCE * 1000:.0f}")
        return not busy

    def carried(self) -> Carried:
        """What the collection carries. Raises FormatError."""
        rows = self.rows("SELECT key, value FROM meta LIMIT 100")
        return Carried.read({str(key): str(value) for key, value in rows}, self.name)

    def carry(self, carried: Carried) -> None:
        """Have the collection carry that from now on."""
        self.run_many("INSERT OR REPLACE INTO meta VALUES (?, ?)", iter(carried.told().items()))


def _mode(folder: Path) -> str:
    """How a reader opens the catalog in a folder."""
    if os.access(folder, os.W_OK) and os.access(folder / CATALOG, os.W_OK):
        return "mode=rw"  # so that the last one to close can clear away the log
    return "mode=ro" if (folder / f"{CATALOG}-wal").exists() else _UNCHANGING


def _has_log(folder: Path) -> bool:
    """Whether something is in the log that may not be in the file yet."""
    try:
        return (folder / f"{CATALOG}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False
