"""Deduplicate as a user has it: outputs, messages, refusals."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from backports import zstd

from .command import (
    CONFIGS,
    NOISE,
    Outcome,
    check_named,
    check_partly,
    check_refused,
    check_usage,
    done,
    here,
    prose,
    write_texts,
)
from .test_find import edited

HOW_ALL = "all shingles compared; verified exactly; minimum score 80"
"""How pairs are found among few, where no recall is named."""


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


def test_documents_are_listed(folder: Path) -> None:
    texts = write_texts(folder / "texts", 3, words=60)
    copies = folder / "copies"
    copies.mkdir()
    (copies / "one.txt").write_text(prose(1, 60), "utf-8")
    outcome = done("Deduplicate", "texts", "copies", "-o", "kept.txt", "--removed", "-")
    assert Path("kept.txt").read_text() == "".join(f"texts/00{n}.txt\n" for n in range(3))
    assert [(row["document"], row["kept"]) for row in outcome.table] == [
        ("copies/one.txt", "texts/001.txt")
    ]
    (texts / "002.txt").write_bytes(b"Rar!" + NOISE)
    outcome = here("Deduplicate", "copies", "texts", "nowhere", "-o", "kept.txt", "--force")
    check_partly(outcome, 3, "nowhere", "002.txt")
    kept = ["copies/one.txt", "texts/000.txt", "texts/002.txt"]
    assert Path("kept.txt").read_text().splitlines() == kept


def test_nothing_is_written_into_the_collection(records: str) -> None:
    done("AddDocuments", "x.sdx", records, "-c", str(CONFIGS / "deduplicate.toml"))
    Path("link").symlink_to("x.sdx")
    before = sorted(Path("x.sdx").rglob("*"))
    for arguments in (
        ("-o", "x.sdx/kept.jsonl"),
        ("-o", "x.sdx/segments/kept.jsonl"),
        ("-o", "link/kept.jsonl"),
        ("-o", "k.jsonl", "--removed", "x.sdx/r.csv"),
    ):
        outcome = here("Deduplicate", records, *arguments, "--against", "x.sdx")
        check_refused(outcome, 6)
    assert sorted(Path("x.sdx").rglob("*")) == before


def test_lines_that_hold_no_record_stay(folder: Path) -> None:
    bad = [b'{"id": 1}\n', b"no json\n", b'{"text": " "}\n']
    (folder / "a.jsonl").write_bytes(b"".join([lines()[0], bad[0], *lines()[6:7], *bad[1:]]))
    outcome = here("Deduplicate", "a.jsonl", "-o", "kept.jsonl")
    check_partly(outcome, 3, "line 2", "line 4")
    assert "warning: a.jsonl: line 5: holds no text; it is kept as it is" in outcome.errors
    assert outcome.err.count("it is kept as it is") == 3
    assert Path("kept.jsonl").read_bytes() == b"".join([lines()[0], *bad])


def test_records_without_text_are_no_errors(folder: Path) -> None:
    empty = [b'{"id": "a", "text": ""}\n', b'{"id": "b", "text": null}\n'] * 20
    (folder / "a.jsonl").write_bytes(b"".join([lines()[0], *empty]))
    done("Deduplicate", "a.jsonl", "-o", "kept.jsonl")
    assert Path("kept.jsonl").read_bytes() == Path("a.jsonl").read_bytes()
    outcome = done("AddDocuments", "x.sdx", "a.jsonl")
    assert "1 added; 1 document in x.sdx" in outcome.errors
    with (folder / "a.jsonl").open("ab") as file:
        file.write(b"no json\n" * 50)
    assert ", 50 unreadable; 1 document" in here("AddDocuments", "x.sdx", "a.jsonl").err


def check_refused_untouched(outcome: Outcome, code: int, *named: str) -> None:
    """Refused, and no file but the input is there, unchanged."""
    check_refused(outcome, code, *named)
    assert files() == {"a.jsonl"}
    assert Path("a.jsonl").read_bytes() == b"".join(lines())


def test_no_input_is_written_over(records: str) -> None:
    for arguments in (
        ("-o", records),
        ("-o", "./a.jsonl"),
        ("-o", "kept.jsonl", "--removed", records),
        ("-o", "kept.jsonl", "--clusters", records),
    ):
        outcome = here("Deduplicate", records, *arguments)
        check_refused_untouched(outcome, 6, "a.jsonl", "is also an input")


def test_no_input_is_written_over_by_another_name(records: str, folder: Path) -> None:
    os.link(records, "same.jsonl")
    check_refused(here("Deduplicate", records, "-o", "same.jsonl"), 6, "same.jsonl", "input")
    (folder / "texts").mkdir()
    (folder / "texts" / "b.txt").write_text(prose(1), "utf-8")
    check_refused(here("Deduplicate", "texts", "-o", "texts/b.txt"), 6, "texts/b.txt", "input")
    Path("link.txt").symlink_to("texts/b.txt")
    check_refused(here("Deduplicate", "texts", "-o", "link.txt"), 6, "link.txt", "input")
    assert (folder / "texts" / "b.txt").read_text("utf-8") == prose(1)


def test_two_results_are_not_written_to_one_file(records: str) -> None:
    for name in ("k.jsonl", "./k.jsonl"):
        outcome = here("Deduplicate", records, "-o", "k.jsonl", "--removed", name)
        check_refused_untouched(outcome, 2, "k.jsonl", "two outputs")
    check_refused_untouched(here("Deduplicate", records, "-o", "-", "--clusters", "-"), 2, "two")


def test_results_that_cannot_be_written_are_refused_before_the_work(records: str) -> None:
    for arguments in (
        ("-o", "nowhere/kept.jsonl"),
        ("-o", "kept.jsonl", "--removed", "nowhere/r.csv"),
        ("-o", "kept.jsonl", "--clusters", "a.jsonl/c.csv"),
    ):
        outcome = here("Deduplicate", records, *arguments)
        check_refused_untouched(outcome, 6, arguments[-1], "cannot be written")
    outcome = here("Deduplicate", records, "-o", "kept.jsonl", "--removed", "r.txt")
    check_refused_untouched(outcome, 2, "r.txt", ".csv")


def test_a_folder_in_place_of_a_result_leaves_none(records: str) -> None:
    Path("r.csv").mkdir()
    outcome = here("Deduplicate", records, "-o", "kept.jsonl", "--removed", "r.csv")
    assert outcome.code == 6
    assert "r.csv" in outcome.err
    assert files() == {"a.jsonl", "r.csv"}


def test_a_damaged_input_leaves_no_result(records: str) -> None:
    Path("b.jsonl.gz").write_bytes(gzip.compress(Path(records).read_bytes())[:-12])
    outcome = here("Deduplicate", records, "b.jsonl.gz", "-o", "kept.jsonl", "--removed", "r.csv")
    check_refused(outcome, 3, "b.jsonl.gz")
    assert files() == {"a.jsonl", "b.jsonl.gz"}


def test_what_stays_is_not_written_under_the_name_of_another_kind(records: str) -> None:
    formats = {"x.parquet": "jsonl", "X.CSV.gz": "tsv", "x.json": "parquet", "x.jsonl": "json"}
    for name, form in formats.items():
        outcome = here("Deduplicate", records, "-o", name, "--output-format", form)
        check_refused_untouched(outcome, 2, name, "wrong ending", f".{form}")
    rows = [json.loads(line) for line in lines()]
    pq.write_table(pa.Table.from_pylist(rows), "b.parquet")
    for options in (["b.parquet"], [records], [records, "--mark"], [records, "--unit", "sentence"]):
        outcome = here("Deduplicate", *options, "-o", "x.parquet.gz")
        check_refused(outcome, 2, "x.parquet.gz", ".parquet:")
    check_refused(here("Deduplicate", "b.parquet", records, "-o", "x.gz"), 2, "x.gz")
    (Path("texts")).mkdir()
    Path("texts/b.txt").write_text(prose(1), "utf-8")
    for name in ("x.parquet", "x.jsonl.gz", "x.csv"):
        check_refused(here("Deduplicate", "texts", "-o", name), 2, name, "paths")
    check_refused(here("Deduplicate", "texts", "--mark", "-o", "x.parquet.gz"), 2, "Parquet")
    for given in (["texts"], [records], [records, "--output-format", "csv"]):
        for name in ("x.xlsx", "x.csv.zip", "X.Arrow"):
            check_refused(here("Deduplicate", *given, "-o", name), 2, name, ".csv")
    assert files() == {"a.jsonl", "b.parquet", "texts"}


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
    several = done("Deduplicate", *names, "-o", "-", "--output-format", "jsonl", "--jobs", "1")
    assert [json.loads(line)["id"] for line in several.out.splitlines()] == [
        f"r{n}" for n in range(6)
    ]


def test_tables_of_the_same_format_keep_their_bytes(folder: Path) -> None:
    assert not any(folder.iterdir())
    texts = [json.loads(line)["text"].replace("\n", " ") for line in lines()]
    rows = [f"r{place},{text}\r\n" for place, text in enumerate(texts)]
    quoted = [f'"r{place}","{text}"\r\n' for place, text in enumerate(texts[:3])]
    head = ["\ufeffid,text\r\n"]
    Path("a.csv").write_text("".join([*head, *rows]), "utf-8", newline="")
    odd = [*head, *quoted, "only one cell\r\n", *rows[:-1], rows[-1].strip()]
    Path("b.csv").write_text("".join(odd), "utf-8", newline="")
    outcome = here("Deduplicate", "b.csv", "a.csv", "-o", "k.csv")
    check_partly(outcome, 3, "b.csv: line 5: has 1 cells; the header has 2; it is kept as it is")
    kept = [*head, *quoted, "only one cell\r\n", *rows[3:6]]
    assert Path("k.csv").read_bytes().decode() == "".join(kept)
    outcome = here("Deduplicate", "b.csv", "-o", "k.jsonl")
    check_partly(outcome, 3, "b.csv: line 5: has 1 cells; the header has 2; it is left out")
    assert [row["id"] for row in as_rows("k.jsonl")] == [f"r{n}" for n in range(6)]
    Path("c.csv").write_text(f"text,more\n{texts[0]},x\nAnother text,y\n", "utf-8")
    done("Deduplicate", "a.csv", "c.csv", "-o", "k.csv", "--force")
    assert as_rows("k.csv")[-1] == {"id": "", "text": "Another text", "more": "y"}


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


@pytest.mark.parametrize("line", [b"broken {", b"null", b"[1]", b"\xff\xfe"])
def test_a_damaged_first_line_makes_no_document_of_records(line: bytes) -> None:
    rows = [b'{"text": "first words"}', b'{"text": "first words"}', b'{"text": "other ones"}']
    data = b"\n".join([line, *rows, b""])
    outcome = here("Deduplicate", "-", "-o", "-", stdin=data)
    assert (outcome.code, outcome.out) == (3, b"\n".join([line, rows[0], rows[2], b""]))
    assert "standard input: line 1: is not" in outcome.err


@pytest.mark.parametrize(
    ("recipe", "wrong"),
    [
        ('tokenizer = "words"\n', "names no shingler"),
        ('tokenizer = "words"\nfingerprint = "bitvector"\n', "names no shingler"),
        (
            'tokenizer = "words"\nshingler = "words"\nfingerprint = "bitvector"\n',
            "is for the fingerprint bitvector",
        ),
        (
            'tokenizer = "words"\nshingler = "words"\nmatcher = "idf-cosine"\n',
            "is for the matcher idf-cosine",
        ),
    ],
)
def test_a_recipe_for_other_things_than_shingles_is_refused(
    recipe: str, wrong: str, records: str
) -> None:
    Path("recipe.toml").write_text(recipe, "utf-8")
    outcome = here("Deduplicate", records, "-o", "kept.jsonl", "-c", "recipe.toml")
    check_refused(outcome, 2, wrong)
    assert "-d" not in outcome.err.split()
    assert files() == {"a.jsonl", "recipe.toml"}


def test_an_empty_file_of_records_is_named(records: str) -> None:
    Path("empty.jsonl").touch()
    check_refused(here("Deduplicate", "empty.jsonl", "-o", "k.jsonl"), 3)
    check_partly(here("Deduplicate", records, "empty.jsonl", "-o", "k.jsonl"), 3, "empty.jsonl")
    assert Path("k.jsonl").read_bytes() == b"".join(lines()[:6])


def test_what_is_wrongly_used_is_refused(records: str) -> None:
    check_usage(here("Deduplicate", records), "-o")
    check_usage(here("Deduplicate"), "INPUT")
    check_usage(here("Deduplicate", records, "-o", "k", "--keep", "newest"), "newest")
    check_usage(here("Deduplicate", records, "-o", "k", "-s", "100"), "100")
    check_named(here("Deduplicate", "nowhere", "-o", "k"), 3, "nowhere")
    Path("b.txt").write_text("Some words.")
    check_refused(here("Deduplicate", records, "b.txt", "-o", "k"), 2, "a.jsonl", "b.txt")


def other_encoding(name: str) -> str:
    what = f"is in {name}, and the output is written in UTF-8; open it as UTF-8"
    return f"warning: r.csv: {what}"


@pytest.mark.parametrize("encoding", ["windows-1256", "gb18030", "utf-16"])
@pytest.mark.parametrize("output", ["k.csv", "k.tsv"])
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


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "tsv"])
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
