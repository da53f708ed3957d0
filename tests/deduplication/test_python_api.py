"""A program deduplicates records, documents and files as the verb does, with evidence."""

import json
from pathlib import Path
from typing import Any

import pytest

import sdtext
from sdtext.errors import OptionError
from tests.search.stored import texts_of
from tests.support.command import prose
from tests.support.deduplication import edited, mixture, shingles, similarity

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
        ({"unit": "word"}, "unit is "),
        ({"unit": "passage", "min_tokens": 1}, "min_tokens is "),
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


MIXTURE = [text for text in mixture(4) if len(text) > 20]
ROWS = [{"id": f"t{place}", "text": text} for place, text in enumerate(MIXTURE)]


def words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text.lower()).split()


@pytest.mark.parametrize("rule", ["direct", "cluster", "contained"])
@pytest.mark.parametrize("keep", ["longest", pytest.param("none", marks=pytest.mark.deep)])
def test_shared_shingles_are_counted_and_shown(rule: str, keep: str) -> None:
    if (rule, keep) == ("contained", "none"):
        return
    result = sdtext.deduplicate(ROWS, rule=rule, keep=keep, explain=True)
    assert result.removed
    for row in result.removed:
        names = row.document, row.kept or str(row.duplicate)
        left, right = (MIXTURE[int(name[1:])] for name in names)
        assert row.shared == len(shingles(left) & shingles(right))
        passage = " ".join(words(str(row.passage).rstrip("…")))
        assert all(passage in " ".join(words(text)) for text in (left, right))
        assert passage or not row.shared


def test_the_least_similar_pairs_come_first() -> None:
    result = sdtext.deduplicate(ROWS, rule="cluster", review=7)
    least = sorted(result.removed, key=lambda row: row.similarity)[:7]
    assert [row.document for row in result.reviewed] == [row.document for row in least]
    for row in result.reviewed:
        left, right = (MIXTURE[int(name[1:])] for name in (row.document, row.kept))
        assert row.similarity == pytest.approx(float(similarity(left, right)))
        for shown, text in ((row.text, left), (row.kept_text, right)):
            assert str(shown).strip("… ") in " ".join(text.split())
    assert "text" in repr(result.reviewed[0])


def test_stored_texts_are_evidence_where_they_are_at_hand(tmp_path: Path) -> None:
    text = prose(1, 80)
    row = {"id": "new", "text": edited(text, 1)}
    for keep_text in (True, False):
        path = tmp_path / f"{keep_text}.sdx"
        sdtext.create(path, recipe="deduplicate", keep_text=keep_text).add(
            [{"id": "old", "text": text}]
        )
        result = sdtext.deduplicate([row], against=path, explain=True, review=1)
        assert (result.removed[0].shared is not None) == keep_text
        assert (result.reviewed[0].kept_text is not None) == keep_text
