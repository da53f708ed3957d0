"""After a kill or on a full disk every commit is whole, and adding continues."""

import errno
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from sdtext.collections.storage import catalog
from sdtext.collections.storage import writer as writer_module
from sdtext.collections.storage.catalog import Catalog
from sdtext.collections.storage.writer import CollectionWriter, WritableFolder
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OutputError
from tests.collections.stock import (
    FEW,
    RECIPE,
    State,
    content,
    expected_state,
    names,
    new_collection,
    rows,
    stored_state,
)

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]

STEPS: tuple[Callable[[CollectionWriter], object], ...] = (
    lambda writer: writer.add(rows(names(3), FEW)),
    lambda writer: writer.add(rows(names(3, 2), FEW)),  # letters/2.txt takes its own place
    lambda writer: writer.remove([1, 5]),
    lambda writer: writer.add(rows(names(2, 6), FEW)),
    lambda writer: writer.compact(),
)
STATES: tuple[State, ...] = (
    expected_state(names(3), FEW),
    expected_state(names(5), FEW),
    expected_state(["letters/1.txt", "letters/2.txt", "letters/4.txt"], FEW),
    expected_state(["letters/1.txt", "letters/2.txt", "letters/4.txt", *names(2, 6)], FEW),
)
"""What there is after each commit; the last step changes nothing that can be seen."""


UNSEEN = ("BEGIN", "CREATE", "INSERT", "DELETE", "PRAGMA query_only", "PRAGMA busy_timeout")


@pytest.fixture
def _swift() -> Iterator[None]:
    """Two segments are enough to be merged, and nothing waits for the disk.

    Whoever is killed leaves to the system what he has written; a loss of power would not.
    """
    with (
        mock.patch.object(writer_module, "_MANY", 2),
        mock.patch("os.fsync"),
        mock.patch.object(Catalog, "_durable"),
        mock.patch.object(catalog, "_SAFETY", (*catalog._SAFETY, "synchronous = OFF")),
    ):
        yield


def work(path: Path, first: int, done: Callable[[], object] = lambda: None) -> None:
    """The steps from `first` on, each with a commit."""
    there = path.exists()
    collection = StoredCollection.open(path) if there else StoredCollection.create(path, RECIPE)
    with collection.writing() as writing:
        for step in STEPS[first:]:
            step(writing)
            writing.commit()
            done()


def child(task: Callable[[Callable[[], object]], object]) -> tuple[int, int]:
    """Run a task in a process of its own; its number, and where it tells of each commit."""
    reported, telling = os.pipe()
    number = os.fork()
    if number == 0:
        try:
            task(lambda: os.write(telling, b"."))
        finally:
            os._exit(0)
    os.close(telling)
    return number, reported


def ended(number: int, message: int) -> tuple[bool, int]:
    """Whether the process came to its own end, and how many commits it has told of."""
    _, status = os.waitpid(number, 0)
    with os.fdopen(message, "rb") as file:
        return os.WIFEXITED(status), len(file.read())


def killed_at(path: Path, place: int, done: Callable[[], object]) -> None:
    """Do the work; at the given place of all where something happens on the disk, be killed.

    Of SQLite these are the places where it writes: within a transaction nothing can be seen.
    """
    left = [place]

    def counted(happens: Callable[..., object]) -> Callable[..., object]:
        def act(*given: Any, **named: Any) -> object:
            if not (isinstance(given[0], Catalog) and given[1].startswith(UNSEEN)):
                left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return happens(*given, **named)

        return act

    for owner, name in (
        (os, "fsync"), (Catalog, "run"), (WritableFolder, "appear"), (writer_module, "discard"),
        (Path, "rename"), (Path, "mkdir"),
    ):  # fmt: skip
        setattr(owner, name, counted(getattr(owner, name)))
    work(path, 0, done)


def state_of(path: Path) -> int:
    """How many steps have been done to the collection."""
    if not path.exists():
        return 0
    collection = StoredCollection.open(path)
    assert list(collection.verify()) == []
    return STATES.index(stored_state(collection)) + 1


@pytest.mark.usefixtures("_swift")
@pytest.mark.parametrize("stride", [4, pytest.param(1, marks=pytest.mark.deep)])
def test_a_kill_at_every_write_leaves_the_last_commit(tmp_path: Path, stride: int) -> None:
    finished = False
    place = 0
    reached = set()
    while not finished:
        place += stride
        path = tmp_path / f"{place}.sdx"
        finished, reported = ended(*child(partial(killed_at, path, place)))
        state = state_of(path)
        assert state >= min(reported, len(STATES))
        reached.add(state)
        work(path, state)
        assert state_of(path) == len(STATES)
        assert _leftovers(path) == set()
    assert place > 50
    assert reached == {0, 1, 2, 3, 4}


def _leftovers(path: Path) -> set[str]:
    """What is on the disk of segments that are not in the catalog, and of unfinished work."""
    listed = {str(item.number) for item in StoredCollection.open(path).segments()}
    there = {item.name for item in (path / "segments").iterdir()}
    return (there - listed) | {item.name for item in path.parent.iterdir() if "part" in item.name}


def test_all_is_on_the_disk_before_it_is_committed(tmp_path: Path) -> None:
    synced: list[str] = []
    seen: list[tuple[str, set[str]]] = []
    sync, run, rename = os.fsync, Catalog.run, Path.rename

    def syncing(handle: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        sync(handle)

    def running(catalog: Catalog, statement: str, *values: object) -> None:
        if statement == "COMMIT":
            seen.append((statement, set(synced)))
        run(catalog, statement, *values)

    def renaming(path: Path, target: Path) -> Path:
        seen.append(("rename", set(synced)))
        return rename(path, target)

    path = tmp_path / "x.sdx"
    with (
        mock.patch("os.fsync", syncing),
        mock.patch.object(Catalog, "run", running),
        mock.patch.object(Path, "rename", renaming),
    ):
        new_collection(path, names(3))
    home = tmp_path / ".x.sdx.part"
    files = {str(home / name) for name in content(path)} | {str(home / "segments" / "1")}
    assert len(files) == 13
    what, before = seen[-2]
    assert (what, files - before) == ("COMMIT", set())
    assert str(home / "segments") in before
    what, before = seen[-1]
    assert (what, str(home) in before) == ("rename", True)
    assert synced[-1] == str(tmp_path)


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
