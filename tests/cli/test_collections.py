"""AddDocuments, RemoveDocuments, ShowCollection as a user has them."""

from __future__ import annotations

import gc
import gzip
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from sdtext.collections.storage import catalog
from sdtext.collections.stored_collection import StoredCollection

from .command import (
    NOISE,
    SDTEXT,
    chance,
    check_named,
    check_refused,
    check_usage,
    done,
    here,
    prose,
    there,
    words,
    write_texts,
)
from .conftest import Shelf

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


def test_records_come_by_the_standard_input(texts: Path) -> None:
    rows = [{"id": f"r{seed}", "text": prose(seed, 60), "year": 2000 + seed} for seed in range(3)]
    data = gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    assert here(*ADD, "-", "-c", "recipe.toml", stdin=data).errors == [
        "3 added; 3 documents in x.sdx"
    ]
    assert names("--where", "year >= 2001") == ["r1", "r2"]
    os.chdir(texts)  # it is the same input wherever one stands
    again = here("AddDocuments", "../x.sdx", "-", stdin=data)
    assert again.errors == ["3 unchanged; 3 documents in ../x.sdx"]
    plain = here("AddDocuments", "../x.sdx", "-", stdin=prose(9, 60).encode())
    assert plain.errors == ["1 added; 4 documents in ../x.sdx"]


@pytest.mark.usefixtures("texts")
def test_the_length_of_shingles_suits_the_standard_input() -> None:
    recipe = 'tokenizer = "words"\nshingler = "characters"\nfingerprint = "shingles"\n'
    Path("auto.toml").write_text(recipe, "utf-8")
    data = (json.dumps({"text": prose(1, 20_000)}) + "\n").encode()
    Path("a.jsonl").write_bytes(data)
    expected = done("AddDocuments", "y.sdx", "a.jsonl", "-c", "auto.toml").errors[0]
    piped = here(*ADD, "-", "-c", "auto.toml", stdin=data)
    assert piped.errors[0] == expected


@pytest.mark.usefixtures("texts")
def test_a_field_that_no_record_has_is_refused_and_nothing_made() -> None:
    rows = [{"id": n, "text": prose(n, 60)} for n in range(20)]
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    outcome = here(*ADD, "a.jsonl", "-c", "recipe.toml", "--text-field", "body")
    check_refused(outcome, 2, "a.jsonl", "body")
    assert not Path("x.sdx").exists()


def test_show_collection_says_all_of_it(collection: str, texts: Path) -> None:
    record = shown()
    assert record["schema"] == "sdtext/collection/1"
    assert record["documents"] == 6
    assert record["name"] == collection
    assert record["shingler"] == "words(length=3)"
    assert record["fingerprint"] == "minhash(slots=64)"
    assert record["filters"] == ["lowercase", "strip-punctuation"]
    assert record["arrays"] == ["shingles", "sketches", "tokens", "words"]
    assert record["metadata"] == ["organisation", "year"]
    assert record["texts"] is False
    assert record["bytes"] > sum(path.stat().st_size for path in texts.iterdir())
    bands, rows = 64 // 3, 3  # 1 - (1 - 0.5**3)**21 = 0.939; with 4 rows it is 0.644
    likely = 1 - (1 - 0.5**rows) ** bands
    assert record["found"] == (
        f"bands: {bands} of {rows} rows; a pair at jaccard 0.50 is found with probability "
        f"{likely:.4f}"
    )
    assert [0.5, pytest.approx(likely)] in record["curve"]
    fields = {row["field"]: row["value"] for row in done("ShowCollection", collection).table}
    assert fields["documents"] == "6"
    assert fields["filters"] == "lowercase strip-punctuation"
    assert "0.939" in fields["found"]


