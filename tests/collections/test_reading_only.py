"""Other processes: one writer at a time, readers that may not write or that see a change."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OutputError, UnreadableError
from tests.collections.stock import (
    RECIPE,
    expected_state,
    names,
    new_collection,
    rows,
    stored_state,
)

_READER = """
import os, sys
import numpy as np
from sdtext.collections.stored_collection import StoredCollection
from tests.collections.stock import stored_state
def look():
    collection = StoredCollection.open(sys.argv[1])
    return len(stored_state(collection)), len(list(collection.verify())), collection.segments()
look()  # loads what it needs, which that user may not read
os.setuid(65534)
documents, problems, (segment, *_) = look()
print(documents, problems)
print(segment.derived("key", lambda: np.arange(3)).tolist())
"""


def read_by_another(path: Path) -> str:
    return subprocess.run(
        [sys.executable, "-c", _READER, path],
        capture_output=True,
        check=True,
        text=True,
        cwd=Path(__file__).parents[2],
    ).stdout


@pytest.fixture
def path(tmp_path: Path) -> Path:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 0o001 and folder.owner() == "root":
            folder.chmod(0o755)
    return new_collection(tmp_path / "x.sdx", names(5))


def test_another_user_reads_it(path: Path) -> None:
    before = sorted(path.rglob("*"))
    assert read_by_another(path) == "5 0\n[0, 1, 2]\n"
    assert sorted(path.rglob("*")) == before


def test_another_user_reads_it_while_it_is_written(path: Path) -> None:
    with StoredCollection.open(path).writing() as writer:
        writer.add(rows(["new.txt"]))
        writer.commit()
        assert read_by_another(path).startswith("6 0\n")


def test_a_change_under_a_reader_without_locks_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = new_collection(tmp_path / "x.sdx", names(5))
    with monkeypatch.context() as patch:
        patch.setattr("os.access", lambda *_: False)
        reader = StoredCollection.open(path)
        assert stored_state(reader) == expected_state(names(5))
    assert not (path / "catalog.sqlite-wal").exists()
    with StoredCollection.open(path).writing() as writer:
        writer.add(rows(["new.txt"]))
    with pytest.raises(UnreadableError, match="was changed by another process; start again"):
        list(reader.documents())
    assert set(stored_state(StoredCollection.open(path))) == {*names(5), "new.txt"}


_HOLDER = """
import sys
from sdtext.collections.stored_collection import StoredCollection
from tests.collections.stock import rows
with StoredCollection.open(sys.argv[1]).writing() as writer:
    writer.add(rows(["lost.txt"]))
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_a_second_writer_learns_which_process_is_writing(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", names(3))
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert holder.stdin
    assert holder.stdout
    with holder:
        assert holder.stdout.readline() == b"begun\n"
        collection = StoredCollection.open(path)  # readers do not wait
        assert len(collection) == 3
        with pytest.raises(OutputError) as refused, collection.writing():
            pass
        assert str(refused.value) == (
            f"{path}: process {holder.pid} is writing to it; wait until it ends, or stop it"
        )
        holder.kill()
        holder.wait()
        with collection.writing() as writer:
            writer.add(rows(["more.txt"]))
    assert set(stored_state(collection)) == {*names(3), "more.txt"}


def test_a_collection_that_is_being_created_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "x.sdx"
    with StoredCollection.create(path, RECIPE).writing() as writer:
        with pytest.raises(UnreadableError, match="there is no such collection"):
            StoredCollection.open(path)
        writer.add(rows(["a.txt"]))
        writer.commit()
        assert len(StoredCollection.open(path)) == 1


def test_a_failure_to_lock_is_reported(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", names(3))
    (path / "lock").unlink()
    collection = StoredCollection.open(path)
    (path / "lock").mkdir()
    with pytest.raises(OutputError, match="cannot be written to"), collection.writing():
        pass
    (path / "lock").rmdir()
    (path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="cannot be written to"), collection.writing():
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_new_collection_whose_folder_is_in_use_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("sdtext.collections.storage.writer.IS_UNIX", False)  # unlocked to rename
    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(OutputError, match=r"x\.sdx: cannot be written"):
        new_collection(tmp_path / "x.sdx", names(3))
    assert [*tmp_path.iterdir()] == []
