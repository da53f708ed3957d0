"""Damaged and hostile collections are refused by name and reported by `verify`."""

import json
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from shutil import copytree

import numpy as np
import pytest

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError, SdtextError
from sdtext.model import PartSpec, RecipeSpec
from tests.collections.stock import change, names, new_collection, stored_state

REMEDY = "restore it from a backup or create the collection again"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_collection(tmp_path_factory.mktemp("whole") / "x.sdx", names(9))


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    return copytree(whole, tmp_path / "x.sdx")


def refused(path: Path) -> str:
    """What is said when the collection is opened, and all in it read."""
    with pytest.raises(FormatError) as error:
        stored_state(StoredCollection.open(path))
    assert "\n" not in str(error.value)
    return str(error.value)


def damages(path: Path) -> list[str]:
    try:
        problems = list(StoredCollection.open(path).verify())
    except FormatError as error:
        return [str(error)]
    assert {(item.severity, item.category) for item in problems} <= {("error", "damaged")}
    return [item.message for item in problems]


@pytest.mark.parametrize("length", [0, 1, 60, 128, 140])
def test_every_cut_file_is_refused(path: Path, length: int) -> None:
    for file in sorted(path.glob("segments/1/*.npy")):
        data = file.read_bytes()
        file.write_bytes(data[:length])
        assert str(file) in refused(path)
        file.write_bytes(data + b"more")
        assert "bytes instead of" in refused(path)
        file.unlink()
        assert f"segments/1/{file.name} is missing; {REMEDY}" in refused(path)
        file.symlink_to("/dev/zero")
        assert "is not a plain file" in refused(path)
        file.unlink()
        file.write_bytes(data)


HEADS = (
    "{'descr': '|O', 'fortran_order': False, 'shape': (9,), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (9000000000000000000,), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (-9,), }",
    "{'descr': '<i8', 'fortran_order': True, 'shape': (3, 3), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (8,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }",
    "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (9,), }",
    "{'descr': ('<i8', (9,)), 'fortran_order': False, 'shape': (1,), }",
    "__import__('os')",
    "((((((((((",
    "\0",
)


@pytest.mark.parametrize("head", HEADS)
def test_strange_heads_of_arrays_are_refused(path: Path, head: str) -> None:
    file = path / "segments" / "1" / "ids.npy"
    data = file.read_bytes()
    file.write_bytes(data[:10] + head.ljust(117).encode() + b"\n" + data[128:])
    assert "ids.npy: is damaged: " in refused(path)


def test_every_changed_part_of_the_catalog_is_no_traceback(path: Path) -> None:
    random = Random(4)
    file = path / "catalog.sqlite"
    data = file.read_bytes()
    used = [place for place, byte in enumerate(data) if byte]
    result = 0
    for _ in range(150):
        changed = bytearray(data)
        start = random.choice(used)
        for place in range(start, min(len(data), start + random.choice((1, 1, 8, 100)))):
            changed[place] = random.randrange(256)
        file.write_bytes(changed)
        for name in ("catalog.sqlite-wal", "catalog.sqlite-shm"):
            (path / name).unlink(missing_ok=True)
        output = _all_messages(path)
        assert "\n" not in output
        result += bool(output)
    assert result > 100


def _all_messages(path: Path) -> str:
    """What is said of a collection that is opened, verified, read and written to."""
    try:
        collection = StoredCollection.open(path)
        for problem in collection.verify():
            return problem.message
        with suppress(AssertionError):  # of `stored_state`: a document that is marked as removed
            stored_state(collection)
        collection.remove([1, 2])
    except SdtextError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("length", [0, 50, 4096, 5000])
def test_a_cut_catalog_is_refused(path: Path, length: int) -> None:
    file = path / "catalog.sqlite"
    file.write_bytes(file.read_bytes()[:length])
    assert "catalog.sqlite" in refused(path)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("CREATE TRIGGER evil AFTER INSERT ON meta BEGIN SELECT 1; END", "not that of a coll"),
        ("CREATE VIEW evil AS SELECT 1", "not that of a collection"),
        ("DROP INDEX documents_by_name", "not that of a collection"),
        ("ALTER TABLE documents ADD COLUMN more", "not that of a collection"),
        ("UPDATE meta SET value = '2.0' WHERE key = 'version'", "in version 2.0 of the format"),
        ("UPDATE meta SET value = '1.1' WHERE key = 'version'", "in version 1.1 of the format"),
        ("UPDATE meta SET value = 'x' WHERE key = 'version'", "names no version"),
        ("DELETE FROM meta WHERE key = 'recipe'", "recipe cannot be read"),
        ("UPDATE meta SET value = '[' WHERE key = 'recipe'", "its recipe cannot be read"),
        (
            "UPDATE meta SET value = replace(value, 'lowercase', 'later') WHERE key = 'recipe'",
            "its recipe cannot be used here",
        ),
        ("UPDATE meta SET value = '9' WHERE key = 'dictionaries'", "is incomplete"),
        ("UPDATE meta SET value = '[\"../up\"]' WHERE key = 'dictionaries'", "is incomplete"),
        ("UPDATE meta SET value = '[]' WHERE key = 'arrays'", "is incomplete"),
        ("UPDATE meta SET value = '-1' WHERE key = 'next_document'", "is incomplete"),
        ("UPDATE meta SET value = '[[1e999],[1]]' WHERE key = 'coefficients'", "is incomplete"),
        ("UPDATE segments SET files = '{}'", "its list of segments"),
        ("UPDATE segments SET files = 9", "its list of segments"),
        ("UPDATE segments SET rows = 0", "its list of segments"),
        ("UPDATE segments SET rows = 8", "rows instead of 8"),
        ("UPDATE segments SET rows = 'many'", "its list of segments"),
        ("UPDATE segments SET number = -1", "its list of segments"),
        ("UPDATE segments SET number = 2", "segments/2 is missing"),
        ("UPDATE documents SET metadata = '['", "cannot be read"),
        ("UPDATE documents SET metadata = '[]'", "cannot be read"),
        ("UPDATE documents SET metadata = x'ff'", "cannot be read"),
        ("UPDATE documents SET size = 'large'", "cannot be read"),
        ("UPDATE documents SET name = CAST(x'ff' AS TEXT) || id", "catalog.sqlite"),
        ("UPDATE documents SET name = x'ff' || id", "catalog.sqlite"),
        ("UPDATE documents SET id = 100 WHERE id = 9", "documents 1 to 9 do not match"),
    ],
)
def test_hostile_catalogs_are_refused(path: Path, statement: str, words: str) -> None:
    change(path, statement, checksums=True)
    assert words in refused(path)