def test_dictionaries_are_shown_where_there_are_any(shelf: Shelf, folder: Path) -> None:
    texts = write_texts(folder / "some", 3)
    done(*ADD, texts, "-d", shelf.trimmed)
    record = shown()
    [dictionary] = record["dictionaries"]
    assert record["arrays"] == [f"bits-{dictionary['digest'][:16]}"]
    assert "shingler" not in record
    assert "found" not in record
    fields = [row["field"] for row in done("ShowCollection", "x.sdx").table]
    assert "dictionaries.0.digest" in fields


def test_documents_are_listed_with_their_metadata(collection: str) -> None:
    rows = shown("--documents")["rows"]
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    facts = {"year": 2018, "organisation": "HUT"}
    size = len(prose(0, 60))
    wanted = {"id": 1, "document": "000.txt", "size": size, "metadata": facts}
    assert rows[0] == {**wanted, "root": str(Path("texts").resolve())}
    table = done("ShowCollection", collection, "--documents").table
    assert list(table[0]) == ["id", "document", "size", "metadata", "root"]
    assert json.loads(table[0]["metadata"]) == facts
    assert table[5]["metadata"] == "{}"
    assert names("--where", "year >= 2019 and organisation = 'HUT'") == ["001.txt"]
    only = shown("--where", "year >= 2019")["rows"]
    assert [row["document"] for row in only] == ["001.txt", "002.txt"]


def test_documents_are_removed_by_name_number_and_condition(collection: str) -> None:
    ids = {row["document"]: row["id"] for row in shown("--documents")["rows"]}
    outcome = done("RemoveDocuments", collection, "003.txt", ids["004.txt"])
    assert outcome.errors == ["2 documents removed from x.sdx, which has 4 documents", STAYS]
    assert names() == ["000.txt", "001.txt", "002.txt", "005.txt"]
    tried = done("RemoveDocuments", collection, "--where", "year < 2020", "--dry-run")
    assert tried.errors == ["2 documents would be removed from x.sdx, which has 4 documents"]
    assert len(names()) == 4
    done("RemoveDocuments", collection, "--where", "year < 2020")
    assert names() == ["002.txt", "005.txt"]
    assert done(*ADD, "texts/003.txt").errors == ["1 added; 3 documents in x.sdx"]


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


def test_pipes_in_a_folder_are_passed_over(texts: Path) -> None:
    os.mkfifo(texts / "pipe.txt")
    outcome = here(*ADD, texts, "-c", "recipe.toml")
    assert outcome.code == 0
    assert outcome.errors[-2] == "6 added; 6 documents in x.sdx"
    assert outcome.errors[-1].endswith("texts: 1 named pipe skipped")


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


def test_a_name_that_two_folders_have_is_not_guessed(collection: str, folder: Path) -> None:
    write_texts(folder / "others", 1)
    done(*ADD, "others")
    ids = [str(row["id"]) for row in shown("--documents")["rows"] if row["document"] == "000.txt"]
    outcome = here("RemoveDocuments", collection, "000.txt")
    assert outcome.code == 3
    assert all(item in outcome.errors[-1] for item in ids)
    assert len(names()) == 7
    done("RemoveDocuments", collection, ids[1])
    assert len(names()) == 6


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("RemoveDocuments x.sdx", "--where"),
        ("RemoveDocuments", "NAME.sdx"),
        ("AddDocuments x.sdx", "PATH"),
        ("AddDocuments", "NAME.sdx"),
        ("ShowCollection", "NAME.sdx"),
        ("ShowCollection x.sdx --format xml", "--format"),
    ],
)
def test_wrong_usage_is_reported(collection: str, line: str, named: str) -> None:
    assert collection
    check_usage(here(*line.split()), named)


