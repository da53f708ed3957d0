"""After a kill at any moment every commit is whole, and adding continues."""

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from sdtext.collections.storage import catalog
from sdtext.collections.storage import writer as writer_module
from sdtext.collections.storage.catalog import Catalog
from sdtext.collections.storage.writer import CollectionWriter, WritableFolder
from sdtext.collections.stored_collection import StoredCollection
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
        (os, "fsync"),
        (Catalog, "run"),
        (WritableFolder, "appear"),
        (writer_module, "discard"),
        (Path, "rename"),
        (Path, "mkdir"),
    ):
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
