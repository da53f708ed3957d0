"""Which hits of a comparison are new: those of earlier runs are kept in an SQLite file."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Self

from sdtext.errors import FormatError, OutputError, SdtextError
from sdtext.fingerprinting.load_and_save import read_fingerprint_file
from sdtext.formats.hardened_xml import kind_of_own_file
from sdtext.model.dictionary import Dictionary
from sdtext.reading.archive_members import content_at
from sdtext.search.compare import Comparison, Row, path_of_row

_COLUMNS = "document, fingerprint, score, parameters"
_TABLE = f"hits ({_COLUMNS}, PRIMARY KEY ({_COLUMNS})) WITHOUT ROWID"
_PATIENCE = 5.0  # seconds


class WatchedHits:
    """The hits of the fingerprints at a path, in the file of that name with `.watch` behind it.

    A hit is the content of a document, that of a fingerprint, the score, the matcher and its
    dictionaries; names do not count. From `new` to `commit`, or the end of the context, the file is
    locked for other runs; without `commit` it stays as it was. Raises OutputError where it cannot
    be written, FormatError where it is something else.
    """

    def __init__(self, path: str) -> None:
        self.file = Path(os.path.abspath(path) + ".watch")  # noqa: PTH100 (links stay)
        self._identities: dict[str, str | None] = {}
        self._database: sqlite3.Connection | None = None
        if os.path.lexists(self.file):
            self._opened()
        elif not os.access(self.file.parent, os.W_OK):
            raise OutputError("cannot be written: its folder is not writable", file=self.file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._database:
            self._database.close()

    def _opened(self) -> sqlite3.Connection:
        with self._failures():
            if not self._database:
                self._database = sqlite3.connect(self.file, _PATIENCE, isolation_level=None)
                self._database.execute("PRAGMA trusted_schema = OFF")
            tables = self._database.execute("SELECT sql FROM sqlite_master").fetchall()
            if tables and tables != [(f"CREATE TABLE {_TABLE}",)]:
                raise sqlite3.DatabaseError("it has other tables")
            if (fault := self._database.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(" ".join(fault.split()))
        return self._database

    def new(self, comparison: Comparison, folders: Sequence[str]) -> Sequence[Row]:
        """The rows of a comparison with `folders` that are no hits of earlier runs.

        What cannot be read a second time, such as a pipe, is always new.
        """
        digests = sorted(dictionary.digest for dictionary in comparison.dictionaries)
        parameters = " ".join([comparison.matcher, *digests])
        known = f"SELECT 1 FROM hits WHERE ({_COLUMNS}) = (?, ?, ?, ?)"  # noqa: S608 (names of ours)
        new: list[Row] = []
        hits = []
        database = self._opened()
        with self._failures():
            database.execute("BEGIN IMMEDIATE")
            database.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
            for row in comparison.rows:
                score = -1 if row.score is None else row.score
                document = self._identity(path_of_row(row.path, folders))
                hit = document, self._identity(row.fingerprint), score, parameters
                if None in hit:
                    new.append(row)
                elif not database.execute(known, hit).fetchone():
                    new.append(row)
                    hits.append(hit)
            database.executemany("INSERT OR IGNORE INTO hits VALUES (?, ?, ?, ?)", hits)
        return new

    def commit(self) -> None:
        """Keep the hits that were new."""
        with self._failures():
            self._opened().execute("COMMIT")

    def _identity(self, path: str) -> str | None:
        """The digest of what a row names: of a fingerprint's vectors, or of a file's bytes."""
        if path not in self._identities:
            self._identities[path] = None
            for end in (len(path), *(place for place, char in enumerate(path) if char == "#")):
                with suppress(SdtextError):
                    self._identities.update(_digests(path[:end]))
                    if self._identities[path]:
                        break
        return self._identities[path]

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OutputError(f"cannot be used: {error}", file=self.file) from error
        except sqlite3.DatabaseError as error:
            what = f"is damaged or no watch list of sdtext: {error}; move it away to start anew"
            raise FormatError(what, file=self.file) from error


def _digests(path: str) -> Iterator[tuple[str, str]]:
    """The digest of each fingerprint in a file, or of its bytes, by its name in rows."""
    content = content_at(path)
    if content.comes_once:
        return
    if not kind_of_own_file(content.head).startswith("fingerprint"):
        digest = sha256()
        for block in content.blocks():
            digest.update(block)
        yield path, digest.hexdigest()
        return
    for item in read_fingerprint_file(content, path):
        if not isinstance(item, Dictionary):
            name, found = item
            vectors = [
                (found.reference(each).digest, each.length, each.place, each.packed)
                for each in found.vectors
            ]
            yield name, sha256(repr((found.kind, vectors)).encode("utf-8")).hexdigest()
