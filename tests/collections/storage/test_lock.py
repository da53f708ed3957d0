"""One writer at a time: a second fails at once, and a lock dies with its process."""

import subprocess
import sys
from pathlib import Path

import pytest

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OutputError, UnreadableError
from tests.collections.stock import RECIPE, names, new_collection, rows, stored_state

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
        cwd=Path(__file__).parents[3],
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
    (path / "lock").mkdir()
    with (
        pytest.raises(OutputError, match="cannot be written to"),
        StoredCollection.open(path).writing(),
    ):
        pass
    (path / "lock").rmdir()
    (path / "lock").symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(OutputError, match="cannot be written to"),
        StoredCollection.open(path).writing(),
    ):
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
