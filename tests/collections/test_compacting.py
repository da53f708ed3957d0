"""Compaction leaves no trace of removed documents on disk, or reports that it does."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sdtext.collections.storage import catalog
from sdtext.collections.stored_collection import StoredCollection
from tests.collections.stock import names, new_collection


def on_disk(path: Path) -> bytes:
    return b"".join(item.read_bytes() for item in sorted(path.rglob("*")) if item.is_file())


def test_compacting_leaves_nothing_of_what_was_removed(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", names(20))
    with closing(sqlite3.connect(path / "catalog.sqlite")) as file, file:
        file.execute("PRAGMA secure_delete = OFF")  # as another program may leave it
        lines = [(f"key {place}", f"secret {place} " * 99) for place in range(99)]
        file.executemany("INSERT INTO meta VALUES (?, ?)", lines)
        file.execute("DELETE FROM meta WHERE key LIKE 'key %'")
    collection = StoredCollection.open(path)
    collection.remove([4])
    assert b"letters/3.txt" in on_disk(path)
    assert b"secret 3" in on_disk(path)
    assert collection.compact()
    assert len(collection) == 19  # it is still open
    for word in (b"letters/3.txt", b"secret", b"digest of letters/3.txt"):
        assert word not in on_disk(path)
    assert b"letters/4.txt" in on_disk(path)
    numbers = [segment.number for segment in collection.segments()]
    assert collection.compact()
    assert [
        segment.number for segment in collection.segments()
    ] == numbers  # there was nothing to do


def test_a_reader_keeps_what_it_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_SHORT", 1)
    path = new_collection(tmp_path / "x.sdx", names(20))
    reader, writer = StoredCollection.open(path), StoredCollection.open(path)
    writer.remove([4])
    assert not writer.compact()
    assert len(list(reader.documents())) == 20
    del reader
    assert writer.compact()
    assert b"letters/3.txt" not in on_disk(path)
