"""Where documents are kept while they are compared: a folder that is gone at the end.

A process that is killed leaves its folder. The next one that works in the same place removes it:
a lock that the kernel keeps says whose process is no more, and nothing is guessed by its age.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from sdtext.collections.storage.lock import LOCK, Lock
from sdtext.errors import OutputError, reason, shown

JUDGED = "judged.sdx"
"""The collection in such a folder."""
_PREFIX = ".sdtext-deduplicate-"
_OURS = {LOCK, JUDGED, f".{JUDGED}.part"}


@contextmanager
def temporary(folder: str | Path | None) -> Iterator[Path]:
    """A new folder below `folder`, or where the system has such; gone at the end.

    What processes that were killed left beside it is removed. Raises OutputError.
    """
    try:
        place = Path(mkdtemp(prefix=_PREFIX, dir=folder))
    except OSError as error:
        where = shown(folder or os.curdir)
        raise OutputError(f"{where}: cannot create a folder in it: {reason(error)}") from error
    try:
        with _held(place):
            remove_leftovers(place.parent)
            yield place
    finally:
        _clear(place)
        rmtree(place, ignore_errors=True)


def remove_leftovers(folder: Path) -> None:
    """Remove the folders in `folder` that processes left which are no more."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                _remove_left(Path(entry.path))


def _remove_left(place: Path) -> None:
    """Remove a folder if it was in use, holds nothing else, and no process has its lock.

    One that has nothing but the lock is just being made: it is filled only under the lock.
    """
    with suppress(OSError, OutputError):
        inside = {entry.name for entry in os.scandir(place)}
        if {LOCK} < inside <= _OURS:
            with _held(place):
                _clear(place)
            rmtree(place)


def _clear(place: Path) -> None:
    """Remove all but the lock: what is left by a process that is killed here can still be told."""
    for name in _OURS - {LOCK}:
        rmtree(place / name, ignore_errors=True)


@contextmanager
def _held(place: Path) -> Iterator[None]:
    lock = Lock(place, shown(place))
    try:
        yield
    finally:
        lock.release()
