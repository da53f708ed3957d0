"""Damaged and hostile collections are refused by name, or left out; no answer is wrong."""

import json
import os
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any
from unittest import mock

import numpy as np
import pytest

import sdtext
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.schema import keeps_places
from sdtext.collections.storage import arrays
from sdtext.collections.storage import writer as writer_module
from sdtext.collections.stored_collection import StoredCollection, faults_at
from sdtext.errors import FormatError, MismatchError, OptionError, SdtextError
from sdtext.file_diagnosis import examine
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.io.platform import IS_UNIX
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.read_document import read
from sdtext.reuse import find_reuse
from sdtext.search.find import search_pairs
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar
from tests.collections.stock import FEW, RECIPE, change, names, new_collection, rows, stored_state

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


LISTS = {
    name: text.splitlines()
    for name, text in tomllib.loads(Path(__file__).with_name("damage.toml").read_text()).items()
}


@pytest.mark.parametrize("head", [*LISTS["heads"], "\0"])
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
        collection.remove_ids([1, 2])
    except SdtextError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("length", [0, 50, 4096, 5000])
def test_a_cut_catalog_is_refused(path: Path, length: int) -> None:
    file = path / "catalog.sqlite"
    file.write_bytes(file.read_bytes()[:length])
    assert "catalog.sqlite" in refused(path)


@pytest.mark.parametrize("line", LISTS["catalogs"])
def test_hostile_catalogs_are_refused(path: Path, line: str) -> None:
    statement, words = line.split(" | ")
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


@pytest.mark.parametrize(("name", "place", "value", "words"), [
    ("ids", 3, 2, "its ids are not in ascending order"),
    ("ids", 0, -5, "its ids are not in ascending order"),
    ("shingles.offsets", 3, -(1 << 62), "does not rise"),
    ("tokens.offsets", 3, 1 << 62, "does not rise"),
    ("tokens.offsets", 0, 1, "does not fit tokens.npy"),
    ("text.offsets", -1, 1 << 62, "does not fit text.npy"),
    ("tokens", 0, 999, "it has tokens that are not in its vocabulary"),
])  # fmt: skip
def test_verify_reports_hostile_arrays(
    path: Path, name: str, place: int, value: int, words: str
) -> None:
    _stored(path, name, place, value)
    assert words in damages(path)[0]
    with pytest.raises((FormatError, IndexError, AssertionError)):
        stored_state(StoredCollection.open(path))
    if name == "tokens":
        StoredCollection.open(path).remove_ids([9])
        with pytest.raises(FormatError, match="token 999 is not in a vocabulary"):
            StoredCollection.open(path).compact()


def test_a_writer_touches_nothing_outside(path: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "7").mkdir(parents=True)
    (outside / "7" / "mine.txt").write_text("mine")
    (path / "segments" / "7").symlink_to(outside / "7")
    (path / "segments" / "8").mkdir()
    (path / "segments" / "mine").mkdir()
    StoredCollection.open(path).remove_ids([1])
    assert sorted(item.name for item in (path / "segments").iterdir()) == ["1", "7", "mine"]
    (path / "segments").rename(outside / "segments")
    (path / "segments").symlink_to(outside)
    with pytest.raises(FormatError):
        StoredCollection.open(path).remove_ids([2])
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


OLD = 1_600_000_000  # seconds; of files that were written long ago


def of_six(path: Path, in_segment: int) -> Path:
    """A collection of six documents, so many in each segment."""
    with StoredCollection.create(path, RECIPE).writing() as writer:
        for place in range(0, 6, in_segment):
            writer.add(rows(names(6)[place : place + in_segment], FEW))
            writer.commit()
    return path


@pytest.fixture
def three_segments(tmp_path: Path) -> Path:
    """A collection of three segments with two documents each, of which the last is removed."""
    StoredCollection.open(of_six(tmp_path / "x.sdx", 2)).remove_ids([6])
    return tmp_path / "x.sdx"


def flip(path: Path, file: str, place: int = -1) -> Path:
    """Flip a bit in a file of a collection; its path."""
    data = bytearray((path / file).read_bytes())
    data[place] ^= 1
    (path / file).write_bytes(data)
    return path / file


def altered(path: Path, statement: str) -> None:
    """Change the catalog behind the back of its digest."""
    with closing(sqlite3.connect(path / "catalog.sqlite")) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize("array", ["sketches", "shingles", "shingles.offsets"])
def test_a_damaged_array_is_refused_when_it_is_read(three_segments: Path, array: str) -> None:
    file = flip(three_segments, f"segments/2/{array}.npy", -9 if "offsets" in array else -1)
    collection = StoredCollection.open(three_segments)
    assert len(list(collection)) == 5  # which reads none of it
    with pytest.raises(FormatError) as refused:
        stored_state(collection)
    assert str(refused.value).startswith(f"{file}: is damaged: its content does not match its ch")


