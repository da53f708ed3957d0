"""Queries after the first use posting lists, and are answered as the first one is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.search.candidates.intersections import PostingLists, common_with_all
from sdtext.search.find import PreparedSearch, similar
from sdtext.search.search_options import Question
from tests.search.stored import document, stored, texts_of

SETS = st.sets(st.integers(0, 12), max_size=8).map(sorted)


@given(st.lists(SETS, max_size=6), SETS)
def test_posting_lists_count_as_a_scan_does(rows: list[list[int]], query: list[int]) -> None:
    stored_rows, wanted = Ragged.of(rows, "uint64"), np.array(query, np.uint64)
    counts = PostingLists.of(stored_rows).common_with(wanted)
    assert counts.tolist() == common_with_all(wanted, stored_rows).tolist()
    assert counts.tolist() == [len({*row} & {*query}) for row in rows]


def test_later_queries_are_answered_as_the_first(tmp_path: Path) -> None:
    texts = texts_of(9)
    collection = stored(tmp_path / "texts.sdx", texts)
    for question in (Question(), Question(40), Question(top=5), Question(10, "containment")):
        search = PreparedSearch.of(collection, question)
        for text in texts[:12]:
            assert search([document(text)]) == similar(collection, [document(text)], question)
