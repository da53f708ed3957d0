"""Deduplicate and Decontaminate as a user has them: outputs, messages, refusals, restored text."""

import bz2
import csv
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from backports import zstd

from sdtext import Document, Reading, RemovedPassage, Run, deduplicate, restore
from tests.support.command import ROOT, check_refused, done, here, prose
from tests.support.deduplication import edited


def lines() -> list[bytes]:
    """Twelve records: of the texts 0 to 5 each twice, 5 with a word changed."""
    texts = [prose(seed, 100) for seed in range(6)]
    rows = enumerate([*texts, *texts[:5], edited(texts[5], 1)])
    return [json.dumps({"id": f"r{n}", "text": text}).encode() + b"\r\n" for n, text in rows]


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


def warnings_of(**options: Any) -> list[str]:
    return [f"warning: {each.message}" for each in deduplicate("r.csv", **options).problems]


@pytest.mark.parametrize(("encoding", "output"), [("windows-1256", "k.csv"), ("utf-16", "k.tsv")])
def test_a_table_in_another_encoding_is_written_in_utf_8_with_a_warning(
    folder: Path, encoding: str, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (
        "كل إنسان حق التمتع بكافة الحقوق " if encoding == "windows-1256" else "国际和平及安全之威胁"
    )
    table = f"id,text\n1,{words * 9}\n2,{words * 9}\n"
    (folder / "r.csv").write_bytes(table.encode(encoding))
    named = Run(reading=Reading(encoding))
    assert other_encoding(encoding) in warnings_of(output=output, run=named)
    delimiter = "," if output == "k.csv" else "\t"
    kept = csv.DictReader(Path(output).read_text("utf-8-sig").splitlines(), delimiter=delimiter)
    assert [*kept] == [{"id": "1", "text": words * 9}]
    detected = done("Deduplicate", "r.csv", "-o", output, "--force").errors[-1]
    assert detected.startswith("warning: r.csv: is in ")
    assert detected.endswith(other_encoding("").partition(", ")[2])
    options: list[dict[str, Any]] = [{"mark": True}, {"unit": "paragraph"}]
    for more in options:
        again = warnings_of(output=output, force=True, run=named, **more)
        assert other_encoding(encoding) in again
    monkeypatch.setenv("SDTEXT_ENCODING", encoding)
    for verb in (("Deduplicate",), ("Decontaminate", "--benchmark", "r.csv")):
        assert other_encoding(encoding) in here(*verb, "r.csv", "-o", output, "--force").errors


@pytest.mark.parametrize("header", ["id;text", '"id";"text"', "id,text", '"id"\t"text"'])
@pytest.mark.usefixtures("folder")
def test_a_table_keeps_its_separator_and_quotes(header: str) -> None:
    text = " ".join(prose(1, 60).split())
    rows = [header.replace("id", name).replace("text", f"One. {text}.") for name in "ab"]
    Path("t.csv").write_text("\n".join([header, *rows, header.replace("text", "Two."), ""]))
    Path("b.jsonl").write_text(json.dumps({"text": text}))
    clean = ("Decontaminate", "--benchmark", "b.jsonl")
    for verb in (("Deduplicate", "--mark"), ("Deduplicate", "--unit", "sentence"),
                 (*clean, "--action", "mark"), (*clean, "--action", "cut")):  # fmt: skip
        done(*verb, "t.csv", "-o", "kept.csv", "--force")
        lines = Path("kept.csv").read_text().splitlines()
        assert lines[0].startswith(header)
        assert lines[-1].startswith(header.replace("text", "Two."))


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


LINES, KEPT = (
    (ROOT / "tests" / "samples" / name).read_bytes()
    for name in ("repeated.jsonl", "repeated-kept.jsonl")
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


QUESTION = "How do bees show other bees the way to a distant meadow full of flowers?"
BENCHMARK = ("--benchmark", "quiz.jsonl")


def page(place: int) -> dict[str, object]:
    """A record; every third one holds the question."""
    text = prose(place, 60)
    if place % 3 == 0:
        text += QUESTION.lower().replace(" way", "\nway") + " By a dance.\n" + prose(place + 50, 60)
    return {"id": f"p{place}", "text": text, "year": 2000 + place}


@pytest.fixture
def corpus(folder: Path) -> list[bytes]:
    """The lines of pages.jsonl, without a line end at its end; and the items in quiz.jsonl."""
    items = [{"question": QUESTION, "answer": "by a dance"}, {"question": "Is it?"}]
    (folder / "quiz.jsonl").write_text("\n".join(map(json.dumps, items)), "utf-8")
    lines = [json.dumps(page(place)).encode() for place in range(6)]
    (folder / "pages.jsonl").write_bytes(b"\r\n".join(lines))
    return lines


def test_parquet_and_documents_are_decontaminated(corpus: list[bytes]) -> None:
    rows = [json.loads(line) for line in corpus]
    pq.write_table(pa.Table.from_pylist(rows), "pages.parquet")
    done("Decontaminate", "pages.parquet", *BENCHMARK, "-o", "clean.parquet")
    assert pq.read_table("clean.parquet")["id"].to_pylist() == ["p1", "p2", "p4", "p5"]
    done("Decontaminate", "pages.parquet", *BENCHMARK, "-o", "cut.parquet", "--action", "cut")
    cut = pq.read_table("cut.parquet").to_pylist()
    assert [row["id"] for row in cut] == [row["id"] for row in rows]
    assert [row == other for row, other in zip(cut, rows, strict=True)] == [False, True, True] * 2
    Path("texts").mkdir()
    for row in rows[:2]:
        Path("texts", f"{row['id']}.txt").write_text(row["text"], "utf-8")
    outcome = done("Decontaminate", "texts", *BENCHMARK, "-o", "kept.txt")
    assert outcome.out.count(b"\n") == 2
    assert Path("kept.txt").read_text("utf-8") == "texts/p1.txt\n"
    line = ("Decontaminate", "texts", *BENCHMARK, "-o", "cut.txt", "--action", "cut")
    check_refused(here(*line), 2, "action")
