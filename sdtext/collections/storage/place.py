"""Where a collection is written: in its folder, or beside it until its first commit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree

from sdtext.collections.storage.arrays import plain_file
from sdtext.collections.storage.catalog import Catalog
from sdtext.collections.storage.lock import Lock
from sdtext.collections.storage.meta import REMEDY, Carried
from sdtext.collections.storage.segments import SEGMENTS
from sdtext.errors import FormatError, OutputError, reason
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.io.atomic import sync_folder
from sdtext.model.dictionary import Dictionary
from sdtext.reading.walk import CATALOG

DICTIONARIES = "dictionaries"


@contextmanager
def write_failures(name: str) -> Iterator[None]:
    """What the system says of writing, in the words of sdtext; `name` is the collection's."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{name}: cannot be written: {reason(error)}; what was added before is kept"
        ) from error


class Place:
    """A collection that is open for writing, by nobody else.

    Until its first commit a new one is in a hidden folder beside, `.NAME.part`; `home` is where
    it is. Raises OutputError.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self.home = path
        self.lock: Lock
        self.catalog: Catalog

    @classmethod
    def there(cls, path: Path, name: str) -> Place:
        """The collection that is at `path`."""
        place = cls(path, name)
        place.lock = Lock(path, name)
        try:
            place.catalog = Catalog.writing(path, name)
            _remove_orphans(path, place.catalog)
        except BaseException:
            place.lock.release()
            raise
        return place

    @classmethod
    def new(
        cls, path: Path, name: str, carried: Carried, dictionaries: Sequence[Dictionary]
    ) -> Place:
        """A new collection that will be at `path`."""
        place = cls(path, name)
        place.home = path.with_name(f".{path.name}.part")
        with write_failures(name):
            if place.home.is_symlink():
                raise FileExistsError(17, f"{place.home} is a link; remove it")
            place.home.mkdir(exist_ok=True)
        place.lock = Lock(place.home, name)
        try:
            place._begin(carried, dictionaries)
        except BaseException:
            place.close()
            raise
        return place

    def _begin(self, carried: Carried, dictionaries: Sequence[Dictionary]) -> None:
        """Fill the hidden folder; whatever a process that was killed left there is removed."""
        with write_failures(self.name):
            _clear(self.home)
            check_free(self.path, self.name)
            for folder in (SEGMENTS, DICTIONARIES):
                (self.home / folder).mkdir()
            for one in dictionaries:
                save(one, dictionary_file(self.home, one.digest))
            sync_folder(self.home / DICTIONARIES)
        self.catalog = Catalog.made(self.home, self.name, carried)

    def appear(self) -> None:
        """Give a new collection its name. Raises OutputError."""
        if self.is_there:
            return
        self.catalog.close()  # what is in the log goes into the file
        with write_failures(self.name):
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
        """Whether the collection can be seen: it has had its first commit."""
        return self.home == self.path

    def close(self) -> None:
        """Let others write; a new collection without a commit is gone."""
        if hasattr(self, "catalog"):
            self.catalog.close()
        if not self.is_there:
            rmtree(self.home, ignore_errors=True)
        self.lock.release()


def check_free(path: str | Path, name: str) -> None:
    """OutputError where something is at the path of a new collection."""
    if os.path.lexists(path):
        raise OutputError(f"{name}: is there already; add to it, or name another")


def dictionary_file(home: Path, digest: str) -> Path:
    """The file of a dictionary in the folder of a collection, by its content digest."""
    return home / DICTIONARIES / f"{digest[:16]}.xml.gz"


def dictionary_in(home: Path, digest: str) -> Dictionary:
    """The dictionary of that content digest in the folder of a collection.

    Raises FormatError and as `load_dictionary` does, in words that go behind "is damaged".
    """
    path = dictionary_file(home, digest)
    try:
        plain_file(path).close()
    except ValueError as error:  # a pipe would never end, nor would a device
        raise FormatError(str(error)) from error
    except OSError as error:
        raise FormatError(reason(error)) from error
    found = load_dictionary(path)
    if found.digest != digest:
        raise FormatError("is another dictionary")
    return found


def _clear(home: Path) -> None:
    """Remove what is in a hidden folder but the lock."""
    for folder in (SEGMENTS, DICTIONARIES):
        if (home / folder).exists():
            rmtree(home / folder)
    for ending in ("", "-wal", "-shm", "-journal"):
        (home / f"{CATALOG}{ending}").unlink(missing_ok=True)


def _remove_orphans(home: Path, catalog: Catalog) -> None:
    """Remove segments that were never committed, or were merged away.

    Readers never do this: they cannot tell what a writer is about to commit.
    """
    folder = home / SEGMENTS
    if folder.is_symlink() or not folder.is_dir():
        raise FormatError(f"{catalog.name}: is damaged: {SEGMENTS} is no folder; {REMEDY}")
    known = {str(number) for (number,) in catalog.rows("SELECT number FROM segments")}
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            ours = entry.name.isdecimal() and entry.is_dir(follow_symlinks=False)
            if ours and entry.name not in known:
                rmtree(entry.path, ignore_errors=True)
