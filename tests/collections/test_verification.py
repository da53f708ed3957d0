"""What is read of a collection is verified, once; damage is left out or refused, never copied."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from unittest import mock

import pytest

import sdtext
from sdtext.collections.storage import arrays
from sdtext.collections.storage import writer as writer_module
from sdtext.collections.stored_collection import StoredCollection, faults_at
from sdtext.errors import FormatError, OptionError
from sdtext.io.platform import IS_UNIX
from tests.collections.stock import FEW, RECIPE, names, new_collection, rows, stored_state
from tests.collections.stock import change as forge

OLD = 1_600_000_000  # seconds; of files that were written long ago


def of_six(path: Path, in_segment: int) -> Path:
    """A collection of six documents, so many in each segment."""
    with StoredCollection.create(path, RECIPE).writing() as writer:
        for place in range(0, 6, in_segment):
            writer.add(rows(names(6)[place : place + in_segment], FEW))
            writer.commit()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A collection of three segments with two documents each, of which the last is removed."""
    StoredCollection.open(of_six(tmp_path / "x.sdx", 2)).remove([6])
    return tmp_path / "x.sdx"


def flip(path: Path, file: str, place: int = -1) -> Path:
    """Flip a bit in a file of a collection; its path."""
    data = bytearray((path / file).read_bytes())
    data[place] ^= 1
    (path / file).write_bytes(data)
    return path / file


def change(path: Path, statement: str) -> None:
    """Change the catalog behind the back of its digest."""
    with closing(sqlite3.connect(path / "catalog.sqlite")) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize("array", ["sketches", "shingles", "shingles.offsets"])
def test_a_damaged_array_is_refused_when_it_is_read(path: Path, array: str) -> None:
    file = flip(path, f"segments/2/{array}.npy", -9 if "offsets" in array else -1)
    collection = StoredCollection.open(path)
    assert len(list(collection)) == 5  # which reads none of it
    with pytest.raises(FormatError) as refused:
        stored_state(collection)
    assert str(refused.value).startswith(f"{file}: is damaged: its content does not match its ch")


@pytest.mark.parametrize("place", [-1, -3, -8, -9])
def test_damaged_ids_are_refused_when_a_collection_is_opened(path: Path, place: int) -> None:
    file = flip(path, "segments/2/ids.npy", place)
    with pytest.raises(FormatError, match=f"^{file}: is damaged: "):
        StoredCollection.open(path)
    with suppress(FormatError):
        stored_state(StoredCollection.open(path, verify=False))


def test_each_file_is_verified_once_by_a_process(path: Path) -> None:
    for file in path.rglob("*"):
        os.utime(file, (OLD, OLD))
    read: list[Path] = []
    real = arrays.checksum_of

    def noting(file: Path, size: int) -> str:
        read.append(file)
        return real(file, size)

    with (
        mock.patch.object(arrays, "checksum_of", noting),
        mock.patch("sdtext.collections.storage.arrays._SETTLED", -1),
    ):
        for _ in range(3):
            stored_state(StoredCollection.open(path))
    assert sorted(read) == sorted(path.glob("segments/*/*.npy"))


def test_a_file_that_has_just_been_written_is_verified_again(path: Path) -> None:
    stored_state(StoredCollection.open(path))
    flip(path, "segments/1/sketches.npy")
    with pytest.raises(FormatError, match=r"1/sketches\.npy: is damaged"):
        stored_state(StoredCollection.open(path))


def test_without_verification_the_disk_is_trusted(path: Path) -> None:
    flip(path, "segments/1/sketches.npy")
    with sdtext.open(path, verify=False) as collection:
        assert len(stored_state(collection.stored)) == 5


@pytest.mark.skipif(not IS_UNIX, reason="Windows renames no folder in use")
@pytest.mark.parametrize("file", ["sketches.npy", "shingles.offsets.npy", "ids.npy", ""])
def test_damaged_segments_are_left_out_on_request(path: Path, file: str) -> None:
    expected = stored_state(StoredCollection.open(path))
    damaged = path / "segments" / "2" / file
    if file:
        flip(path, f"segments/2/{file}", -9 if file != "sketches.npy" else -1)
    else:
        damaged.rename(path / "elsewhere")
    with pytest.raises(FormatError):
        stored_state(StoredCollection.open(path))
    with sdtext.open(path, skip_damaged=True) as collection:
        (problem,) = collection.problems
        assert (problem.severity, problem.category) == ("warning", "skipped-segment")
        assert "segments/2" in problem.message
        assert "2 documents is left out of all results" in problem.message
        left = set(names(6)) - {"letters/2.txt", "letters/3.txt", "letters/5.txt"}
        assert stored_state(collection.stored) == {name: expected[name] for name in left}
        assert (len(collection), collection.stored.ids().tolist()) == (3, [1, 2, 5])
        assert [document.id for document in collection.documents("year > 0")] == [1, 2, 5]
        with pytest.raises(OptionError, match="only read"), collection.stored.writing():
            pass


