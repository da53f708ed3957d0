"""A program deduplicates records, documents and files as the verb does."""

import json
from pathlib import Path
from typing import Any

import pytest

import sdtext
from sdtext.errors import OptionError
from tests.search.stored import texts_of

TEXTS = [text for text in texts_of(6, number=40) if text != "..."]
RECORDS = [{"id": f"r{place}", "text": text, "year": 1990} for place, text in enumerate(TEXTS)]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS))
    return path


@pytest.mark.parametrize(
    "options", [{}, {"keep": "longest"}, {"rule": "cluster"}, {"recipe": "short-texts"}]
)
def test_records_in_memory_and_in_a_file_are_kept_as_by_the_verb(lines: Path, options: Any) -> None:
    held = sdtext.deduplicate(RECORDS, similarity=0.4, **options)
    stored = sdtext.deduplicate(lines, similarity=0.4, **options)
    kept = lines.with_name("kept.jsonl")
    done = sdtext.deduplicate(lines, similarity=0.4, output=kept, **options)
    assert held.removed == stored.removed == done.removed
    assert held.clusters == stored.clusters == done.clusters
    assert [*map(json.loads, kept.read_text().splitlines())] == [*done.kept] == [*stored.kept]
    assert held.kept == stored.kept
    gone = {row.document for row in done.removed}
    assert [record["id"] for record in held.kept] == [
        record["id"] for record in RECORDS if record["id"] not in gone
    ]
    assert gone
    assert repr(held) == f"<deduplication: {len(held.kept)} kept, {len(gone)} removed>"


def test_what_has_no_text_is_kept_and_noted() -> None:
    records = [*RECORDS[:2], {"id": 7, "text": ""}, {"id": 8}, RECORDS[0]]
    result = sdtext.deduplicate(records, similarity=0.9)
    assert result.kept == tuple(records[:4])
    assert [problem.path for problem in result.problems] == ["documents[2]", "documents[3]"]
    assert "name one as text_field; it is kept" in result.problems[1].message


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"similarity": 80}, "similarity"),
        ({"similarity": 0.805}, "similarity"),
        ({"similarity": float("nan")}, "similarity"),
        ({"similarity": 1.0}, "similarity"),
        ({"keep": "last"}, "keep"),
        ({"review": -1}, "review"),
        ({"unit": "sentence", "similarity": 0.5}, "similarity"),
        ({"unit": "sentence", "keep": "longest"}, "keep"),
    ],
)
def test_errors_name_the_argument(options: Any, name: str) -> None:
    with pytest.raises(OptionError, match=name):
        sdtext.deduplicate(RECORDS, **options)


def test_one_cluster_of_most_documents_is_a_warning_and_the_minimum_is_explained() -> None:
    form = " ".join(f"word{place}" for place in range(60))
    records = [{"text": f"{form} name{place}"} for place in range(120)]
    result = sdtext.deduplicate(records)
    assert result.counts["kept"] == 1
    assert "large-cluster" in {problem.category for problem in result.problems}
    # Of 57 shingles of five words, a changed word leaves 52 of 62, two leave 47 of 67.
    assert " 1 of 61 words" in result.how
