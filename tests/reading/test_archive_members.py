"""Files in archives, called path!name: found, read and compared as if they stood in a folder."""

import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import NoReturn

import pytest

from sdtext.errors import UnreadableError
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprint, fingerprints
from sdtext.fingerprinting.load_and_save import load, save
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.reading import archive_members
from sdtext.reading.archive_members import content_at
from sdtext.reading.main_process_limits import ProcessLimits
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run
from sdtext.reading.read_document import read
from sdtext.reading.sandbox.protocol import ExhaustedError
from sdtext.reading.walk import documents_in
from sdtext.search import compare as comparison
from tests.parts.containers.containing import tar
from tests.parts.readers.office import packed as zipped

RECIPE = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))


def tarred(files: Mapping[str, bytes]) -> bytes:
    return gzip.compress(tar(files))


def words(seed: int, number: int = 80) -> bytes:
    chance = Random(seed)
    return " ".join(f"w{chance.randrange(400)}" for _ in range(number)).encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Forty documents: ten in a folder, ten in a zip, ten in a tar in it, ten in a zip in that."""
    deep = zipped({f"deep/{number}.txt": words(number) for number in range(30, 40)})
    inner = tarred({f"{number}.txt": words(number) for number in range(20, 30)} | {"c.zip": deep})
    outer = {f"in/{number}.txt": words(number) for number in range(10, 20)} | {"b.tgz": inner}
    home = tmp_path / "docs"
    home.mkdir()
    (home / "a.zip").write_bytes(zipped(outer))
    for number in range(10):
        (home / f"{number}.txt").write_bytes(words(number))
    return home


def paths_in(path: Path, reading: Reading | None = None) -> tuple[list[str], list[Problem]]:
    problems: list[Problem] = []
    paths = documents_in(path, reading or Reading(), problems.append)
    return [item.relative_to(path.parent).as_posix() for item in paths], problems


def test_archives_are_folders_and_so_are_archives_in_them(folder: Path) -> None:
    paths, problems = paths_in(folder)
    assert not problems
    assert len(paths) == 40
    assert {"docs/0.txt", "docs/a.zip!in/10.txt", "docs/a.zip!b.tgz!20.txt"} < set(paths)
    assert "docs/a.zip!b.tgz!c.zip!deep/39.txt" in paths
    for name in paths:
        document = read(path := folder.parent / name)
        assert document.text.encode() == words(int(path.stem.rpartition("!")[2]))
        assert document.source == str(path)


def test_an_archive_gives_what_its_files_give_alone(folder: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    for number in range(40):
        (plain / f"{number}.txt").write_bytes(words(number))
    alone = create_dictionary(plain, RECIPE)
    assert create_dictionary(folder, RECIPE).digest == alone.digest
    assert create_dictionary(folder, RECIPE, run=Run(jobs=2)).digest == alone.digest
    rows = comparison.compare(plain / "35.txt", folder, dictionary=alone).rows
    assert (rows[0].score, rows[0].path) == (99, "a.zip!b.tgz!c.zip!deep/35.txt")
    inside = comparison.compare(plain / "15.txt", folder / "a.zip", dictionary=alone).rows
    assert (inside[0].score, inside[0].path) == (99, "a.zip!in/15.txt")


def test_what_was_shared_can_lie_in_an_archive(folder: Path, tmp_path: Path) -> None:
    dictionary = create_dictionary(folder, RECIPE)
    save(dictionary, tmp_path / "d.xml")
    save(fingerprint(folder / "3.txt", dictionary), tmp_path / "f.xml")
    names = {name: (tmp_path / name).read_bytes() for name in ("d.xml", "f.xml")}
    (tmp_path / "share.zip").write_bytes(zipped(names))
    loaded = load(tmp_path / "share.zip!d.xml")
    assert loaded.digest == dictionary.digest  # type: ignore[union-attr]
    run = Run(problems=[])
    assert next(fingerprints([folder / "3.txt"], [dictionary], run))[1].vectors == (
        load(f"{tmp_path}/share.zip!f.xml").vectors  # type: ignore[union-attr]
    )
    rows = comparison.compare(tmp_path / "share.zip!f.xml", folder, dictionary=dictionary).rows
    assert (rows[0].score, rows[0].path) == (99, "3.txt")
    shared = comparison.compare(folder / "3.txt", tmp_path / "share.zip", dictionary=dictionary)
    assert [(row.score, row.path) for row in shared.rows] == [(99, "share.zip!f.xml")]


def test_an_archive_that_changes_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    for number in range(3):
        path.write_bytes(zipped({"x.txt": words(number, 50 + number)}))
        assert read(tmp_path / "a.zip!x.txt").text.encode() == words(number, 50 + number)


def test_a_missing_path_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"x.txt": b"one"}))
    (tmp_path / "x.txt").write_text("one")
    for path, message in (
        ("a.zip!y.txt", "a.zip: there is no y.txt in it"),
        ("a.zip!x.txt!z", "a.zip!x.txt: is not an archive"),
        ("x.txt!z", "x.txt: is not an archive"),
        ("b.zip!z", "b.zip!z: no such file"),
        ("a.zip", "is a zip archive; name a file in it"),
    ):
        with pytest.raises(UnreadableError, match=message.replace(".", r"\.")):
            read(tmp_path / path)


def test_archives_in_archives_share_a_limit(tmp_path: Path) -> None:
    part = zipped({"x.txt": b"many words " * 20_000})
    (tmp_path / "a.zip").write_bytes(zipped({f"{number}.zip": part for number in range(10)}))
    paths, [problem] = paths_in(tmp_path, Reading(max_bytes=1_000_000))
    assert 3 <= len(paths) <= 5
    assert "1,000,000 bytes" in problem.message
    assert len(paths_in(tmp_path, Reading(max_bytes=10_000_000))[0]) == 10


@pytest.mark.parametrize("outer", [zipped, tar, tarred])
@pytest.mark.parametrize("inner", [zipped, tarred])
@pytest.mark.parametrize("size", [100, 900_000])
def test_what_an_inner_archive_has_before_a_limit_is_read(
    outer: Callable[[Mapping[str, bytes]], bytes],
    inner: Callable[[Mapping[str, bytes]], bytes],
    size: int,
    tmp_path: Path,
) -> None:
    files = {"a.txt": words(1), "b.bin": Random(2).randbytes(size), "c.txt": words(2) * 3000}
    (tmp_path / "a").write_bytes(outer({"first.txt": words(3), "inner": inner(files)}))
    paths, problems = paths_in(tmp_path, Reading(max_bytes=1_000_000))
    assert [f"{tmp_path.name}/a!{name}" for name in ("first.txt", "inner!a.txt")] == paths[:2]
    assert problems


def test_nothing_is_left(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert len(paths_in(folder)[0]) == 40
    assert content_at(folder / "a.zip!in/10.txt", limits=ProcessLimits(30)).whole() == words(10)
    assert list(scratch.iterdir()) == []


def test_exhaustion_says_nothing_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"bees.txt": b"Bees dance."}))

    def exhausted(*_: object) -> NoReturn:
        raise ExhaustedError("crashed on it", file=path)

    with monkeypatch.context() as patch:
        patch.setattr(archive_members, "unpack", exhausted)
        with pytest.raises(UnreadableError, match="crashed"):
            read(f"{path}!bees.txt")
    assert read(f"{path}!bees.txt").text == "Bees dance."
