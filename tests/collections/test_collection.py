"""Collections return what was added, in this process and in others, by the schema's columns."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import CODE_COLUMNS, PLACE_COLUMNS, columns_of
from sdtext.collections.storage import catalog
from sdtext.collections.storage.arrays import ArrayKind
from sdtext.collections.storage.catalog import Catalog
from sdtext.collections.storage.collection_meta import recipe_as_json, recipe_from_json
from sdtext.collections.storage.writer import CollectionWriter
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError, OutputError, UnreadableError
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.io.platform import IS_UNIX
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Origin, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.reading.records.record import InputDocument
from tests.collections.stock import (
    RECIPE,
    content,
    expected_state,
    names,
    new_collection,
    rows,
    stored_state,
)
from tests.support.command import run_python
from tests.support.strategies import BRISK, recipes, specs

NAMES = names(6)
Step = tuple[str, list[str], list[int]]


@pytest.fixture(scope="module")
def swift() -> Iterator[None]:
    """Nothing waits for the disk, or for readers."""
    settings = (*catalog._SAFETY, "synchronous = OFF")
    with (
        mock.patch("os.fsync"),
        mock.patch.object(catalog, "_SHORT", 1),
        mock.patch.object(catalog, "_SAFETY", settings),
        mock.patch.object(Catalog, "_durable"),
    ):
        yield


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "remove", "commit", "compact", "begin again"]),
        st.lists(st.sampled_from(NAMES), max_size=4),
        st.lists(st.integers(-1, 30), max_size=4),
    ),
    max_size=12,
)


@pytest.mark.usefixtures("swift")
@BRISK
@given(STEPS, st.sampled_from([1, 300, 1 << 26]))
def test_any_course_of_work_gives_what_a_plain_table_gives(
    steps: list[Step], segment_bytes: int
) -> None:
    table: dict[int, str] = {}
    ids: list[int] = []
    with TemporaryDirectory() as home:
        collection = StoredCollection.create(Path(home) / "x.sdx", RECIPE)
        for lot in _lots(steps):
            with collection.writing(segment_bytes) as writer:
                for step in lot:
                    ids += _done(step, writer, table)
            for seen in (collection, StoredCollection.open(collection.path)):
                assert {document.id: document.name for document in seen.documents()} == table
                assert stored_state(seen) == expected_state(list(table.values()))
                assert seen.ids().tolist() == sorted(table)
                assert len(seen) == len(table)
                assert list(seen.verify()) == []
    assert ids == list(range(1, len(ids) + 1))


def _done(step: Step, writer: CollectionWriter, table: dict[int, str]) -> list[int]:
    """Do a step, to the table, too; the ids that are given."""
    act, names, numbers = step
    if act == "add":
        ids: list[int] = writer.add(rows(names)).tolist()
        for number, name in zip(ids, names, strict=True):
            for old in [key for key, known in table.items() if known == name]:
                del table[old]
            table[number] = name
        return ids
    if act == "remove":
        writer.remove(numbers)
        for number in numbers:
            table.pop(number, None)
    else:
        getattr(writer, act)()
    return []


def _lots(steps: list[Step]) -> list[list[Step]]:
    lots: list[list[Step]] = [[]]
    for step in steps:
        if step[0] == "begin again":
            lots.append([])
        else:
            lots[-1].append(step)
    return lots


def test_merged_segments_equal_one_written_at_once(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", names(50), batch=1, segment_bytes=1)
    collection = StoredCollection.open(path)
    assert len(collection.segments()) < 20
    collection.compact()
    once = content(new_collection(tmp_path / "once.sdx", names(50)))
    assert sorted(content(path).values()) == sorted(once.values())


def test_a_vocabulary_forgets_what_was_removed(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", names(20))
    collection = StoredCollection.open(path)
    collection.remove_ids(range(1, 20))
    collection.compact()
    collection = StoredCollection.open(path)
    (segment,) = collection.segments()
    assert len(segment) == 1
    output = {word for value in stored_state(collection).values() for word in value["tokens"]}
    assert {bytes(word).decode() for word in segment.ragged("words")} == output - {""}


def test_a_reader_sees_one_state_to_its_end(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", names(20), segment_bytes=1)
    reader, other = StoredCollection.open(path), StoredCollection.open(path)
    walk = reader.documents()
    first = next(walk)
    with other.writing() as writer:
        writer.add(rows(["new.txt", first.name]))
        writer.remove([2])
        writer.compact()
        assert "new.txt" in stored_state(StoredCollection.open(path))
        assert len([first, *walk]) == 20
    assert stored_state(reader) == expected_state(names(20))
    reader.refresh()
    assert set(stored_state(reader)) == {*names(20), "new.txt"} - {"letters/1.txt"}
    assert stored_state(other) == stored_state(reader)


def test_names_and_metadata_of_every_kind_are_stored(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff\xfe.txt")
    reported = {"quote\"'": "\ud800ü", "nan": float("nan"), "big": 1 << 80, "": None, "x": 1.5}
    documents = [
        NewDocument("ü\n\x00", odd, 1 << 60, "", {}),
        NewDocument(odd + "\ud800", "", 0, "d", reported),  # type: ignore[arg-type]
    ]
    collection = StoredCollection.create(tmp_path / "x.sdx", RECIPE)
    with collection.writing() as writer:
        writer.add(DocumentRows(documents, {}))
        writer.add(DocumentRows(documents, {}))
    result = list(StoredCollection.open(tmp_path / "x.sdx").documents())
    assert [(item.name, item.root, item.size) for item in result] == [
        ("ü\n\x00", odd, 1 << 60),
        (odd + "\ud800", "", 0),
    ]
    assert result[1].metadata == reported | {"nan": None}
    assert [item.id for item in result] == [3, 4]


def test_a_collection_knows_its_recipe_and_origin(tmp_path: Path) -> None:
    dictionary = Dictionary.of({"bee": 3, "of": 9, "hive": 1}, 9, RecipeSpec(PartSpec("words")))
    recipe = RecipeSpec(
        PartSpec("words"),
        (PartSpec.of("stop-words", words=("a", "ü")),),
        PartSpec("bitvector"),
        PartSpec.of("idf-cosine", power=2.0),
        PartSpec.of("command", argv=("rm", "-r")),
        PartSpec.of("sentence", length=150),
    )
    made_by = Origin("a-guid", "2026-01-01T00:00:00Z")
    new = StoredCollection.create(
        tmp_path / "x.sdx", recipe, [dictionary], made_by, keeps_text=True
    )
    assert not (tmp_path / "x.sdx").exists()
    with new.writing():
        pass
    assert [item.name for item in tmp_path.iterdir()] == ["x.sdx"]
    result = StoredCollection.open(tmp_path / "x.sdx")
    assert result.recipe == new.recipe
    assert result.recipe.chain() == recipe.chain()
    assert (result.recipe.unit, result.recipe.matcher) == (recipe.unit, recipe.matcher)
    assert result.recipe.reader is None
    assert [item.digest for item in result.dictionaries] == [dictionary.digest]
    assert (result.guid, result.created, result.keeps_text) == (made_by.guid, made_by.created, True)
    assert len(result) == 0
    assert not [*result.documents(), *result.segments(), *result.verify()]


def test_a_collection_is_created_only_at_a_free_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("file", "link", "."):
        with pytest.raises(OutputError, match="already exists"):
            StoredCollection.create(tmp_path / name, RECIPE)
    with pytest.raises(OutputError, match="cannot be written: there is no folder "):
        StoredCollection.create(tmp_path / "no" / "x.sdx", RECIPE)
    (tmp_path / ".y.sdx.part").symlink_to(tmp_path)
    new = StoredCollection.create(tmp_path / "y.sdx", RECIPE)
    with pytest.raises(OutputError, match="is a link"), new.writing():
        pass
    assert (tmp_path / "file").read_text() == "mine"


def test_two_creators_of_one_collection(tmp_path: Path) -> None:
    first = StoredCollection.create(tmp_path / "x.sdx", RECIPE)
    second = StoredCollection.create(tmp_path / "x.sdx", RECIPE)
    with first.writing() as writer:
        writer.add(rows(NAMES))
        words = f"process {os.getpid()} is writing"
        with pytest.raises(OutputError, match=words), second.writing():
            pass
    with pytest.raises(OutputError, match="already exists"), second.writing():
        pass
    second.refresh()
    with second.writing() as writer:
        writer.add(rows(["more.txt"]))
    assert set(stored_state(second)) == {*NAMES, "more.txt"}


@pytest.mark.skipif(not IS_UNIX, reason="Windows removes no file in use")
def test_another_collection_in_its_place_is_not_written_to(tmp_path: Path) -> None:
    old = StoredCollection.open(new_collection(tmp_path / "x.sdx", NAMES))
    rmtree(tmp_path / "x.sdx")
    other = RecipeSpec(PartSpec("lines"))
    with StoredCollection.create(tmp_path / "x.sdx", other).writing():
        pass
    with pytest.raises(MismatchError, match="was recreated"), old.writing():
        pass
    with StoredCollection.open(tmp_path / "x.sdx").writing():  # nobody holds it
        pass


def test_where_there_is_no_collection(tmp_path: Path) -> None:
    for name in ("missing.sdx", "nul\0.sdx", "x" * 300):
        with pytest.raises(UnreadableError, match="there is no such collection"):
            StoredCollection.open(tmp_path / name)
    with pytest.raises(FormatError, match="is not an sdtext collection"):
        StoredCollection.open(tmp_path)


def test_an_error_keeps_what_was_committed(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", NAMES)
    collection = StoredCollection.open(path)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(collection, "in.txt")
    assert set(stored_state(StoredCollection.open(path))) == {*NAMES, "in.txt"}
    new = StoredCollection.create(tmp_path / "y.sdx", RECIPE)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(new)
    assert [item.name for item in tmp_path.iterdir()] == ["x.sdx"]


def _interrupted(collection: StoredCollection, *committed: str) -> None:
    with collection.writing() as writer:
        if committed:
            writer.add(rows(committed))
            writer.commit()
        writer.add(rows(["out.txt"]))
        raise KeyboardInterrupt


def test_a_writer_is_of_no_use_after_its_block(tmp_path: Path) -> None:
    collection = StoredCollection.create(tmp_path / "x.sdx", RECIPE)
    with collection.writing() as writer:
        writer.add(rows(NAMES))
    del collection
    assert sorted(item.name for item in (tmp_path / "x.sdx").iterdir()) == [
        "catalog.sqlite",
        "dictionaries",
        "lock",
        "segments",
    ]
    writer.add(rows(["late.txt"]))
    with pytest.raises(ValueError, match="has ended"):
        writer.commit()
    assert set(stored_state(StoredCollection.open(tmp_path / "x.sdx"))) == set(NAMES)


def test_rows_must_be_like_those_before(tmp_path: Path) -> None:
    collection = StoredCollection.create(tmp_path / "x.sdx", RECIPE)
    with collection.writing() as writer:
        writer.add(DocumentRows([NewDocument("a")], {"sketches": np.zeros((1, 4), np.uint32)}))
        others: list[dict[str, Any]] = [
            {},
            {"sketches": np.zeros((1, 5), np.uint32)},
            {"sketches": np.zeros((2, 4), np.uint32)},
            {"sketches": np.zeros((1, 4), np.int64)},
            {"other": np.zeros((1, 4), np.uint32)},
        ]
        for arrays in others:
            with pytest.raises(ValueError, match=r"arrays are|has 2 rows"):
                writer.add(DocumentRows([NewDocument("b")], arrays))
    assert [document.name for document in collection.documents()] == ["a"]
    strange: list[dict[str, Any]] = [
        {"../up": np.zeros(1)},
        {"ids": np.zeros(1)},
        {"words": np.array([object()])},
        {"a": np.zeros(1, "S9")},
    ]
    for arrays in strange:
        other = StoredCollection.create(tmp_path / "y.sdx", RECIPE)
        words = "may not be called|cannot be stored"
        with pytest.raises(ValueError, match=words), other.writing() as writer:
            writer.add(DocumentRows([NewDocument("b")], arrays))


def test_derived_arrays_are_computed_once(tmp_path: Path) -> None:
    path = new_collection(tmp_path / "x.sdx", NAMES)
    make = mock.Mock(return_value=np.arange(10).reshape(5, 2))
    for _ in range(2):
        collection = StoredCollection.open(path)
        (segment,) = collection.segments()
        for _ in range(2):
            assert (segment.derived("bands 5 2", make) == np.arange(10).reshape(5, 2)).all()
    assert make.call_count == 1
    segment.derived("other", make)
    assert make.call_count == 2
    kept = sorted(path.glob("segments/*/derived/*.npy"))
    assert len(kept) == 2
    assert list(collection.verify()) == []
    damaged = bytearray(kept[0].read_bytes())
    damaged[-40] ^= 1
    kept[0].write_bytes(damaged)
    (problem,) = collection.verify()
    assert (problem.path, problem.category) == (str(kept[0]), "damaged")


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
    collection.remove_ids([4])
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


@pytest.fixture
def path() -> Iterator[Path]:
    """A collection that every user may read, not in pytest's folder: each run closes that again."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield new_collection(Path(folder) / "x.sdx", names(5))


