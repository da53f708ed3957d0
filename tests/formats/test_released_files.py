"""The files of earlier states of sdtext give the results that were recorded when they were made.

Each archive of `tests/samples/releases` is never renewed. It holds a folder of texts, files made of
them, and `expected.json`: the rows that each command printed then. `0.1.0-early` was made before
digests of fingerprints and evidence, sentence codes, keys and signatures existed. A new release
adds one.
"""

import json
import sqlite3
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sdtext.fingerprinting.load_and_save import load_fingerprints
from tests.support.command import check_refused, done, here

RELEASES = Path(__file__).parents[1] / "samples" / "releases"
NAMES = ["0.1.0-early", "0.1.0"]


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    def unpack(name: str) -> Path:
        with tarfile.open(RELEASES / f"{name}.tar.xz") as archive:
            archive.extractall(tmp_path, filter="data")
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setenv("SDTEXT_KEY", "project.key")
        return tmp_path / name

    return unpack


def in_order(rows: list[dict[str, Any]], columns: list[str]) -> list[str]:
    return sorted(json.dumps([row[column] for column in columns]) for row in rows)


def check_same(expected: dict[str, list[dict[str, Any]]]) -> None:
    """Each command prints the rows that it printed then; later columns may stand beside."""
    for command, then in expected.items():
        result, columns = done(*command.split(), "--format", "json").json, list(then[0])
        rows = result.get("rows", [result])
        assert in_order(rows, columns) == in_order(then, columns), command


@pytest.mark.parametrize("name", NAMES)
def test_files_of_a_release_give_its_results(name: str, release: Callable[[str], Path]) -> None:
    expected = json.loads((release(name) / "expected.json").read_text("utf-8"))
    assert len(expected) >= 19
    check_same(expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_collection_of_a_release_goes_on(name: str, release: Callable[[str], Path]) -> None:
    expected = json.loads((release(name) / "expected.json").read_text("utf-8"))
    Path("new.txt").write_text("Nothing of this stands in any other of the documents.\n", "utf-8")
    for collection in ("similar.sdx", "reuse.sdx", "sentences.sdx"):
        done("AddDocuments", collection, "new.txt")
        done("RemoveDocuments", collection, "new.txt", "--purge")
    check_same({command: rows for command, rows in expected.items() if ".sdx" in command})


def test_a_key_of_a_release_makes_the_same_keyed_vectors(release: Callable[[str], Path]) -> None:
    release("0.1.0")
    done("Fingerprint", "texts", "-d", "keyed.xml", "-o", "again.xml")
    now, then = map(load_fingerprints, ("again.xml", "keyed-prints.xml"))
    assert [item.vectors for item in now] == [item.vectors for item in then]


def changed(old: str, new: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        before, found, after = path.read_text("utf-8").partition(old)
        assert found
        path.write_text(before + new + after, "utf-8")

    return change


def newer_collection(path: Path) -> None:
    with sqlite3.connect(path) as database:
        statement = "UPDATE meta SET value = '2.0' WHERE key = 'version'"
        assert database.execute(statement).rowcount == 1
    database.close()


XML = changed('version="1.0" guid', 'version="2.0" guid')
SIGNATURE = changed('<?sdtext-signature version="1.0"', '<?sdtext-signature version="2.0"')


@pytest.mark.parametrize(("file", "change", "command"), [
    ("dictionary.xml", XML, "ShowDictionaryStatistics -d dictionary.xml"),
    ("segments.xml", XML, "ShowFingerprint -f segments.xml"),
    ("codes.xml", XML, "FindReuse codes.xml texts"),
    ("keyed.xml", XML, "Fingerprint texts/bees.txt -d keyed.xml -o new.xml"),
    ("evidence.xml", XML, "ShowEvidence evidence.xml"),
    ("signed.xml", SIGNATURE, "Verify signed.xml --from office.key.pub"),
    ("office.key.pub", changed("key-1", "key-2"), "Verify signed.xml --from office.key.pub"),
    ("reuse.sdx/catalog.sqlite", newer_collection, "FindReuse reuse.sdx"),
    ("reuse.sdx/catalog.sqlite", newer_collection, "AddDocuments reuse.sdx texts"),
])  # fmt: skip
def test_a_newer_format_is_refused_in_a_sentence_that_names_the_file(
    file: str, change: Callable[[Path], None], command: str, release: Callable[[str], Path]
) -> None:
    release("0.1.0")
    change(Path(file))
    check_refused(here(*command.split()), 5, file.partition("/")[0], "version 2", "sdtext")
    assert not Path("new.xml").exists()
