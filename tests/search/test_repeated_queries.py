"""Queries after the first use posting lists, and are answered as the first one is."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.storage.catalog import Catalog
from sdtext.errors import UnreadableError
from sdtext.io.platform import IS_UNIX
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run
from sdtext.search import similar_documents
from sdtext.search.candidates.intersections import PostingLists, common_counts
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import PreparedSearch, similar
from tests.search.stored import document, stored, texts_of

SETS = st.sets(st.integers(0, 12), max_size=8).map(sorted)


def check_as_scan(lists: PostingLists, query: list[int], rows: Ragged, least: list[int]) -> None:
    wanted = np.array(query, np.uint64)
    counts = common_counts(wanted, rows)
    enough = np.flatnonzero(counts >= np.array(least))
    numbers = np.array(least, np.min_scalar_type(len(query) + 1))
    found, shared = lists.rows_with_common(wanted, numbers, min(least, default=0))
    assert found.tolist() == enough.tolist()
    assert shared.tolist() == counts[enough].tolist()


@given(st.data(), st.lists(SETS, max_size=6), SETS)
def test_posting_lists_count_as_a_scan_does(
    data: st.DataObject, rows: list[list[int]], query: list[int]
) -> None:
    stored_rows = Ragged.of(rows, "uint64")
    numbers = st.integers(1, len(query) + 1)
    least = data.draw(st.lists(numbers, min_size=len(rows), max_size=len(rows)))
    check_as_scan(PostingLists.of(stored_rows), query, stored_rows, least)


def test_rare_and_frequent_values_are_counted() -> None:
    for size in (3, 9, 254, 255, 300):
        draw = np.random.default_rng(size)
        shares = np.where(np.arange(400) < 280, 0.9, 0.004)  # of the rows that have each value
        stored_rows = Ragged.of([np.flatnonzero(draw.random(400) < shares) for _ in range(99)])
        every = np.arange(500, dtype=np.uint64)
        query = np.sort(draw.choice(every, size, replace=False)).tolist()
        lists = PostingLists.of(stored_rows)
        assert 0 < len(lists.marks) < len(lists.values)
        for lowest in (1, size // 4, size // 2):
            least = draw.integers(lowest, size + 2, len(stored_rows)).tolist()
            check_as_scan(lists, query, stored_rows, least)


def test_queries_in_one_call_are_answered_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    texts = texts_of(9)
    collection = stored(tmp_path / "texts.sdx", texts)
    queries = [document(text) for text in (*texts[:7], "", *texts[7:12])]
    for question in (Question(), Question(40), Question(30, "edit")):
        singly = [similar(collection, [query], question) for query in queries]
        rows = tuple(row for hits in singly for row in hits.rows)
        for batch in (2, 256):
            monkeypatch.setattr(similar_documents, "_BATCH", batch)
            hits = similar(collection, queries, question)
            assert hits.rows == rows
            problems = (problem for hits in singly for problem in hits.problems)
            assert hits.problems == tuple(dict.fromkeys(problems))


@pytest.mark.skipif(not IS_UNIX, reason="only Unix limits its own process")
def test_a_query_over_the_limits_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def shingle_sets(encoder: Encoder, texts: Sequence[str]) -> Ragged:
        while any(len(text) > 9999 for text in texts):
            sum(range(1000))
        return encoder.sets(encoder.block(texts))

    monkeypatch.setattr(Encoder, "shingle_sets", shingle_sets)
    texts = texts_of(9)
    collection = stored(tmp_path / "texts.sdx", texts)
    long = document("x y " * 3000)
    queries = [document(texts[0]), long, document(texts[1])]
    problems: list[Problem] = []
    run = Run(reading=Reading(max_seconds=0.1), problems=problems)
    rows = similar(collection, queries, Question(90), run).rows
    assert len(rows) == sum(
        len(similar(collection, [query], Question(90)).rows) for query in queries[::2]
    )
    assert [problem.category for problem in problems] == ["unreadable"]
    with pytest.raises(UnreadableError, match="takes more than"):
        similar(collection, queries, Question(90), replace(run, problems=None))


def test_later_queries_read_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    with sdtext.create(recipe="short-texts") as collection:
        collection.add({"id": place, "text": text} for place, text in enumerate(texts_of(9)))
        queries = [sdtext.Document.of(text) for text in texts_of(9)[:4]]
        hits = [collection.similar(query, similarity=0.2) for query in queries]
        for name in ("rows", "batches", "run"):
            monkeypatch.setattr(Catalog, name, refuse)
        again = [collection.similar(query, similarity=0.2) for query in queries]
        assert again == hits
        again[0].rows[0].metadata["changed"] = 1  # type: ignore[index]
        assert collection.similar(queries[0], similarity=0.2) == hits[0]
        monkeypatch.undo()


def test_later_queries_are_answered_as_the_first(tmp_path: Path) -> None:
    texts = texts_of(9)
    collection = stored(tmp_path / "texts.sdx", texts)
    for question in (Question(), Question(40), Question(top=5), Question(10, "containment")):
        search = PreparedSearch.of(collection, question)
        for text in texts[:12]:
            hits = similar(collection, [document(text)], question)
            assert replace(search([document(text)], Run()), problems=hits.problems) == hits
