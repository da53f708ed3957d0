"""Deduplicate as a user has it: outputs, messages, refusals."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from backports import zstd

from tests.support.command import (
    check_refused,
    done,
    here,
    prose,
)

HOW_ALL = (
    "all shingles compared; verified exactly; minimum score 80, at which 2 of 100 words may differ "
    "in a text of the median length"
)
"""How pairs are found among few, where no recall is named."""


def edited(text: str, words: int) -> str:
    """`text` with so many of its first words replaced."""
    result = text.split()
    return " ".join([*(f"new{place}" for place in range(words)), *result[words:]])


def lines() -> list[bytes]:
    """Twelve records: of the texts 0 to 5 each twice, 5 with a word changed."""
    texts = [prose(seed, 100) for seed in range(6)]
    rows = [*texts, *texts[:5], edited(texts[5], 3)]
    return [
        json.dumps({"id": f"r{place}", "text": text}, ensure_ascii=False).encode() + b"\r\n"
        for place, text in enumerate(rows)
    ]


@pytest.fixture
def records(folder: Path) -> str:
    (folder / "a.jsonl").write_bytes(b"".join(lines()))
    return "a.jsonl"


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


def test_kept_and_removed_documents_and_their_pairs_are_written(records: str) -> None:
    outcome = here(
        "Deduplicate", records, "-o", "kept.jsonl",
        "--removed", "removed.csv", "--clusters", "clusters.jsonl",
    )  # fmt: skip
    assert outcome.code == 0
    assert outcome.errors == [HOW_ALL, "12 read, 6 kept, 6 removed in 6 clusters"]
    assert outcome.out == b""
    assert Path("kept.jsonl").read_bytes() == b"".join(lines()[:6])
    with Path("removed.csv").open(encoding="utf-8", newline="") as file:
        removed = list(csv.DictReader(file))
    assert [(row["document"], row["kept"]) for row in removed] == [
        (f"r{place + 6}", f"r{place}") for place in range(6)
    ]
    assert [row["score"] for row in removed[:5]] == ["99"] * 5
    assert 80 <= int(removed[5]["score"]) < 99
    clusters = [json.loads(line) for line in Path("clusters.jsonl").read_text().splitlines()]
    assert [cluster["cluster"] for cluster in clusters] == [*range(1, 7)]
    assert [cluster["members"] for cluster in clusters] == [
        [f"r{n}", f"r{n + 6}"] for n in range(6)
    ]
    assert clusters[5] == {
        "cluster": 6,
        "documents": 2,
        "kept": "r5",
        "weakest": round(float(removed[5]["similarity"]), 6),
        "mean": round(float(removed[5]["similarity"]), 6),
        "members": ["r5", "r11"],
    }
    assert files() == {"a.jsonl", "kept.jsonl", "removed.csv", "clusters.jsonl"}


def test_a_damaged_input_leaves_no_result(records: str) -> None:
    Path("b.jsonl.gz").write_bytes(gzip.compress(Path(records).read_bytes())[:-12])
    outcome = here("Deduplicate", records, "b.jsonl.gz", "-o", "kept.jsonl", "--removed", "r.csv")
    check_refused(outcome, 3, "b.jsonl.gz")
    assert files() == {"a.jsonl", "b.jsonl.gz"}


def as_rows(path: str) -> list[dict[str, str]]:
    """The rows of a file, by the standard library and pyarrow alone."""
    data = Path(path).read_bytes()
    data = gzip.decompress(data) if path.endswith(".gz") else data
    name = path.removesuffix(".gz")
    if name.endswith(".parquet"):
        return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
    if name.endswith((".csv", ".tsv")):
        sign = "\t" if name.endswith(".tsv") else ","
        return list(csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter=sign))
    if name.endswith(".json"):
        return json.loads(data)  # type: ignore[no-any-return]
    return [json.loads(line) for line in data.splitlines()]


def test_records_of_every_format_are_kept_in_every_format(records: str) -> None:
    rows = [json.loads(line) for line in lines()]
    names = ["a.jsonl", "a.json", "a.csv", "a.tsv.gz", "a.parquet"]
    for name in names[1:]:
        kept = done("Deduplicate", records, "-s", "99", "-o", name).errors[-1]
        assert kept == "12 read, 7 kept, 5 removed in 5 clusters"
    for number, name in enumerate(names[1:], 1):
        other = names[number - 2]
        done("Deduplicate", name, "-o", f"k-{other}")
        assert as_rows(f"k-{other}") == rows[:6]
    done("Deduplicate", *names, "-o", "several.jsonl", "--jobs", "1")
    assert [row["id"] for row in as_rows("several.jsonl")] == [f"r{n}" for n in range(6)]


@pytest.mark.parametrize(("pack", "jobs"), [(bytes, "1"), (gzip.compress, "2")])
def test_records_come_by_the_standard_input(
    pack: Callable[[bytes], bytes], jobs: str, folder: Path
) -> None:
    data = pack(b"\n" + b"".join(lines()))
    arguments = ("Deduplicate", "-", "-o", "kept.jsonl", "--removed", "r.csv", "--jobs", jobs)
    outcome = here(*arguments, stdin=data)
    assert outcome.errors[-1] == "12 read, 6 kept, 6 removed in 6 clusters"
    assert Path("kept.jsonl").read_bytes() == b"\n" + b"".join(lines()[:6])
    assert "r6,r0," in Path("r.csv").read_text()
    assert folder.joinpath("kept.jsonl").exists()


def other_encoding(name: str) -> str:
    what = f"is in {name}, and the output is written in UTF-8; open it as UTF-8"
    return f"warning: r.csv: {what}"


@pytest.mark.parametrize(("encoding", "output"), [("windows-1256", "k.csv"), ("utf-16", "k.tsv")])
def test_a_table_in_another_encoding_is_written_in_utf_8_with_a_warning(
    folder: Path, encoding: str, output: str
) -> None:
    words = (
        "كل إنسان حق التمتع بكافة الحقوق " if encoding == "windows-1256" else "国际和平及安全之威胁"
    )
    table = f"id,text\n1,{words * 9}\n2,{words * 9}\n"
    (folder / "r.csv").write_bytes(table.encode(encoding))
    outcome = done("Deduplicate", "r.csv", "-o", output, "--encoding", encoding)
    assert outcome.errors[-1] == other_encoding(encoding)
    delimiter = "," if output == "k.csv" else "\t"
    kept = csv.DictReader(Path(output).read_text("utf-8-sig").splitlines(), delimiter=delimiter)
    assert [*kept] == [{"id": "1", "text": words * 9}]
    detected = done("Deduplicate", "r.csv", "-o", output, "--force").errors[-1]
    assert detected.startswith("warning: r.csv: is in ")
    assert detected.endswith(other_encoding("").partition(", ")[2])
    for options in (["--mark"], ["--unit", "paragraph"]):
        line = ("Deduplicate", "r.csv", "-o", output, "--force", "--encoding", encoding)
        assert other_encoding(encoding) in done(*line, *options).errors


@pytest.mark.parametrize("form", ["json", "csv"])
def test_files_of_rows_are_compressed_as_their_names_say(records: str, form: str) -> None:
    names = {"--removed": "r", "--clusters": "c"}

    def written(ending: str, *more: str) -> None:
        outputs = [word for option, name in names.items() for word in (option, name + ending)]
        done("Deduplicate", records, "-o", "-", *outputs, *more)

    written(f".{form}")
    for ending, unpack in (
        (".gz", gzip.decompress),
        (".bz2", bz2.decompress),
        (".xz", lzma.decompress),
        (".zst", zstd.decompress),
    ):
        written(f".{form}{ending}")
        for name in names.values():
            packed = Path(f"{name}.{form}{ending}").read_bytes()
            assert unpack(packed) == Path(f"{name}.{form}").read_bytes()
        written(f".{form}{ending}", "-s", "90")  # a list of removed documents is replaced
    line = ("Deduplicate", records, "-o", "x.jsonl", "--removed")
    check_refused(here(*line, f"x.{form}.zip"), 2)
    check_refused(here(*line, "x.parquet.gz"), 2)
    Path("x.csv.gz").write_bytes(gzip.compress(b"mine"))
    check_refused(here(*line, "x.csv.gz"), 6)
