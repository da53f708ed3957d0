"""Files that appear whole or not at all, and temporary files without names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdtext.io.decompressed_content import unnamed_file
from sdtext.io.output import written

KILLED = """
import os, signal, sys
from sdtext.io.output import written
with written(sys.argv[1]) as file:
    file.write(bytes(1 << 20))
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
unnamed = pytest.mark.skipif(
    not hasattr(os, "O_TMPFILE") or not Path("/proc/self/fd").is_dir(), reason="needs unnamed files"
)


@unnamed
def test_nothing_is_left_of_a_file_whose_writer_is_killed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    process = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "out" / "x"], check=False)
    assert process.returncode < 0
    assert list((tmp_path / "out").iterdir()) == []


def test_a_file_replaces_another_and_has_its_owner_s_mode(tmp_path: Path) -> None:
    for private, old in ((False, ""), (True, "first")):
        with written(tmp_path / "x", private=private) as file:
            file.write(b"first" if not old else b"second")
            assert not old or (tmp_path / "x").read_text() == old
    assert (tmp_path / "x").read_text() == "second"
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@unnamed
def test_a_temporary_file_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with unnamed_file("x") as (store, path):
        read = [sys.executable, "-c", f"open({str(path)!r}, 'wb').write(b'words')"]
        subprocess.run(read, check=True)
        assert store.read(0, 99) == b"words"
        assert list(tmp_path.iterdir()) == []