def test_another_user_reads_it(path: Path) -> None:
    before = sorted(path.rglob("*"))
    assert run_python(_READER, path).stdout == "5 0\n[0, 1, 2]\n"
    assert sorted(path.rglob("*")) == before


def test_another_user_reads_it_while_it_is_written(path: Path) -> None:
    with StoredCollection.open(path).writing() as writer:
        writer.add(rows(["new.txt"]))
        writer.commit()
        assert run_python(_READER, path).stdout.startswith("6 0\n")


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


CHAIN = RecipeSpec(PartSpec("unicode"), (PartSpec("lowercase"),))
SHINGLED = replace(CHAIN, shingler=PartSpec.of("words", length=2))
MINHASH = replace(SHINGLED, fingerprint=PartSpec.of("minhash", slots=32))
BBIT = replace(SHINGLED, fingerprint=PartSpec.of("bbit", slots=128))
PLACED = replace(CHAIN, aligner=PartSpec("windows"))
CODED = replace(BBIT, unit=PartSpec.of("sentence", length=60))
RECIPES = {
    "chain": CHAIN, "shingles": replace(SHINGLED, fingerprint=PartSpec("shingles")),
    "minhash": MINHASH, "bbit": BBIT, "placed": PLACED,
    "placed minhash": replace(MINHASH, aligner=PartSpec("windows")), "coded": CODED,
}  # fmt: skip
TEXTS = ["The bees of the hive swarm in May, and the queen leaves with them.", "", "One word"]
ITEMS = [InputDocument("", f"{place}", text=text) for place, text in enumerate(TEXTS)]


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("tokens", [True, False])
@pytest.mark.parametrize("texts", [True, False])
def test_built_arrays_are_the_columns_of_the_schema(
    tmp_path: Path, name: str, tokens: bool, texts: bool
) -> None:
    (tmp_path / "a.txt").write_text(TEXTS[0], "utf-8")
    dictionaries = (create_dictionary(tmp_path, CHAIN),)
    builder = RowBuilder(RECIPES[name], dictionaries, tokens=tokens, texts=texts)
    rows = builder(ITEMS, []).rows
    assert rows is not None
    columns = [*columns_of(builder)]
    assert [*rows.arrays] == [column.name for column in columns]
    for column in columns:
        array = rows.arrays[column.name]
        kind = ArrayKind.of(array)
        assert (kind.dtype, kind.ragged) == (column.dtype, column.ragged)
        assert len(kind.shape) == column.axes
        assert isinstance(array, Ragged) is column.ragged


