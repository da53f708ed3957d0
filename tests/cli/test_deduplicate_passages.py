"""Deduplicate --unit as a user has it: cut records, what was removed, and how it is restored."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sdtext import Document, FormatError, RemovedPassage, restore
from tests.support.command import here

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


def test_a_list_that_fits_another_text_is_refused(records: str) -> None:
    """The offsets fit: that the texts are others is known by their digests."""
    here("Deduplicate", records, "--unit", "paragraph", "-o", "kept.jsonl", "--removed", "r.jsonl")
    kept, rows = kept_and_removed("kept.jsonl", "r.jsonl")
    kept[2] = Document.of(kept[2].text.replace("First", "Third"))
    with pytest.raises(FormatError, match="another text"):
        restore(kept, rows)
