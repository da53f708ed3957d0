"""Deduplicate as a user has it: outputs, messages, refusals."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from sdtext.cli import batch_run as progress
from sdtext.cli import deduplicate as verb
from sdtext.reading.parallel_run import Run

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
from .test_find import CURVE, edited

HOW = (
    "bands: 21 of 6 rows; a pair at jaccard 0.80 is found with probability 0.9983; "
    "verified exactly; minimum score 80"
)

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


def test_bands_are_reported_with_their_curve(records: str) -> None:
    outcome = done("Deduplicate", records, "-o", "kept.jsonl", "--recall", "0.99")
    assert outcome.errors == [HOW, CURVE, "12 read, 6 kept, 6 removed in 6 clusters"]


def rows_in(path: str) -> Any:
    if path.endswith(".parquet"):
        return pq.read_table(path).to_pylist()
    text = Path(path).read_text("utf-8")
    if path.endswith(".json"):
        return json.loads(text)["rows"]
    if path.endswith((".jsonl", ".ndjson")):
        return [json.loads(line) for line in text.splitlines()]
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


@pytest.mark.parametrize("name", ["r.json", "r.JSONL", "r.ndjson", "r.tsv", "r.parquet"])
def test_the_ending_of_a_file_of_rows_is_its_format(name: str, records: str) -> None:
    done("Deduplicate", records, "-o", "kept.jsonl", "--removed", name)
    Path(name).rename(name.lower())
    rows = rows_in(name.lower())
    assert [row["document"] for row in rows] == [f"r{place}" for place in range(6, 12)]


def test_what_stays_may_go_to_the_standard_output(records: str) -> None:
    assert done("Deduplicate", records, "-o", "-").out == b"".join(lines()[:6])
    kept = done("Deduplicate", records, "-o", "kept.jsonl", "--removed", "-")
    assert [row["document"] for row in kept.table] == [f"r{place}" for place in range(6, 12)]


@pytest.mark.parametrize(("keep", "stays"), [("first", 5), ("longest", 5), ("shortest", 11)])
def test_the_rule_says_which_one_stays(keep: str, stays: int, records: str) -> None:
    texts = [json.loads(line)["text"] for line in lines()]
    assert len(texts[5]) > len(texts[11])
    done("Deduplicate", records, "-o", "kept.jsonl", "--keep", keep)
    kept = {json.loads(line)["id"] for line in Path("kept.jsonl").read_bytes().splitlines()}
    assert kept == {*(f"r{place}" for place in range(5)), f"r{stays}"}


@pytest.mark.usefixtures("folder")
def test_fields_say_what_stays_and_what_is_compared() -> None:
    fields = [
        {"lang": "de", "date": "2021-05-01"},
        {"lang": "en"},
        {"lang": "de", "date": "2021-05-02"},
    ]
    rows = [{"id": str(place), "text": prose(1)} | row for place, row in enumerate(fields)]
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def kept(*options: str) -> list[str]:
        text = done("Deduplicate", "a.jsonl", "-o", "-", *options).text
        return [json.loads(line)["id"] for line in text.splitlines()]

    assert kept("--keep", "newest") == ["2"]
    assert kept("--keep", "newest:date", "--scope", "within:lang") == ["1", "2"]
    assert kept("--keep", "none", "--scope", "across:lang") == []
    outcome = done("Deduplicate", "a.jsonl", "-o", "k", "--keep", "none", "--removed", "-")
    assert [list(row.values())[:2] for row in outcome.table] == [[n, ""] for n in "012"]
    assert [row["duplicate"] for row in outcome.table] == ["1", "0", "0"]
    check_usage(here("Deduplicate", "a.jsonl", "-o", "k", "--keep", "best"))
    check_refused(here("Deduplicate", "a.jsonl", "-o", "k", "--keep", "best:lang2"), 2, "lang2")
    Path("b.txt").write_text("Some words.")
    refused = here("Deduplicate", "b.txt", "-o", "k", "--scope", "within:lang")
    check_refused(refused, 2)


def test_a_minimum_and_a_recipe_say_what_is_the_same(records: str) -> None:
    outcome = done("Deduplicate", records, "-o", "kept.jsonl", "-s", "99")
    assert outcome.errors[-1] == "12 read, 7 kept, 5 removed in 5 clusters"
    Path("recipe.toml").write_text(
        'tokenizer = "words"\nshingler = { name = "characters", length = 3 }\n'
        'fingerprint = "minhash"\nindex = { name = "bands", similarity = 0.95 }\n', "utf-8"
    )  # fmt: skip
    common = ("Deduplicate", records, "-o", "kept.jsonl", "--force", "-c", "recipe.toml")
    outcome = done(*common, "--recall", "0.9")
    assert outcome.errors[0].startswith("bands: ")
    assert "jaccard 0.95" in outcome.errors[0]
    outcome = done(*common, "-s", "70")
    assert outcome.errors[-1] == "12 read, 6 kept, 6 removed in 6 clusters"


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


def test_what_is_in_an_archive_of_documents_goes_too(records: str) -> None:
    stored = [json.loads(line) for line in lines()[:2]]
    Path("stored.jsonl").write_text("".join(json.dumps(row) + "\n" for row in stored), "utf-8")
    Path("recipe.toml").write_text(
        'tokenizer = "words"\nfilters = ["lowercase", "strip-punctuation"]\n'
        'shingler = "words"\nfingerprint = "minhash"\nindex = "bands"\n', "utf-8"
    )  # fmt: skip
    done("AddDocuments", "x.sdx", "stored.jsonl", "-c", "recipe.toml")
    outcome = done(
        "Deduplicate", records, "-o", "kept.jsonl", "--against", "x.sdx", "--removed", "r.json"
    )
    assert (
        outcome.errors[-1]
        == "12 read, 4 kept, 8 removed: 4 similar to stored documents, 4 in 4 clusters"
    )
    assert Path("kept.jsonl").read_bytes() == b"".join(lines()[2:6])
    rows = {row["document"]: row for row in rows_in("r.json")}
    assert (rows["r7"]["kept"], rows["r7"]["cluster"]) == ("r1", None)
    assert (rows["r8"]["kept"], rows["r8"]["cluster"]) == ("r2", 1)
    check_refused(
        here("Deduplicate", records, "-o", "k.jsonl", "--against", "nowhere.sdx"), 3, "nowhere.sdx"
    )


def test_stored_documents_that_the_input_covers_are_listed(records: str) -> None:
    Path("b.jsonl").write_bytes(b"".join([*lines()[:3], lines()[7]]))
    done("AddDocuments", "b.sdx", "b.jsonl", "-c", "deduplicate")
    Path("c.jsonl").write_bytes(b"".join(lines()[1:2]))
    for name in ("covered.csv", "covered.parquet"):
        options = ("-o", f"kept-{name}.jsonl", "--against", "b.sdx", "--covered", name)
        done("Deduplicate", "c.jsonl", *options, "--clusters", f"clusters-{name}")
    with Path("covered.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [(row["document"], row["covered_by"]) for row in rows] == [("r1", "r1"), ("r7", "r1")]
    assert [int(row["score"]) for row in rows] == [row["score"] for row in rows_in(name)]
    table = pq.read_table("clusters-covered.parquet")
    assert (len(table), str(table.schema.field("members").type)) == (0, "list<element: string>")
    refused = here("Deduplicate", records, "-o", "k.jsonl", "--covered", "c.csv")
    check_usage(refused)


def test_removals_are_explained_and_reviewed(records: str) -> None:
    outcome = done("Deduplicate", records, "--review", "2")
    assert files() == {records, "folder"} - {"folder"}
    first, other = outcome.table
    assert float(first["similarity"]) <= float(other["similarity"])
    assert first["text"] != first["kept_text"]
    assert outcome.errors[-1] == "12 read, 6 kept, 6 removed in 6 clusters"
    done("Deduplicate", records, "-o", "kept.jsonl", "--removed", "r.csv", "--explain")
    done("Deduplicate", records, "-o", "kept.jsonl", "--removed", "r.csv", "--force")
    with Path("r.csv").open(newline="") as file:
        assert "passage" not in next(file)
    done("Deduplicate", records, "-o", "kept.jsonl", "--removed", "r.json", "--explain", "--force")
    for row in rows_in("r.json"):
        assert row["shared"] > 0
        assert row["passage"]
    for wrong in (("--review", "1", "-o", "-"), ("--review", "0")):
        check_usage(here("Deduplicate", records, *wrong), "--review")
    check_usage(here("Deduplicate", records, "-o", "k.jsonl", "--explain"), "--removed")


def test_clusters_are_marked_instead_of_removed(records: str) -> None:
    rows = [json.loads(line) | {"tags": [{"b": 1}]} for line in lines()]
    Path(records).write_text("".join(json.dumps(row) + "\n" for row in rows) + "no record\n")
    pq.write_table(pa.Table.from_pylist(rows), "b.parquet", row_group_size=5)
    Path("stored.jsonl").write_bytes(lines()[0])
    done("AddDocuments", "b.sdx", "stored.jsonl", "-c", "deduplicate")
    numbers = [0, 1, 2, 3, 4, 5] * 2
    for name in (records, "b.parquet"):
        output = f"marked-{name}"
        options = ("--mark", "--against", "b.sdx")
        outcome = here("Deduplicate", name, "-o", output, *options)
        assert "12 read, none removed; the column cluster numbers 5 clusters" in outcome.err
        assert "with 5 copies, and has 0 for 2 similar to stored documents\n" in outcome.err
        assert rows_in(output) == [
            row | {"cluster": number} for row, number in zip(rows, numbers, strict=True)
        ]
        refused = here("Deduplicate", output, "-o", f"again-{name}", "--mark")
        check_refused(refused, 3, output)
        assert not Path(f"again-{name}").exists()
    outcome = done("Deduplicate", "b.parquet", "-o", "m.jsonl", "--mark", "--keep", "none")
    assert outcome.errors[-1].endswith("numbers 6 clusters with 12 copies")
    assert [row["cluster"] for row in rows_in("m.jsonl")] == [1, 2, 3, 4, 5, 6] * 2
    Path("texts").mkdir()
    for number, row in enumerate(rows[5:8]):
        Path(f"texts/{number}.txt").write_text(row["text"])
    Path("texts/3.txt").write_text(rows[5]["text"])
    assert [
        list(row.values()) for row in done("Deduplicate", "texts", "--mark", "-o", "-").table
    ] == [
        ["texts/0.txt", "1"],
        ["texts/1.txt", ""],
        ["texts/2.txt", ""],
        ["texts/3.txt", "1"],
    ]


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


def test_a_pattern_names_all_files_that_match_it(records: str) -> None:
    Path("more/deep").mkdir(parents=True)
    rows = lines()
    for name, part in (("more/1.jsonl", rows[:6]), ("more/deep/2.jsonl", rows[6:])):
        Path(name).write_bytes(b"".join(part))
    done("Deduplicate", "more/**/*.jsonl", "-o", "k.jsonl", "--removed", "r.jsonl")
    assert Path("k.jsonl").read_bytes() == b"".join(rows[:6])
    assert as_rows("r.jsonl")[0]["document"] == "more/deep/2.jsonl#r6"
    check_refused(here("Deduplicate", "more/*", records, "-o", "more/1.jsonl"), 6)
    check_refused(here("Deduplicate", "none/*.csv", "-o", "n.csv"), 3, "none/*.csv")
    Path("a[1].jsonl").write_bytes(rows[0])
    assert "1 read" in done("Deduplicate", "a[1].jsonl", "-o", "n.jsonl").errors[-1]


def test_a_table_without_the_field_says_what_it_has(folder: Path) -> None:
    (folder / "t.csv").write_text("id,body\n1,One.\n")
    outcome = here("Deduplicate", "t.csv", "-o", "k.csv")
    check_refused(outcome, 2, "t.csv", "'text'")
    assert done("Deduplicate", "t.csv", "-o", "k.csv", "--text-field", "body").code == 0


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


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet"])
def test_tables_come_by_the_standard_input(ending: str, folder: Path) -> None:
    (folder / "a.jsonl").write_bytes(b"".join(lines()[:9]))
    table = f"a.{ending}"
    done("Deduplicate", "a.jsonl", "-s", "99", "-o", table)
    done("Deduplicate", table, "-o", f"whole.{ending}")
    data = Path(table).read_bytes()
    assert here("Deduplicate", "-", "-o", f"kept.{ending}", stdin=data).code == 0
    assert Path(f"kept.{ending}").read_bytes() == Path(f"whole.{ending}").read_bytes()


def test_blanks_in_a_quoted_name_make_no_document_of_a_table() -> None:
    table = b'id,text,"city, country"\n1,hello there world,"x, y"\n2,more words here,z\n'
    assert here("Deduplicate", "-", "-o", "-", stdin=table).out.splitlines() == table.splitlines()


@pytest.mark.parametrize(
    "data",
    [
        b'{\n  "text": "Some words."\n}\n',
        b"one,two\nthree\n",
    ],
)
def test_a_document_on_the_standard_input_is_one(data: bytes) -> None:
    outcome = here("Deduplicate", "-", "-o", "-", stdin=data)
    assert (outcome.code, outcome.out) == (0, b"-\n")
    said = "warning: standard input: is read as one document, because it does not begin as records"
    assert said in outcome.err


@pytest.mark.parametrize("line", [b"broken {", b"null", b"[1]", b"\xff\xfe"])
def test_a_damaged_first_line_makes_no_document_of_records(line: bytes) -> None:
    rows = [b'{"text": "first words"}', b'{"text": "first words"}', b'{"text": "other ones"}']
    data = b"\n".join([line, *rows, b""])
    outcome = here("Deduplicate", "-", "-o", "-", stdin=data)
    assert (outcome.code, outcome.out) == (3, b"\n".join([line, rows[0], rows[2], b""]))
    assert "standard input: line 1: is not" in outcome.err


def test_a_field_of_texts_that_is_named_makes_records_of_a_table() -> None:
    table = b"id,body\n1,hello world of bees\n2,hello world of bees\n"
    options = ("Deduplicate", "-", "-o", "-", "--text-field")
    outcome = here(*options, "body", stdin=table)
    assert (outcome.code, outcome.out) == (0, table.rpartition(b"2,")[0])
    outcome = here(*options, "abstract", stdin=table)
    check_refused(outcome, 2)
    outcome = here("Deduplicate", "-", "-o", "-", stdin=table)  # no column is named: a document
    assert (outcome.code, outcome.out) == (0, b"-\n")
    assert "is read as one document" in outcome.err


def test_packed_parquet_is_refused(folder: Path) -> None:
    (folder / "a.parquet.gz").write_bytes(gzip.compress(b"PAR1"))
    outcome = here("Deduplicate", "a.parquet.gz", "-o", "kept.txt")
    check_refused(outcome, 2)


def test_results_are_reported_when_the_progress_bar_is_gone(
    records: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    @contextmanager
    def bar(run: Run) -> Iterator[Run]:
        yield run
        seen.append("gone")

    monkeypatch.setattr(progress, "_progress", bar)
    monkeypatch.setattr(verb, "say", seen.append)
    done("Deduplicate", records, "-o", "kept.jsonl")
    assert [seen[0], seen[-1]] == ["gone", "12 read, 6 kept, 6 removed in 6 clusters"]


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


def test_a_field_that_no_record_has_is_refused_in_one_line(records: str) -> None:
    outcome = here("Deduplicate", "-o", "k.jsonl", records, "--text-field", "body")
    check_refused_untouched(outcome, 2, "a.jsonl: has no field 'body'; it has id, text")


def test_a_missing_column_is_refused(folder: Path) -> None:
    pq.write_table(pa.table({"id": ["r1"], "text": [prose(1)]}), folder / "a.parquet")
    wrong = ("a.parquet", "--text-field", "body")
    reported = "a.parquet: has no column of texts 'body'; it has id, text"
    check_refused(here("Deduplicate", "-o", "k.parquet", *wrong), 2, reported)
    recipe = str(CONFIGS / "near-duplicate.toml")
    check_refused(here("AddDocuments", "x.sdx", *wrong, "-c", recipe), 2, reported)
    assert files() == {"a.parquet"}


@pytest.mark.parametrize(
    "line",
    [
        "Deduplicate b.jsonl -o kept.jsonl --force",
        "Decontaminate b.jsonl --benchmark a.jsonl",
        "AddDocuments x.sdx b.jsonl -c near-duplicate",
    ],
)
def test_bad_lines_are_grouped_and_with_verbose_all_listed(records: str, line: str) -> None:
    Path("b.jsonl").write_bytes(Path(records).read_bytes() + b"nonsense\n" * 24)
    first = len(Path(records).read_bytes().splitlines()) + 1
    outcomes = [here(*line.split()), here(*line.split(), "--verbose")]
    listed = [
        [int(number) for number in re.findall(r"b\.jsonl: line (\d+): is not JSON", outcome.err)]
        for outcome in outcomes
    ]
    assert listed == [[*range(first, first + 3)], [*range(first, first + 24)]]
    (rest,) = [text for text in outcomes[0].errors if " more " in text]
    assert rest.startswith("error: 21 more of this kind (is not JSON")
    assert " more " not in outcomes[1].err


def test_what_is_wrongly_used_is_refused(records: str) -> None:
    check_usage(here("Deduplicate", records), "-o")
    check_usage(here("Deduplicate"), "INPUT")
    check_usage(here("Deduplicate", records, "-o", "k", "--keep", "newest"), "newest")
    check_usage(here("Deduplicate", records, "-o", "k", "-s", "100"), "100")
    check_named(here("Deduplicate", "nowhere", "-o", "k"), 3, "nowhere")
    Path("b.txt").write_text("Some words.")
    check_refused(here("Deduplicate", records, "b.txt", "-o", "k"), 2, "a.jsonl", "b.txt")


@pytest.mark.usefixtures("folder")
def test_the_rule_decides_about_chains() -> None:
    words = prose(1, 400).split()
    rows = [" ".join(words[6 * step :][:100]) for step in range(30)]
    Path("a.jsonl").write_bytes(
        b"".join(json.dumps({"text": row}).encode() + b"\n" for row in rows)
    )

    def scores(*options: str) -> list[int]:
        outputs = ("-o", "kept.jsonl", "--removed", "r.csv", "--force")
        done("Deduplicate", "a.jsonl", "-s", "80", *outputs, *options)
        with Path("r.csv").open(newline="") as file:
            return [int(row["score"]) for row in csv.DictReader(file)]

    assert min(direct := scores()) >= 80
    assert direct == scores("--rule", "direct")
    assert min(scores("--rule", "cluster")) < 80
    refused = here("Deduplicate", "a.jsonl", "-o", "k.jsonl", "--rule", "all")
    check_usage(refused)


@pytest.mark.usefixtures("folder")
def test_a_single_column_on_standard_input_is_a_table() -> None:
    """But its name alone is a document."""
    rows = b'text\r\n"Bees dance, and sing"\r\nbees dance and sing\r\n'
    assert here("Deduplicate", "-", "-o", "k.csv", stdin=rows).code == 0
    assert Path("k.csv").read_bytes() == rows[: rows.index(b"bees")]
    assert here("ExtractText", "-i", "-", stdin=b"text\n").out.strip() == b"text"


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_there_is_no_warning_of_the_encoding_where_it_stays_or_the_output_is_no_table(
    folder: Path, encoding: str
) -> None:
    (folder / "r.csv").write_bytes("id,text\n1,größer als\n2,kleiner als\n".encode(encoding))
    output = "k.jsonl" if encoding == "utf-16" else "k.csv"
    assert "UTF-8" not in done("Deduplicate", "r.csv", "-o", output).err


def write_rows(path: str, rows: list[dict[str, Any]]) -> None:
    """Write records to a file, in the format of its name."""
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done("Deduplicate", "rows.jsonl", "-s", "99", "-o", path)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.parquet"])
@pytest.mark.parametrize("option", [("--scope", "within:size"), ("--keep", "best:size")])
def test_a_field_that_no_record_has_is_answered_with_those_there_are(
    name: str, option: tuple[str, str]
) -> None:
    """Tables are not read for that: the row without a text would be a problem."""
    rows = [{"text": prose(place) if place else "", "lang": "en"} for place in range(3)]
    write_rows(name, rows)
    write_rows(f"sized-{name}", [row | {"size": 1} for row in rows])
    line = ("Deduplicate", name, *option, "-o", "-")
    outcome = here(*line)
    assert outcome.code == 2
    for name_in in (option[0].lstrip("-"), option[1], "'size'", "text, lang"):
        assert name_in in outcome.errors[-1]
    assert len(outcome.errors) == (1 if name in ("a.csv", "a.parquet") else 2)
    done("Deduplicate", name, f"sized-{name}", *option, "-o", "kept.jsonl")


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
        (".zst", lambda data: zstandard.ZstdDecompressor().stream_reader(data).read()),
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
