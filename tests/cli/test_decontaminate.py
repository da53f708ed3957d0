"""Decontaminate as a user has it: rows, what is kept, exit codes, refusals."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.command import check_refused, done, here, prose

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


@pytest.mark.usefixtures("corpus")
def test_a_page_shows_items_and_passages() -> None:
    done("Decontaminate", "pages.jsonl", *BENCHMARK, "--html", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert "<h1>Items of a benchmark in a corpus</h1>" in page
    assert "a distant meadow full of flowers" in page
    line = ("Decontaminate", "pages.jsonl", *BENCHMARK, "-o", "x", "--html", "x")
    check_refused(here(*line), 2)