@pytest.mark.parametrize("place", [-1, -3, -8, -9])
def test_damaged_ids_are_refused_when_a_collection_is_opened(
    three_segments: Path, place: int
) -> None:
    file = flip(three_segments, "segments/2/ids.npy", place)
    with pytest.raises(FormatError, match=f"^{file}: is damaged: "):
        StoredCollection.open(three_segments)
    with suppress(FormatError):
        stored_state(StoredCollection.open(three_segments, verify=False))


def test_each_file_is_verified_once_by_a_process(three_segments: Path) -> None:
    for file in three_segments.rglob("*"):
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
            stored_state(StoredCollection.open(three_segments))
    assert sorted(read) == sorted(three_segments.glob("segments/*/*.npy"))


def test_a_file_that_has_just_been_written_is_verified_again(three_segments: Path) -> None:
    stored_state(StoredCollection.open(three_segments))
    flip(three_segments, "segments/1/sketches.npy")
    with pytest.raises(FormatError, match=r"1/sketches\.npy: is damaged"):
        stored_state(StoredCollection.open(three_segments))


def test_without_verification_the_disk_is_trusted(three_segments: Path) -> None:
    flip(three_segments, "segments/1/sketches.npy")
    with sdtext.open(three_segments, verify=False) as collection:
        assert len(stored_state(collection)) == 5


@pytest.mark.skipif(not IS_UNIX, reason="Windows renames no folder in use")
@pytest.mark.parametrize("file", ["sketches.npy", "shingles.offsets.npy", "ids.npy", ""])
def test_damaged_segments_are_left_out_on_request(three_segments: Path, file: str) -> None:
    expected = stored_state(StoredCollection.open(three_segments))
    damaged = three_segments / "segments" / "2" / file
    if file:
        flip(three_segments, f"segments/2/{file}", -9 if file != "sketches.npy" else -1)
    else:
        damaged.rename(three_segments / "elsewhere")
    with pytest.raises(FormatError):
        stored_state(StoredCollection.open(three_segments))
    with sdtext.open(three_segments, skip_damaged=True) as collection:
        (problem,) = collection.problems
        assert (problem.severity, problem.category) == ("warning", "skipped-segment")
        assert "segments/2" in problem.message
        assert "2 documents is left out of all results" in problem.message
        left = set(names(6)) - {"letters/2.txt", "letters/3.txt", "letters/5.txt"}
        assert stored_state(collection) == {name: expected[name] for name in left}
        assert (len(collection), collection.ids().tolist()) == (3, [1, 2, 5])
        assert [document.id for document in collection.documents("year > 0")] == [1, 2, 5]
        with pytest.raises(OptionError, match="only read"), collection.writing():
            pass


@pytest.mark.parametrize("statement", LISTS["changes"])
def test_a_changed_catalog_is_refused_and_reported(three_segments: Path, statement: str) -> None:
    altered(three_segments, statement)
    with pytest.raises(FormatError, match=r"catalog\.sqlite: is damaged") as refused:
        list(StoredCollection.open(three_segments))
    assert str(three_segments) in str(refused.value)
    problems = list(faults_at(three_segments, "x.sdx"))
    assert {problem.category for problem in problems} == {"damaged"}
    assert any("catalog.sqlite" in problem.message for problem in problems)


def test_only_the_block_of_a_document_is_verified_with_it(tmp_path: Path) -> None:
    path = tmp_path / "x.sdx"
    with StoredCollection.create(path, RECIPE).writing() as writer:
        writer.add(rows(names(600), FEW))
    change(path, "UPDATE documents SET size = 77 WHERE id = 400")
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
    StoredCollection.open(six).remove_ids([2])  # whoever gives up the document is rid of the damage
    StoredCollection.open(six).compact()
    assert (len(numbers(six)), damaged_paths(six)) == (1, [])
    assert set(stored_state(StoredCollection.open(six))) == {*names(6)} - {"letters/1.txt"}
    file = str(flip(six, f"segments/{numbers(six)[0]}/sketches.npy"))
    with pytest.raises(FormatError, match="its content"):  # there would be nothing to copy
        StoredCollection.open(six).compact()
    assert damaged_paths(six) == [file]


def test_damaged_documents_are_not_merged(six: Path) -> None:
    change(six, "UPDATE documents SET size = 77 WHERE id = 3")
    with pytest.raises(FormatError, match="documents 3 to 3 do not match their checksum"):
        StoredCollection.open(six).compact()
    assert numbers(six) == [1, 2, 3, 4, 5, 6]
    assert damaged_paths(six) == [str(six / "catalog.sqlite")]


def test_a_segment_whose_numbers_are_damaged_is_not_dropped(tmp_path: Path) -> None:
    six = new_collection(tmp_path / "x.sdx", names(3))
    StoredCollection.open(six).remove_ids([3])
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


