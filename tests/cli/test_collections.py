"""AddDocuments, RemoveDocuments, ShowCollection as a user has them."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from sdtext.collections.storage import catalog
from sdtext.collections.stored_collection import StoredCollection
from tests.support.command import (
    NOISE,
    SDTEXT,
    chance,
    check_named,
    done,
    here,
    prose,
    words,
    write_texts,
)

RECIPE = """
tokenizer = "words"
filters = ["lowercase", "strip-punctuation"]
shingler = { name = "words", length = 3 }
fingerprint = { name = "minhash", slots = 64 }
index = { name = "bands", similarity = 0.5, recall = 0.9 }
matcher = "jaccard"
"""
ADD = ("AddDocuments", "x.sdx")
STAYS = "their data may stay on disk until --purge rewrites it"
GONE = "no data of removed documents is left on disk"
TABLE = "file,year,organisation\n000.txt,2018,HUT\n001.txt,2019,HUT\n002.txt,2020,TKK\n"


@pytest.fixture
def texts(folder: Path) -> Path:
    Path("recipe.toml").write_text(RECIPE, "utf-8")
    return write_texts(folder / "texts", 6, words=60)


@pytest.fixture
def collection(texts: Path) -> str:
    Path("facts.csv").write_text(TABLE, "utf-8")
    done(*ADD, texts, "-c", "recipe.toml", "--metadata", "facts.csv")
    return "x.sdx"


def shown(*more: str) -> Any:
    return done("ShowCollection", "x.sdx", *more, "--format", "json").json


def names(*more: str) -> list[str]:
    return [row["document"] for row in shown("--documents", *more)["rows"]]


def test_a_collection_grows_and_says_how(texts: Path) -> None:
    first = done(*ADD, texts, "-c", "recipe.toml")
    assert first.out == b""
    assert first.errors == ["6 added; 6 documents in x.sdx"]
    (texts / "new.txt").write_text(prose(50), "utf-8")
    (texts / "003.txt").write_text(prose(51), "utf-8")
    (texts / "bad.bin").write_bytes(b"Rar!" + NOISE)
    second = here(*ADD, texts)
    check_named(second, 3, "bad.bin")
    assert (
        second.errors[0] == "1 added, 5 unchanged, 1 replaced, 1 unreadable; 7 documents in x.sdx"
    )
    (texts / "bad.bin").unlink()
    assert done(*ADD, texts).errors == ["7 unchanged; 7 documents in x.sdx"]


def on_disk(path: str) -> bytes:
    """All bytes of all files of a collection."""
    files = [item for item in Path(path).rglob("*") if item.is_file()]
    return b"".join(str(item).encode() + item.read_bytes() for item in files)


def test_nothing_is_left_of_what_is_purged(texts: Path) -> None:
    secrets = b"zanzibar", b"xylophone", b"marzipan"
    for number, (word, metadata) in enumerate([("zanzibar", "xylophone"), ("gooseberry", "plum")]):
        (texts / f"{'marzipan' if word == 'zanzibar' else 'plain'}.txt").write_text(
            f"{word} pudding is eaten here {number} times a year by everybody\n", "utf-8"
        )
        with Path("facts.csv").open("a", encoding="utf-8") as table:
            table.write("file,who\n" if not number else "")
            table.write(f"{'marzipan' if word == 'zanzibar' else 'plain'}.txt,{metadata}\n")
    done(*ADD, texts, "-c", "recipe.toml", "--metadata", "facts.csv", "--keep-text")
    done("FindPairs", "x.sdx")
    assert all(word in on_disk("x.sdx") for word in secrets)
    assert done("RemoveDocuments", "x.sdx", "marzipan.txt").errors[-1] == STAYS
    assert any(word in on_disk("x.sdx") for word in secrets)
    assert done("RemoveDocuments", "x.sdx", "--purge").errors == [GONE]
    left = on_disk("x.sdx")
    assert not [word for word in secrets if word in left]
    assert b"gooseberry" in left
    assert b"plain.txt" in left
    outcome = done("RemoveDocuments", "x.sdx", "plain.txt", "--purge")
    assert outcome.errors == ["1 document removed from x.sdx, which has 6 documents", GONE]
    assert b"gooseberry" not in on_disk("x.sdx")
    tried = done("RemoveDocuments", "x.sdx", "000.txt", "--purge", "--dry-run")
    assert tried.errors == ["1 document would be removed from x.sdx, which has 6 documents"]


def test_disk_space_held_by_a_reader_is_reported(
    collection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "_SHORT", 1)
    reader = StoredCollection.open(collection)
    outcome = here("RemoveDocuments", collection, "003.txt", "--purge")
    assert outcome.code == 6
    assert outcome.errors[0] == "1 document removed from x.sdx, which has 5 documents"
    assert "another process is reading it" in outcome.errors[1]
    assert len(reader) == 6
    assert len(list(reader.documents())) == 6
    assert b"003.txt" in on_disk(collection)
    del reader, outcome
    gc.collect()  # the command ran in this process
    assert done("RemoveDocuments", collection, "--purge").errors[-1] == GONE
    assert b"003.txt" not in on_disk(collection)


def test_unknown_documents_are_reported_and_the_rest_removed(collection: str) -> None:
    huge = "9" * 5000
    outcome = here("RemoveDocuments", collection, "003.txt", "nothing.txt", "999", huge)
    assert outcome.code == 3
    assert [line for line in outcome.errors if "nothing.txt" in line]
    assert [line for line in outcome.errors if "'999'" in line]
    assert len(outcome.errors) == 5
    assert all(len(line) < 300 for line in outcome.errors)
    assert "003.txt" not in names()
    assert len(names()) == 5


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.deep), "2"])
def test_a_run_that_is_killed_leaves_a_collection_that_goes_on(folder: Path, jobs: str) -> None:
    Path("recipe.toml").write_text(RECIPE, "utf-8")
    texts = write_texts(folder / "many", 400, words=300)
    line = [*SDTEXT, *words([*ADD, texts, "-c", "recipe.toml", "--jobs", jobs])]
    draw = chance(5)
    for _ in range(3):
        with subprocess.Popen(line, stderr=subprocess.DEVNULL, start_new_session=True) as process:
            time.sleep(draw.uniform(0.2, 1.5))
            os.killpg(process.pid, signal.SIGKILL)
    assert done(*ADD, texts, "-c", "recipe.toml").errors[-1].endswith("400 documents in x.sdx")
    assert list(StoredCollection.open("x.sdx").verify()) == []
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []
