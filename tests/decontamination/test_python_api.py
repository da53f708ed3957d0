"""Decontaminate in Python: records, frames, what is kept, wrong arguments."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sdtext

QUESTION = "How do bees show other bees the way to a distant meadow full of flowers?"
PAGES = [
    {"id": "a", "text": f"Quiz: {QUESTION} By a dance."},
    {"id": "b", "text": "Nothing of the kind."},
    {"id": "c", "text": f"Again: {QUESTION.lower()}"},
]
ITEMS = [{"id": "q", "question": QUESTION, "answer": "a dance"}]


def test_records_are_removed_cut_or_marked() -> None:
    result = sdtext.decontaminate(PAGES, ITEMS)
    assert [(row.record, row.item, row.answer) for row in result.matches] == [
        ("a", "q", "near"),
        ("c", "q", "absent"),
    ]
    assert result.kept == (PAGES[1],)
    assert repr(result) == "<decontamination: 2 of 3 contaminated, 1 item searched for>"
    cut = sdtext.decontaminate(PAGES, ITEMS, action="cut", with_answer=True)
    assert [row["text"] for row in cut.kept] == [
        "Quiz:  By a dance.",
        PAGES[1]["text"],
        PAGES[2]["text"],
    ]
    marked = sdtext.decontaminate(PAGES, ITEMS, action="mark")
    assert [len(row.get("benchmark_items", ())) for row in marked.kept] == [1, 0, 1]


@pytest.mark.parametrize("action", ["remove", "cut", "mark"])
def test_a_frame_gives_what_its_records_give(action: str) -> None:
    pages = [*PAGES[:2], {"id": "empty", "text": None}, PAGES[2]]
    table = pa.Table.from_pylist(pages).append_column("tags", pa.array([["a"], [], None, ["b"]]))
    result = sdtext.decontaminate(table, ITEMS, action=action)
    expected = sdtext.decontaminate(pages, ITEMS, action=action)
    assert result.matches == expected.matches
    assert result.problems == expected.problems
    assert [each.path for each in result.problems] == ["documents[2]"]
    own = [name for name in result.kept.column_names if name != "tags"]
    kept = result.kept.select(own).to_pylist()
    assert kept == [{name: row.get(name) for name in own} for row in expected.kept]
    assert own == ["id", "text", *["benchmark_items"] * (action == "mark")]
    assert len(result.kept["tags"]) == len(expected.kept)


@pytest.mark.deep
def test_memory_does_not_grow_with_the_texts_of_a_frame() -> None:
    peaks, sizes = [], []
    for number in (6_000, 12_000):  # two batches are full
        texts = (f"{place} {'meadow ' * 100}." for place in range(number))
        table = pa.table({"text": pa.array(texts)})
        sdtext.decontaminate(table[:1], ITEMS)  # what is imported and cached stays
        tracemalloc.start()
        try:
            assert sdtext.decontaminate(table, ITEMS).kept.num_rows == number
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        sizes.append(table.nbytes)
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 4, (peaks, sizes)


def test_documents_in_memory_are_kept_or_removed() -> None:
    documents = [sdtext.Document.of(str(page["text"]), str(page["id"])) for page in PAGES]
    result = sdtext.decontaminate(documents, ITEMS, action="cut")
    assert result.kept == (documents[1],)


@pytest.mark.parametrize(("options", "named"), [
    ({"action": "keep"}, "action"), ({"min_words": 5}, "min_words"),
    ({"similarity": 60}, "similarity"), ({"answer_field": "solution"}, "answer_field"),
    ({"question_field": ["prompt"]}, "question_field"),
])  # fmt: skip
def test_wrong_options_are_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(sdtext.OptionError, match=named):
        sdtext.decontaminate(PAGES, ITEMS, **options)


@pytest.mark.parametrize("kind", ["a path", "records", "a frame"])
def test_items_may_have_their_questions_in_text_but_in_no_unnamed_field(
    kind: str, tmp_path: Path
) -> None:
    def given(rows: list[dict[str, str]]) -> Any:
        if kind == "a path":
            (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
            return str(tmp_path / "items.jsonl")
        return rows if kind == "records" else pa.Table.from_pylist(rows)

    texts = given([{"text": QUESTION}])
    assert len(sdtext.decontaminate(PAGES, texts).matches) == 2
    what = r"no field 'question' or 'text'.*it has url, body.*question_field"
    if kind == "a path":
        what = r"no field 'question' or 'text'; it has url, body.*question_field"
    with pytest.raises(sdtext.OptionError, match=what):
        sdtext.decontaminate(PAGES, given([{"url": "/1", "body": QUESTION}]))


def test_an_empty_benchmark_is_refused() -> None:
    with pytest.raises(sdtext.OptionError, match="benchmark"):
        sdtext.decontaminate(PAGES, [])