_SAMPLES = Path(__file__).parents[1] / "samples"
_TEXTS = sorted((_SAMPLES / "texts").glob("*.txt"))
_QUERY = read(_SAMPLES / "texts" / "union.txt")
_WORDS = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),), shingler=PartSpec("words"))


RECIPES: dict[str, Callable[[], RecipeSpec | None]] = {
    "shingles": lambda: _WORDS,
    "minhash": lambda: load_recipe("configs/near-duplicate.toml"),
    "bits": lambda: None,
    "bbit": lambda: replace(_WORDS, fingerprint=PartSpec.of("bbit", slots=64)),
    "words": lambda: load_recipe("configs/reuse.toml"),
    "sentences": lambda: load_recipe("configs/evidence.toml"),
}


@pytest.fixture(scope="module")
def of_recipe(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A collection of two segments for each recipe, with the arrays that searches derive."""

    @cache
    def stored(name: str) -> Path:
        path = tmp_path_factory.mktemp(name) / "x.sdx"
        dictionaries = (
            (create_dictionary(_TEXTS, RecipeSpec(PartSpec("words"))),) if name == "bits" else ()
        )
        spec = CollectionSpec(RECIPES[name](), dictionaries, text=name == "shingles")
        add_documents(path, _TEXTS[:5], spec)
        add_documents(path, _TEXTS[4:], CollectionSpec())
        StoredCollection.open(path).remove_ids([1])
        _answers(path)
        return path

    return stored


def _asked(collection: StoredCollection) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The questions that a collection answers, by name."""
    yield "documents", lambda: list(collection)
    if keeps_places(collection.recipe):
        yield "reuse", lambda: find_reuse(collection)
        yield "reuse of a document", lambda: find_reuse(_QUERY, collection)
        return
    few = Question(minimum=3)
    large = Question(minimum=1, where="size > 1600")
    yield "pairs", lambda: search_pairs(collection, few)
    yield "similar", lambda: similar(collection, [_QUERY], few)
    yield "selected", lambda: similar(collection, [_QUERY], large)
    if collection.recipe.shingler:
        bands = RecipeSpec(
            collection.recipe.tokenizer,
            collection.recipe.filters,
            shingler=PartSpec.of("words", length=2),
            index=PartSpec.of("bands", bands=50, rows=2),
        )
        if collection.recipe.shingler.name == "words":
            yield "other shingles", lambda: search_pairs(collection, replace(few, recipe=bands))
            yield "edit", lambda: search_pairs(collection, Question(minimum=5, matcher="edit"))
    if collection.keeps_text:
        yield "texts", lambda: [collection.text_of(document) for document in collection]


def _answers(path: Path, *, verify: bool = True) -> dict[str, Any]:
    """What the collection at `path` answers to each question, or the error."""
    try:
        collection = StoredCollection.open(path, verify=verify)
    except SdtextError as error:
        return {"open": error}
    answers: dict[str, Any] = {"open": None}
    for name, answer in _asked(collection):
        try:
            answers[name] = answer()
        except SdtextError as error:
            answers[name] = error
    return answers


def _reported(path: Path) -> list[str]:
    return [finding.problem for finding in examine(path) if finding.problem]


@contextmanager
def _flipped(file: Path, random: Random) -> Iterator[None]:
    """A file with one changed byte, or one of each kilobyte."""
    data = file.read_bytes()
    changed = bytearray(data)
    number = random.choice((1, 1, 1, 1 + len(data) // 1024))
    used = range(100 if file.suffix == ".npy" else 0, len(data))  # most of a header is blank
    for place in random.sample(used, number):
        changed[place] ^= random.choice((1 << random.randrange(8), random.randrange(1, 256)))
    file.write_bytes(changed)
    try:
        yield
    finally:
        file.write_bytes(data)


def _check(path: Path, seed: int) -> None:
    """Flip bytes in one file of a collection, and compare all answers with the right ones."""
    random = Random(seed)
    expected = _answers(path)
    assert not any(isinstance(answer, SdtextError) for answer in expected.values())
    files = [*path.rglob("*.npy"), *path.rglob("*.xml.gz")]
    file = random.choice([*sorted(files), *[path / "catalog.sqlite"] * (len(files) // 3)])
    with _flipped(file, random):
        reported = _reported(path)
        actual = _answers(path)
        refused = [answer for answer in actual.values() if isinstance(answer, SdtextError)]
        for name, answer in actual.items():
            if isinstance(answer, SdtextError):
                assert str(path) in str(answer), (file, str(answer))
            else:
                assert answer == expected[name], (file, name)
        for error in refused:
            assert reported, (file, str(error))
        if file.suffix == ".npy":
            assert reported, file
        _answers(path, verify=False)  # whatever it answers, there is no traceback
    assert _reported(path) == []


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1000, 1060))]
)
def test_answers_are_right_or_refused(
    of_recipe: Callable[[str], Path], tmp_path: Path, name: str, seed: int
) -> None:
    _check(copytree(of_recipe(name), tmp_path / "x.sdx"), seed)
