"""A result at a higher similarity is that of deduplicating again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sdtext
from sdtext.errors import OptionError
from sdtext.search.candidates import buckets, exact_join
from tests.cli.command import prose
from tests.support.deduplication import NO_JOIN, edited, lines_of, rows_of, sliding, write_lines

TEXTS = [
    *sliding(12, 6),
    *sliding(6, 14, 3),
    *(edited(prose(5, 120), number % 4, number) for number in range(14)),
    *[prose(6, 60)] * 3,
]
ROWS = [dict(row) for row in rows_of(TEXTS)]


def check_same(result: Any, again: Any) -> None:
    assert result.kept == again.kept
    assert result.clusters == again.clusters
    assert result.covered == again.covered
    assert result.cluster_numbers == again.cluster_numbers
    assert result.removed == again.removed
    chains = ([row for row in each.problems if row.category == "chain"] for each in (result, again))
    assert next(chains) == next(chains)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rule": "contained"},
        {"rule": "cluster"},
        pytest.param({"rule": "cluster", "keep": "longest"}, marks=pytest.mark.deep),
        {"rule": "cluster", "keep": "best:quality", "scope": "within:lang"},
        pytest.param({"rule": "cluster", "scope": "across:lang"}, marks=pytest.mark.deep),
        pytest.param({"keep": "none"}, marks=pytest.mark.deep),
        pytest.param({"keep": "best:quality", "scope": "within:lang"}, marks=pytest.mark.deep),
        {"keep": "none", "scope": "across:lang"},
    ],
)
@pytest.mark.parametrize("stored", [False, True])
def test_a_higher_similarity_needs_no_second_run(
    options: dict[str, Any], stored: bool, tmp_path: Path
) -> None:
    if stored:
        collection = sdtext.create(tmp_path / "x.sdx", recipe="deduplicate")
        collection.add([{**ROWS[place], "id": f"s{place}"} for place in (2, 15, 25)])
        options = options | {"against": tmp_path / "x.sdx"}
    first = sdtext.deduplicate(ROWS, similarity=0.6, **options)
    for similarity in (0.75, 0.9):
        again = sdtext.deduplicate(ROWS, similarity=similarity, **options)
        check_same(first.rethreshold(similarity), again)
    check_same(first.rethreshold(0.7).rethreshold(0.9), first.rethreshold(0.9))
    lines = write_lines(tmp_path / "a.jsonl", lines_of(ROWS))
    check_same(
        sdtext.deduplicate(lines, similarity=0.6, **options).rethreshold(0.9),
        first.rethreshold(0.9),
    )


def test_frames_are_chosen_from_again() -> None:
    table = pa.Table.from_pylist([{"id": row["id"], "text": row["text"]} for row in ROWS])
    again = sdtext.deduplicate(table, similarity=0.6).rethreshold(0.9)
    assert again.kept.equals(sdtext.deduplicate(table, similarity=0.9).kept)
    assert len(again.cluster_numbers) == len(ROWS)


def test_evidence_stays_with_its_pairs() -> None:
    first = sdtext.deduplicate(ROWS, similarity=0.6, explain=True, review=5)
    again = first.rethreshold(0.85)
    known = {(row.document, row.kept): row.shared for row in first.removed}
    assert any(row.shared for row in again.removed)
    for row in again.removed:
        assert row.shared == known.get((row.document, row.kept))
    assert len(again.reviewed) < 5


def test_evidence_is_not_that_of_a_stored_document_of_the_same_number(tmp_path: Path) -> None:
    text = prose(5, 120)
    stored = {"id": "s", "text": edited(text, 3, 1)}
    collection = sdtext.create(tmp_path / "x.sdx", recipe="deduplicate", keep_text=True)
    collection.add([stored])
    rows = [{"id": "a", "text": text}, {"id": "b", "text": f"{text} And some words more."}]
    options: dict[str, Any] = {"against": tmp_path / "x.sdx", "explain": True}
    first = sdtext.deduplicate(rows, similarity=0.5, **options)
    assert [row.kept for row in first.removed] == ["s", "s"]
    again = first.rethreshold(0.9)
    assert [(row.document, row.kept, row.shared) for row in again.removed] == [("b", "a", None)]


def test_a_chain_falls_apart_at_each_of_its_scores() -> None:
    """Then other documents are kept, which score with those that are not linked to them, too."""
    rows = [{"id": str(place), "text": text} for place, text in enumerate(sliding(12, 6))]
    rows += [{"id": f"x{place}", "text": text} for place, text in enumerate(sliding(6, 14, 3))]
    first = sdtext.deduplicate(rows, similarity=0.3, rule="cluster", keep="longest")
    assert any(row.category == "chain" for row in first.problems)
    numbers = []
    for percent in range(35, 100, 5):
        again = sdtext.deduplicate(rows, similarity=percent / 100, rule="cluster", keep="longest")
        check_same(first.rethreshold(percent / 100), again)
        numbers.append(len(again.clusters))
    assert len({*numbers}) > 2


def test_what_is_not_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    result = sdtext.deduplicate(ROWS, similarity=0.8)
    with pytest.raises(OptionError, match=r"similarity is 0.7; it must be 0.8 or more"):
        result.rethreshold(0.7)
    with pytest.raises(OptionError, match=r"from 0\.01 to 0\.99"):
        result.rethreshold(1.5)
    monkeypatch.setattr(exact_join, "LITTLE", NO_JOIN)
    monkeypatch.setattr(buckets, "PAIRWISE", 2)
    monkeypatch.setattr(buckets, "PAIR_BUDGET", 0)
    choices: list[dict[str, Any]] = [{}, {"keep": "none"}, {"rule": "cluster"}]
    for options in choices:
        crowded = sdtext.deduplicate(ROWS, similarity=0.8, **options)
        with pytest.raises(
            OptionError, match="not all of their pairs are known; deduplicate again"
        ):
            crowded.rethreshold(0.9)
