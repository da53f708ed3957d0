"""Deduplicate --unit as a user has it: cut records, what was removed, and how it is restored."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sdtext import Document, FormatError, RemovedPassage, restore
from tests.support.command import check_refused, done, here

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
def test_repeated_paragraphs_are_removed_and_restored(records: str, ending: str) -> None:
    removed = f"removed.{ending}"
    outcome = here(
        "Deduplicate", records, "--unit", "paragraph", "-o", "kept.jsonl", "--removed", removed
    )
    assert outcome.code == 3  # a line is no record
    assert "3 read, 2 paragraphs (6 of 14 words) removed from 2" in outcome.errors
    assert Path("kept.jsonl").read_bytes() == KEPT
    again = restore(*kept_and_removed("kept.jsonl", removed))
    assert [document.text for document in again] == texts_of(LINES)


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
    passages = [
        RemovedPassage(**json.loads(line))
        for line in Path("r.jsonl").read_text("utf-8").splitlines()
    ]
    assert restore(kept, passages) == before
    pq.write_table(pa.table({"text": ["Bees dance."]}), "c.parquet")
    outcome = here("Deduplicate", "a.parquet", "c.parquet", *unit, "-o", "mixed.parquet", "--force")
    check_refused(outcome, 2)


def test_options_that_do_not_fit_are_refused(records: str) -> None:
    line = ("Deduplicate", records, "-o", "kept.jsonl")
    for option in (("--rule", "cluster"), ("--clusters", "c.csv"), ("--mark",)):
        check_refused(here(*line, "--unit", "sentence", *option), 2, option[0].lstrip("-"))
    check_refused(here(*line, "--min-tokens", "9"), 2, "tokens")


def test_a_list_that_fits_another_text_is_refused(records: str) -> None:
    """The offsets fit: that the texts are others is known by their digests."""
    here("Deduplicate", records, "--unit", "paragraph", "-o", "kept.jsonl", "--removed", "r.jsonl")
    kept, rows = kept_and_removed("kept.jsonl", "r.jsonl")
    kept[2] = Document.of(kept[2].text.replace("First", "Third"))
    with pytest.raises(FormatError, match="another text"):
        restore(kept, rows)
