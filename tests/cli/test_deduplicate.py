"""Deduplicate as a user has it: outputs, messages, refusals; passages that are restored."""

import bz2
import csv
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from backports import zstd

from sdtext import Document, RemovedPassage, restore
from tests.support.command import check_refused, done, here, prose


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
def with_copies(folder: Path) -> str:
    (folder / "a.jsonl").write_bytes(LINES)
    return "a.jsonl"


def texts_of(data: bytes) -> list[str]:
    """The texts of the lines of JSON; of another line it is empty."""
    lines = data.split(b"\n")
    return [json.loads(line)["text"] if line[:1] == b"{" else "" for line in lines]


def kept_and_removed(kept: str, removed: str) -> tuple[list[Document], list[RemovedPassage]]:
    """The texts of the lines that are kept, and the rows of --removed."""
    if removed.endswith(".parquet"):
        rows = pq.read_table(removed).to_pylist()
    elif removed.endswith(".json"):
        rows = json.loads(Path(removed).read_bytes())["rows"]
    else:
        rows = [json.loads(line) for line in Path(removed).read_bytes().splitlines()]
    texts = texts_of(Path(kept).read_bytes())
    return [*map(Document.of, texts)], [RemovedPassage(**row) for row in rows]


@pytest.mark.parametrize("ending", ["jsonl", "json", "parquet"])
def test_repeated_paragraphs_are_removed_and_restored(with_copies: str, ending: str) -> None:
    removed = f"removed.{ending}"
    outcome = here(
        "Deduplicate", with_copies, "--unit", "paragraph", "-o", "kept.jsonl", "--removed", removed
    )
    assert outcome.code == 3  # a line is no record
    assert "3 read, 2 paragraphs (6 of 14 words) removed from 2" in outcome.errors
    assert Path("kept.jsonl").read_bytes() == KEPT
    again = restore(*kept_and_removed("kept.jsonl", removed))
    assert [document.text for document in again] == texts_of(LINES)
