"""A full disk: the message is one line, and earlier commits are kept."""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from sdtext.collections.storage import catalog
from sdtext.collections.storage import writer as writer_module
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OutputError
from tests.collections.stock import (
    FEW,
    RECIPE,
    expected_state,
    names,
    new_collection,
    rows,
    stored_state,
)

resource = pytest.importorskip("resource", reason="only Unix limits the size of a file")
KEPT = "cannot be written: no space left on device; what was added before is kept"


def _failing(place: int, happens: Callable[..., Any]) -> Callable[..., Any]:
    """`happens`, but from the given call on there is no space."""
    left = [place]

    def act(*given: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return happens(*given, **named)

    return act


def _add(path: Path, place: int) -> str:
    """Add documents while the disk gets full at the given place; what is said of it."""
    collection = (
        StoredCollection.open(path) if path.exists() else StoredCollection.create(path, RECIPE)
    )
    with mock.patch("os.fsync", _failing(place, lambda _: None)):
        try:
            with collection.writing() as writer:
                writer.add(rows(names(2, 3), FEW))
                writer.commit()
                writer.add(rows(names(2, 5), FEW))
        except OutputError as error:
            return str(error)
    return ""


@pytest.mark.parametrize("merged", [2, 8])
def test_full_at_any_place(tmp_path: Path, merged: int) -> None:
    place = reached = 0
    output = KEPT
    while output:
        place += 1
        path = tmp_path / f"{place}.sdx"
        with mock.patch("os.fsync"), StoredCollection.create(path, RECIPE).writing() as writer:
            writer.add(rows(names(3), FEW))
        with mock.patch.object(writer_module, "_MANY", merged):
            output = _add(path, place)
        assert output in ("", f"{path}: {KEPT}")
        collection = StoredCollection.open(path)
        assert stored_state(collection) in [
            expected_state(names(number), FEW) for number in (3, 5, 7)
        ]
        assert list(collection.verify()) == []
        there = {item.name for item in (path / "segments").iterdir()}
        assert {str(segment.number) for segment in collection.segments()} == there
        reached = max(reached, len(collection))
    assert reached == 7
    assert place > 8


def test_nothing_is_left_of_a_new_one(tmp_path: Path) -> None:
    collection = StoredCollection.create(tmp_path / "x.sdx", RECIPE)
    for place in range(1, 5):
        with (
            mock.patch("os.fsync", _failing(place, os.fsync)),
            pytest.raises(OutputError, match=r"no space left on device$"),
            collection.writing() as writer,
        ):
            writer.add(rows(names(2), FEW))
    assert list(tmp_path.iterdir()) == []


@contextmanager
def no_longer_than(size: int) -> Iterator[None]:
    """No file may become longer, in bytes: nor may that to which the tests' own output goes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_reading_goes_on(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", names(3))
    with no_longer_than(100):  # SQLite needs 32 KB beside a log
        collection = StoredCollection.open(path)
        assert stored_state(collection) == expected_state(names(3))
        assert list(collection.verify()) == []
    assert not _log(path).exists() or _log(path).stat().st_size == 0


def _log(path: Path) -> Path:
    return path / "catalog.sqlite-wal"


def test_what_is_in_a_log_is_never_passed_over(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", names(3))
    with StoredCollection.open(path).writing() as writer:
        writer.add(rows(names(2, 3)))
        writer.commit()
        copytree(path, tmp_path / "y.sdx", ignore=lambda *_: ["catalog.sqlite-shm"])
    assert _log(tmp_path / "y.sdx").stat().st_size > 0
    with no_longer_than(100), pytest.raises(OutputError, match=r"y\.sdx: "):
        StoredCollection.open(tmp_path / "y.sdx")
    assert stored_state(StoredCollection.open(tmp_path / "y.sdx")) == expected_state(names(5))


@pytest.mark.parametrize(("free", "words"), [(0, "no space left on"), (1 << 30, "its disk has")])
def test_a_failing_disk_differs_from_a_full_one(tmp_path: Path, free: int, words: str) -> None:
    path = new_collection(tmp_path / "x.sdx", names(3))
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    with (
        mock.patch.object(catalog, "disk_usage", return_value=SimpleNamespace(free=free)),
        pytest.raises(OutputError, match=words),
        catalog.failures("x.sdx", path),
    ):
        raise error


@pytest.mark.parametrize("size", [0, 100, 1000, 5000, 33_000, 40_000])
def test_the_system_itself_refuses(tmp_path: Path, size: int) -> None:
    path = new_collection(tmp_path / "x.sdx", names(3))
    collection = StoredCollection.open(path)
    new = names(400, 3)
    with (
        no_longer_than(size),
        pytest.raises(OutputError, match=r"x\.sdx: .*(too large|disk|space|locked|written)"),
        collection.writing() as writer,
    ):
        writer.add(rows(new))
    assert stored_state(StoredCollection.open(path)) == expected_state(names(3))
    with collection.writing() as writer:
        writer.add(rows(new))
    assert len(collection) == 403
    assert list(collection.verify()) == []
