"""Damaged bytes are never copied under a valid checksum."""

from pathlib import Path
from unittest import mock

import pytest

from sdtext.collections.storage import writer as writer_module
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError
from tests.collections.stock import FEW, RECIPE, change, names, new_collection, rows, stored_state


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A collection of six segments with a document each."""
    with StoredCollection.create(tmp_path / "x.sdx", RECIPE).writing() as writer:
        for name in names(6):
            writer.add(rows([name], FEW))
            writer.commit()
    return tmp_path / "x.sdx"


def flipped(path: Path, number: int, name: str = "sketches") -> str:
    """Flip a bit in an array of a segment; the file."""
    file = path / "segments" / str(number) / f"{name}.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    return str(file)


def damaged_paths(path: Path) -> list[str]:
    """The files that are damaged."""
    return [item.path for item in StoredCollection.open(path).verify()]


def numbers(path: Path) -> list[int]:
    return [segment.number for segment in StoredCollection.open(path).segments()]


def test_what_is_damaged_is_not_compacted(path: Path) -> None:
    file = flipped(path, 2)
    with pytest.raises(FormatError, match="its content does not match its checksum") as refused:
        StoredCollection.open(path).compact()
    assert str(refused.value).startswith(f"{file}: is damaged: ")
    assert numbers(path) == [1, 2, 3, 4, 5, 6]
    assert damaged_paths(path) == [file]
    StoredCollection.open(path).remove([2])  # whoever gives up the document is rid of the damage
    StoredCollection.open(path).compact()
    assert (len(numbers(path)), damaged_paths(path)) == (1, [])
    assert set(stored_state(StoredCollection.open(path))) == {*names(6)} - {"letters/1.txt"}
    file = flipped(path, numbers(path)[0])
    with pytest.raises(FormatError, match="its content"):  # there would be nothing to copy
        StoredCollection.open(path).compact()
    assert damaged_paths(path) == [file]


def test_damaged_documents_are_not_merged(path: Path) -> None:
    change(path, "UPDATE documents SET size = 77 WHERE id = 3")
    with pytest.raises(FormatError, match="documents 3 to 3 do not match their checksum"):
        StoredCollection.open(path).compact()
    assert numbers(path) == [1, 2, 3, 4, 5, 6]
    assert damaged_paths(path) == [str(path / "catalog.sqlite")]


def test_a_segment_whose_numbers_are_damaged_is_not_dropped(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", names(3))
    StoredCollection.open(path).remove([3])
    file = path / "segments" / "1" / "ids.npy"
    data = file.read_bytes()
    third = data[-8:]
    file.write_bytes(data[:-24] + third * 3)  # as if all in it were removed
    with pytest.raises(FormatError, match=r"ids\.npy: is damaged: its content"):
        StoredCollection.open(path).compact()
    file.write_bytes(data)
    assert set(stored_state(StoredCollection.open(path))) == set(names(2))


def test_what_is_damaged_is_not_merged_and_the_rest_is(path: Path) -> None:
    file = flipped(path, 3)
    collection = StoredCollection.open(path)
    with mock.patch.object(writer_module, "_MANY", 2), collection.writing() as writer:
        writer.add(rows(["new.txt"], FEW))
        writer.commit()
        assert "new.txt" in [document.name for document in collection.documents()]
    assert numbers(path)[1] == 3
    assert len(numbers(path)) == 3  # what is before it, itself, what is behind it
    assert damaged_paths(path) == [file]
    with pytest.raises(FormatError, match="its content does not match its checksum"):
        stored_state(StoredCollection.open(path))
    unverified = StoredCollection.open(path, verify=False)
    assert set(stored_state(unverified)) == {*names(6), "new.txt"}