def test_verify_reports_inconsistencies(path: Path) -> None:
    change(path, "UPDATE documents SET digest = 'other' WHERE id = 2")
    change(path, "UPDATE documents SET metadata = replace(metadata, 'year', 'yeah') WHERE id = 3")
    (first,) = damages(path)
    assert "the rows of documents 1 to 9 do not match their checksum" in first
    change(path, "UPDATE meta SET value = '3' WHERE key = 'next_document'")
    assert "the number of a document" in damages(path)[1]
    change(path, "DELETE FROM documents WHERE id = 4")
    assert "list different documents" in damages(path)[1]
    assert len(list(StoredCollection.open(path, verify=False).documents())) == 8
    with pytest.raises(FormatError, match="documents 1 to 9 do not match"):
        list(StoredCollection.open(path).documents())


def _stored(path: Path, name: str, place: int, value: int) -> None:
    """Change a value of an array so that its checksum is right."""
    from xxhash import xxh3_128

    file = path / "segments" / "1" / f"{name}.npy"
    array = np.load(file)
    array[place] = value
    np.save(file, array)
    with closing(sqlite3.connect(path / "catalog.sqlite")) as catalog, catalog:
        (reported,) = catalog.execute("SELECT files FROM segments").fetchone()
        files = json.loads(reported)
        files[name] = [file.stat().st_size, xxh3_128(file.read_bytes()).hexdigest()]
    change(path, "UPDATE segments SET files = ?", json.dumps(files))


@pytest.mark.parametrize(
    ("name", "place", "value", "words"),
    [
        ("ids", 3, 2, "its ids are not in ascending order"),
        ("ids", 0, -5, "its ids are not in ascending order"),
        ("shingles.offsets", 3, -(1 << 62), "does not rise"),
        ("tokens.offsets", 3, 1 << 62, "does not rise"),
        ("tokens.offsets", 0, 1, "does not fit tokens.npy"),
        ("text.offsets", -1, 1 << 62, "does not fit text.npy"),
        ("tokens", 0, 999, "it has tokens that are not in its vocabulary"),
    ],
)
def test_verify_reports_hostile_arrays(
    path: Path, name: str, place: int, value: int, words: str
) -> None:
    _stored(path, name, place, value)
    assert words in damages(path)[0]
    with pytest.raises((FormatError, IndexError, AssertionError)):
        stored_state(StoredCollection.open(path))
    if name == "tokens":
        StoredCollection.open(path).remove([9])
        with pytest.raises(FormatError, match="token 999 is not in a vocabulary"):
            StoredCollection.open(path).compact()


def test_a_writer_touches_nothing_outside(path: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "7").mkdir(parents=True)
    (outside / "7" / "mine.txt").write_text("mine")
    (path / "segments" / "7").symlink_to(outside / "7")
    (path / "segments" / "8").mkdir()
    (path / "segments" / "mine").mkdir()
    StoredCollection.open(path).remove([1])
    assert sorted(item.name for item in (path / "segments").iterdir()) == ["1", "7", "mine"]
    (path / "segments").rename(outside / "segments")
    (path / "segments").symlink_to(outside)
    with pytest.raises(FormatError):
        StoredCollection.open(path).remove([2])
    assert (outside / "7" / "mine.txt").read_text() == "mine"


def test_a_catalog_elsewhere_is_refused(path: Path, tmp_path: Path) -> None:
    (path / "catalog.sqlite").rename(tmp_path / "catalog.sqlite")
    (path / "catalog.sqlite").symlink_to(tmp_path / "catalog.sqlite")
    assert "is not an sdtext collection" in refused(path)
    (path / "catalog.sqlite").unlink()
    os.mkfifo(path / "catalog.sqlite")
    assert "is not an sdtext collection" in refused(path)


def test_another_recipe_of_sketches_is_refused(tmp_path: Path) -> None:
    sketch = PartSpec.of("minhash", slots=4, scheme="datasketch")
    recipe = RecipeSpec(PartSpec("words"), fingerprint=sketch)
    collection = StoredCollection.create(tmp_path / "x.sdx", recipe)
    with collection.writing():
        pass
    collection = StoredCollection.open(tmp_path / "x.sdx")
    assert collection.coefficients
    assert [len(coefficient) for coefficient in collection.coefficients] == [4, 4]
    assert list(collection.verify()) == []
    change(tmp_path / "x.sdx", "UPDATE meta SET value = '[[1],[2]]' WHERE key = 'coefficients'")
    assert "its coefficients do not belong" in damages(tmp_path / "x.sdx")[0]
    collection = StoredCollection.open(tmp_path / "x.sdx")
    with pytest.raises(MismatchError, match="coefficients"), collection.writing():
        pass