CHANGES = (
    "UPDATE documents SET removed = 1 WHERE id = 2",
    "UPDATE documents SET removed = NULL WHERE id = 6",
    "UPDATE documents SET size = size + 1 WHERE id = 3",
    "UPDATE documents SET metadata = '{}' WHERE id = 3",
    "UPDATE segments SET documents = '[\"x\"]' WHERE number = 2",
    "DELETE FROM documents WHERE id = 4",
    "UPDATE meta SET value = 'another' WHERE key = 'guid'",
    "UPDATE meta SET value = '9' WHERE key = 'next_segment'",
    "UPDATE meta SET value = '0' WHERE key = 'digest'",
    "DELETE FROM meta WHERE key = 'digest'",
    "INSERT INTO meta VALUES ('other', '')",
    "UPDATE segments SET files = replace(files, ' ', '  ')",
)


@pytest.mark.parametrize("statement", CHANGES)
def test_a_changed_catalog_is_refused_and_reported(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(FormatError, match=r"catalog\.sqlite: is damaged") as refused:
        list(StoredCollection.open(path))
    assert str(path) in str(refused.value)
    problems = list(faults_at(path, "x.sdx"))
    assert {problem.category for problem in problems} == {"damaged"}
    assert any("catalog.sqlite" in problem.message for problem in problems)


def test_only_the_block_of_a_document_is_verified_with_it(tmp_path: Path) -> None:
    path = tmp_path / "x.sdx"
    with StoredCollection.create(path, RECIPE).writing() as writer:
        writer.add(rows(names(600), FEW))
    forge(path, "UPDATE documents SET size = 77 WHERE id = 400")
    collection = StoredCollection.open(path)
    assert [document.id for document in collection.take([600, 9999, 1, 256])] == [600, 1, 256]
    with pytest.raises(FormatError, match="documents 257 to 512 do not match"):
        collection.take([257])
    with pytest.raises(FormatError, match="documents 257 to 512 do not match"):
        list(collection.named(["letters/0.txt"]))


@pytest.fixture
def six(tmp_path: Path) -> Path:
    """A collection of six segments with a document each."""
    return of_six(tmp_path / "x.sdx", 1)


def damaged_paths(six: Path) -> list[str]:
    return [item.path for item in StoredCollection.open(six).verify()]


def numbers(six: Path) -> list[int]:
    return [segment.number for segment in StoredCollection.open(six).segments()]


def test_what_is_damaged_is_not_compacted(six: Path) -> None:
    file = str(flip(six, "segments/2/sketches.npy"))
    with pytest.raises(FormatError, match="its content does not match its checksum") as refused:
        StoredCollection.open(six).compact()
    assert str(refused.value).startswith(f"{file}: is damaged: ")
    assert numbers(six) == [1, 2, 3, 4, 5, 6]
    assert damaged_paths(six) == [file]
    StoredCollection.open(six).remove([2])  # whoever gives up the document is rid of the damage
    StoredCollection.open(six).compact()
    assert (len(numbers(six)), damaged_paths(six)) == (1, [])
    assert set(stored_state(StoredCollection.open(six))) == {*names(6)} - {"letters/1.txt"}
    file = str(flip(six, f"segments/{numbers(six)[0]}/sketches.npy"))
    with pytest.raises(FormatError, match="its content"):  # there would be nothing to copy
        StoredCollection.open(six).compact()
    assert damaged_paths(six) == [file]


def test_damaged_documents_are_not_merged(six: Path) -> None:
    forge(six, "UPDATE documents SET size = 77 WHERE id = 3")
    with pytest.raises(FormatError, match="documents 3 to 3 do not match their checksum"):
        StoredCollection.open(six).compact()
    assert numbers(six) == [1, 2, 3, 4, 5, 6]
    assert damaged_paths(six) == [str(six / "catalog.sqlite")]


def test_a_segment_whose_numbers_are_damaged_is_not_dropped(tmp_path: Path) -> None:
    six = new_collection(tmp_path / "x.sdx", names(3))
    StoredCollection.open(six).remove([3])
    file = six / "segments" / "1" / "ids.npy"
    data = file.read_bytes()
    third = data[-8:]
    file.write_bytes(data[:-24] + third * 3)  # as if all in it were removed
    with pytest.raises(FormatError, match=r"ids\.npy: is damaged: its content"):
        StoredCollection.open(six).compact()
    file.write_bytes(data)
    assert set(stored_state(StoredCollection.open(six))) == set(names(2))


def test_what_is_damaged_is_not_merged_and_the_rest_is(six: Path) -> None:
    file = str(flip(six, "segments/3/sketches.npy"))
    collection = StoredCollection.open(six)
    with mock.patch.object(writer_module, "_MANY", 2), collection.writing() as writer:
        writer.add(rows(["new.txt"], FEW))
        writer.commit()
        assert "new.txt" in [document.name for document in collection.documents()]
    assert numbers(six)[1] == 3
    assert len(numbers(six)) == 3  # what is before it, itself, what is behind it
    assert damaged_paths(six) == [file]
    with pytest.raises(FormatError, match="its content does not match its checksum"):
        stored_state(StoredCollection.open(six))
    unverified = StoredCollection.open(six, verify=False)
    assert set(stored_state(unverified)) == {*names(6), "new.txt"}