def test_what_cannot_be_done_is_one_line(collection: str, texts: Path) -> None:
    check_refused(here("ShowCollection", collection, "--where", "year >"), 2, "where")
    check_refused(here("ShowCollection", "none.sdx"), 3, "none.sdx")
    check_refused(here("RemoveDocuments", "none.sdx", "a"), 3, "none.sdx")
    check_refused(here(*ADD, texts, "-c", texts / "none.toml"), 3, "none.toml")
    check_refused(here(*ADD, texts, "--metadata", "none.csv"), 3, "none.csv")
    for what in (texts, "recipe.toml"):
        for verb in ("ShowCollection", "AddDocuments", "RemoveDocuments"):
            rest = [] if verb == "ShowCollection" else [texts]
            outcome = here(verb, what, *rest)
            check_refused(outcome, outcome.code, Path(what).name)
            assert outcome.code in (3, 5)
    Path("other.toml").write_text(RECIPE.replace("length = 3", "length = 4"), "utf-8")
    check_refused(here(*ADD, texts, "-c", "other.toml"), 4, "x.sdx", "words(length=4)")


def test_a_damaged_collection_is_reported(collection: str) -> None:
    catalog = Path(collection) / "catalog.sqlite"
    data = catalog.read_bytes()
    catalog.write_bytes(data[:100] + b"\xff" * 200 + data[300:])
    check_refused(here("ShowCollection", collection), 5, "x.sdx")
    check_refused(here(*ADD, "texts"), 5, "x.sdx")
    catalog.write_bytes(b"")
    check_refused(here("ShowCollection", collection), 5, "x.sdx")


def test_a_missing_segment_is_reported(collection: str) -> None:
    next(Path(collection).rglob("sketches.npy")).unlink()
    check_refused(here("ShowCollection", collection), 5, "sketches.npy")


def test_a_text_is_kept_only_where_that_is_asked_for(texts: Path) -> None:
    (texts / "000.txt").write_text("unmistakable words stand here\n", "utf-8")
    done(*ADD, texts, "-c", "recipe.toml")
    assert shown()["texts"] is False
    done("AddDocuments", "y.sdx", texts, "-c", "recipe.toml", "--keep-text")
    held = [
        any(b"unmistakable words" in path.read_bytes() for path in Path(name).rglob("*.npy"))
        for name in ("x.sdx", "y.sdx")
    ]
    assert held == [False, True]


def test_records_are_added_by_the_names_of_their_fields(texts: Path) -> None:
    assert texts
    rows = [{"url": f"http://a/{n}", "body": prose(n, 30), "year": n} for n in range(5)]
    lines = [json.dumps(row) for row in rows]
    lines[2] = "{broken"
    Path("pages.jsonl").write_text("\n".join(lines), "utf-8")
    fields = ("--text-field", "body", "--id-field", "url")
    outcome = here(*ADD, "pages.jsonl", "-c", "recipe.toml", *fields)
    check_named(outcome, 3, "pages.jsonl")
    assert names("--where", "year > 2") == ["http://a/3", "http://a/4"]


def test_an_automatic_length_is_explained(texts: Path) -> None:
    Path("recipe.toml").write_text(
        RECIPE.replace('{ name = "words", length = 3 }', '"characters"'), "utf-8"
    )
    length, added = done(*ADD, texts, "-c", "recipe.toml").errors
    assert re.search(r"\d characters", length)
    assert "6 documents in x.sdx" in added


@pytest.mark.parametrize("verb", ["FindPairs", "ShowCollection", "RemoveDocuments"])
def test_a_condition_on_metadata_that_nobody_has_is_refused(collection: str, verb: str) -> None:
    check_refused(here(verb, collection, "--where", "yaer = 3 and size > 0"), 2, "yaer")


def test_two_writers_do_not_meet(collection: str, texts: Path) -> None:
    with sqlite3.connect(Path(collection) / "catalog.sqlite") as reader:
        reader.execute("SELECT count(*) FROM documents").fetchone()
        assert done(*ADD, texts).errors == ["6 unchanged; 6 documents in x.sdx"]


def test_the_verbs_work_in_a_process_of_their_own(texts: Path) -> None:
    outcome = there(*ADD, texts, "-c", "recipe.toml", "--jobs", "2")
    assert (outcome.code, outcome.errors) == (0, ["6 added; 6 documents in x.sdx"])
    outcome = there("ShowCollection", "x.sdx", "--format", "json")
    assert outcome.json["documents"] == 6


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