def test_columns_come_in_the_order_of_the_format() -> None:
    names = [column.name for column in columns_of(RowBuilder(CODED, texts=True))]
    assert names == [*PLACE_COLUMNS, *CODE_COLUMNS, "text"]
    names = [column.name for column in columns_of(RowBuilder(MINHASH))]
    assert names == ["tokens", "words", "shingles", "sketches"]


SOME = st.none() | specs("units")


@BRISK
@given(recipes(), SOME, st.none() | specs("matchers"), st.none() | specs("readers"))
def test_what_is_written_is_read(
    recipe: RecipeSpec, unit: PartSpec | None, matcher: PartSpec | None, reader: PartSpec | None
) -> None:
    whole = replace(recipe, unit=unit, matcher=matcher, reader=reader)
    assert recipe_from_json(recipe_as_json(whole), "x") == replace(whole, reader=None)


@pytest.mark.parametrize("text", [
    "", "[]", "{}", "null", '{"tokenizer": ["words", {}]}', '{"tokenizer": "words", "filters": []}',
    '{"tokenizer": ["words", {}], "filters": [["lowercase"]]}',
    '{"tokenizer": ["words", {}], "filters": {}, "unit": ["page", {"a": {}}]}',
    '{"tokenizer": ["words", {"a": [1]}], "filters": []}',
    '{"tokenizer": ["words", {"a": null}], "filters": []}', "[" * 100_000,
])  # fmt: skip
def test_what_is_no_recipe_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"^x\.sdx: is damaged: its recipe cannot be read$"):
        recipe_from_json(text, "x.sdx")
