"""Deduplicate --unit as a user has it: cut records, what was removed, and how it is restored."""

from __future__ import annotations

import csv
import gzip
import json
from hashlib import blake2b
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .command import check_named, check_refused, done, here

LINES = (
    b'{"id": "a", "text": "Caf\xc3\xa9s open. Subscribe now!\\n\\nOne more.", "n": 1.50}\r\n'
    b"\n"
    b'{"n": [1, {"text": "x"}], "text" : "First.\\n\\nCAF\\u00c9S open; subscribe now\\n\\nLast.",'
    b'"id":"b"}\n'
    b"no record\n"
    b'{"id": "c", "text": "one more"}'
)
KEPT = (
    b'{"id": "a", "text": "Caf\xc3\xa9s open. Subscribe now!\\n\\nOne more.", "n": 1.50}\r\n'
    b"\n"
    b'{"n": [1, {"text": "x"}], "text" : "First.\\n\\nLast.","id":"b"}\n'
    b"no record\n"
    b'{"id": "c", "text": ""}'
)


@pytest.fixture
def records(folder: Path) -> str:
    (folder / "a.jsonl").write_bytes(LINES)
    return "a.jsonl"


@pytest.mark.parametrize("ending", ["jsonl", "csv", "json"])
def test_repeated_paragraphs_are_removed_and_restored(records: str, ending: str) -> None:
    removed = f"removed.{ending}"
    outcome = here(
        "Deduplicate", records, "--unit", "paragraph", "-o", "kept.jsonl", "--removed", removed
    )
    assert outcome.code == 3  # a line is no record
    assert "3 read, 2 paragraphs (6 of 14 words) removed from 2" in outcome.errors
    assert Path("kept.jsonl").read_bytes() == KEPT
    outcome = done("Deduplicate", "kept.jsonl", "--restore", removed, "-o", "again.jsonl")
    assert outcome.errors == ["2 texts restored"]
    texts = [json.loads(line)["text"] for line in LINES.splitlines() if line[:1] == b"{"]
    again = [line for line in Path("again.jsonl").read_bytes().splitlines() if line[:1] == b"{"]
    assert [json.loads(line)["text"] for line in again] == texts


def test_what_is_removed_stands_with_its_places(records: str) -> None:
    here("Deduplicate", records, "--unit", "sentence", "-o", "k.jsonl", "--removed", "r.csv")
    with Path("r.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [[*row.values()] for row in rows] == [
        ["c", "5", "0", "8", "a", "28", "37", "2", "one more", blake2b(digest_size=8).hexdigest()]
    ]


def test_folders_give_json_lines(folder: Path) -> None:
    texts = folder / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("Bees dance.\n\nThey sing.\n", "utf-8")
    (texts / "b.txt").write_text("So it is.\n\nbees dance\n", "utf-8")
    done(
        "Deduplicate", "texts", "--unit", "paragraph", "-o", "kept.jsonl.gz", "--removed", "r.jsonl"
    )
    rows = [
        json.loads(line)
        for line in gzip.decompress(Path("kept.jsonl.gz").read_bytes()).splitlines()
    ]
    assert rows == [
        {"id": "texts/a.txt", "text": "Bees dance.\n\nThey sing.\n"},
        {"id": "texts/b.txt", "text": "So it is.\n"},
    ]
    done("Deduplicate", "kept.jsonl.gz", "--restore", "r.jsonl", "-o", "again.jsonl")
    again = [json.loads(line)["text"] for line in Path("again.jsonl").read_text().splitlines()]
    assert again == [(texts / name).read_text() for name in ("a.txt", "b.txt")]


def test_several_files_keep_their_lines_apart(folder: Path) -> None:
    (folder / "a.jsonl").write_bytes(b'{"text": "Bees dance."}')
    (folder / "b.jsonl").write_bytes(b'\xef\xbb\xbf{"text": "bees dance\\n\\nSo."}\n{"text": "so"}')
    outcome = done(
        "Deduplicate", "a.jsonl", "b.jsonl", "--unit", "paragraph", "-o", "kept.jsonl",
        "--removed", "r.jsonl", "--format", "json",
    )  # fmt: skip
    rows = [json.loads(line) for line in Path("kept.jsonl").read_bytes().splitlines()]
    assert rows == [{"text": "Bees dance."}, {"text": "So."}, {"text": ""}]
    removed = [json.loads(line) for line in Path("r.jsonl").read_bytes().splitlines()]
    assert [(row["document"], row["record"]) for row in removed] == [
        ("b.jsonl#1", 2),
        ("b.jsonl#2", 3),
    ]
    assert json.loads(outcome.out) == {
        "schema": "sdtext/deduplicated-passages/1",
        "documents": 3, "changed": 2, "removed": 2, "removed_words": 3, "words": 6,
        "problems": [],
    }  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "json", "parquet", "jsonl.gz"])
def test_records_stay_in_their_format(folder: Path, ending: str) -> None:
    rows = [{"id": n, "text": f"It is {n}.\n\nShare it!", "of": "bees"} for n in range(3)]
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    first, kept, again = (f"{name}.{ending}" for name in ("a", "kept", "again"))
    done("Deduplicate", "a.jsonl", "--unit", "document", "-s", "99", "-o", first)
    done("Deduplicate", first, "--unit", "paragraph", "-o", kept, "--removed", "r.jsonl")
    done("Deduplicate", kept, "--unit", "document", "-s", "99", "-o", "kept.jsonl")
    texts = [json.loads(line)["text"] for line in Path("kept.jsonl").read_bytes().splitlines()]
    assert texts == [rows[0]["text"], "It is 1.", "It is 2."]
    done("Deduplicate", kept, "--restore", "r.jsonl", "-o", again)
    assert Path(again).read_bytes() == Path(first).read_bytes()


@pytest.mark.usefixtures("folder")
def test_columns_of_parquet_keep_their_types() -> None:
    columns = {
        "n": pa.array([7, None], pa.int8()),
        "when": pa.array([1, 2], pa.timestamp("ms")),
        "tags": [["a"], ["b", "c"]],
    }
    for name, texts in (
        ("a", ["Bees dance.", "So it is."]),
        ("b", ["It is.\n\nbees dance", "No."]),
    ):
        pq.write_table(pa.table({"text": texts, **columns}), f"{name}.parquet")
    files = ("a.parquet", "b.parquet")
    unit = ("--unit", "paragraph", "--removed", "r.jsonl")
    done("Deduplicate", *files, *unit, "-o", "kept.parquet")
    before = pa.concat_tables([*map(pq.read_table, files)])
    kept = pq.read_table("kept.parquet")
    assert kept.schema == before.schema
    assert kept.drop(["text"]) == before.drop(["text"])
    assert kept["text"].to_pylist() == ["Bees dance.", "So it is.", "It is.", "No."]
    done("Deduplicate", "kept.parquet", "--restore", "r.jsonl", "-o", "again.parquet")
    assert pq.read_table("again.parquet") == before
    pq.write_table(pa.table({"text": ["Bees dance."]}), "c.parquet")
    outcome = here("Deduplicate", "a.parquet", "c.parquet", *unit, "-o", "mixed.parquet", "--force")
    check_refused(outcome, 2, "c.parquet: has other columns than a.parquet")


def test_a_number_of_copies_stays(folder: Path) -> None:
    texts = ["Bees dance."] * 4 + ["They sing."] * 2
    (folder / "a.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts))
    options = ("Deduplicate", "a.jsonl", "--unit", "paragraph", "--force", "-o", "kept.jsonl")

    def kept() -> list[bool]:
        return [
            bool(json.loads(line)["text"]) for line in Path("kept.jsonl").read_bytes().splitlines()
        ]

    done(*options, "--min-copies", "3")
    assert kept() == [True, True, True, False, True, True]
    done(*options, "--min-frequency", "3")
    assert kept() == [True, False, False, False, True, True]


def test_a_dry_run_estimates_the_work(folder: Path) -> None:
    texts = [f"The bees of hive {n} dance. They sing.\n\nAnd so on." for n in range(1500)]
    (folder / "a.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts))
    for unit, words, units in (("passage", 1500 * 11, 1500 * 3), ("paragraph", 1500 * 11, 3000)):
        outcome = done("Deduplicate", "a.jsonl", "--unit", unit, "--dry-run", "--format", "json")
        plan = outcome.json
        assert (plan["documents"], plan["sampled"]) == (1500, 1000)
        assert (plan["words"], plan["units"]) == (words, units)
        assert 50e6 < plan["memory"] < 300e6
        assert plan["disk"] >= 12 * words
        assert 0 < plan["seconds"] < 60
        assert "estimated from 1,000 of 1,500 documents" in outcome.err
    assert {path.name for path in folder.iterdir()} == {"a.jsonl"}


def test_options_that_do_not_fit_are_refused(records: str) -> None:
    unit = ("Deduplicate", records, "-o", "kept.jsonl", "--unit", "sentence")
    check_refused(here(*unit, "-s", "50"), 2, "--min-score: is for --unit document")
    check_refused(here(*unit, "--clusters", "c.csv"), 2, "--clusters: is for --unit document")
    check_refused(
        here("Deduplicate", records, "-o", "kept.jsonl", "--min-tokens", "9"),
        2,
        "--min-tokens: is for --unit paragraph, sentence, passage; this is --unit document",
    )
    check_refused(
        here("Deduplicate", records, "-o", "kept.jsonl", "--distance", "3"),
        2,
        "--distance: is for --unit passage; this is --unit document",
    )


def test_a_list_of_another_run_is_refused(records: str) -> None:
    here("Deduplicate", records, "--unit", "sentence", "-o", "kept.jsonl", "--removed", "r.jsonl")
    Path("short.jsonl").write_bytes(b'{"text": ""}\n')
    for kept, removed, message in (
        ("short.jsonl", "r.jsonl", "short.jsonl: has no record 5"),
        ("kept.jsonl", records, "a.jsonl: is no list of removed passages"),
    ):
        outcome = here("Deduplicate", kept, "--restore", removed, "-o", "again.jsonl")
        check_named(outcome, 5, message)
        assert not Path("again.jsonl").exists()


def test_a_list_that_fits_another_text_is_refused(records: str) -> None:
    """The offsets fit: that the texts are others is known by their digests."""
    here("Deduplicate", records, "--unit", "paragraph", "-o", "kept.jsonl", "--removed", "r.jsonl")
    kept = Path("kept.jsonl").read_bytes()
    restore = ("Deduplicate", "kept.jsonl", "--restore", "r.jsonl", "-o", "again.jsonl")
    Path("kept.jsonl").write_bytes(kept.replace(b"First", b"Third"))
    check_named(here(*restore), 5, "the passages were removed from another text")
    assert not Path("again.jsonl").exists()
    Path("kept.jsonl").write_bytes(kept)
    rows = [json.loads(line) for line in Path("r.jsonl").read_text("utf-8").splitlines()]
    old = [json.dumps({**row, "digest": ""}) for row in rows]
    Path("r.jsonl").write_text("\n".join(old).replace(', "digest": ""', ""), "utf-8")
    assert done(*restore).errors[0].endswith("; r.jsonl has no digests to check them by")
    assert Path("again.jsonl").read_bytes() == Path(records).read_bytes()
