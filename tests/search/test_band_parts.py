"""A band's keys are the same in parts as at once, whatever segments the rows are in."""

from itertools import pairwise

import numpy as np
import pytest

from sdtext.parts.indexes import Bands
from sdtext.search import searchable
from sdtext.search.candidates.identical_set_groups import duplicates_in
from sdtext.search.derived_columns import Derivation
from sdtext.search.find import links
from sdtext.search.search_plan import Question
from sdtext.search.searchable import Table, segment_views
from tests.search.sets import VALUES, WORDS, Segmented, held

SETS = [frozenset(VALUES[place : place + 12]) for place in range(300)] * 2 + [
    frozenset(VALUES[:12])
] * 90
BANDS = Bands(bands=16, rows=4)
ONE, SEVERAL = (Segmented.cut(held(SETS), borders) for borders in ((), (70, 71, 300, 640)))
QUESTION = Question(80, "jaccard", recall=0.9999)


def table_of(documents: Segmented) -> Table:
    derivation = Derivation(WORDS, WORDS)
    return Table(segment_views(documents, derivation), derivation)


@pytest.fixture(params=[1, 50, 400, 1 << 20])
def rows_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    rows: int = request.param
    monkeypatch.setattr(searchable, "_ROWS_AT_ONCE", rows)
    monkeypatch.setattr(searchable, "_STEP", 3)
    return rows


def test_parts_are_the_band_in_order(rows_at_once: int) -> None:
    for documents in (ONE, SEVERAL):
        table = table_of(documents)
        sketches = table.sketches(np.arange(len(SETS)))
        for number in range(3):
            wanted = BANDS.keys(sketches)[:, number]
            order = np.argsort(wanted, kind="stable")
            keys, rows = table.band(BANDS, number)
            assert keys.tolist() == wanted[order].tolist()
            assert rows.tolist() == order.tolist()
            parts = [keys for keys, _ in table.band_parts(BANDS, number)]
            assert (len(parts) > 1) == (rows_at_once < len(SETS))
            full = [part for part in parts if len(part)]
            assert all(ones[-1] < others[0] for ones, others in pairwise(full))


@pytest.mark.usefixtures("rows_at_once")
def test_pairs_and_equal_documents_are_the_same_in_parts() -> None:
    first = {row: place for place, row in reversed(list(enumerate(SETS)))}
    for documents in (ONE, SEVERAL):
        assert duplicates_in(table_of(documents)).first.tolist() == [first[row] for row in SETS]
        result = links(documents, QUESTION)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(searchable, "_ROWS_AT_ONCE", 1 << 30)
            plain = links(documents, QUESTION)
        assert len(plain) > len(SETS)
        for column in ("left", "right", "score", "similarity", "incomplete"):
            assert getattr(result, column).tolist() == getattr(plain, column).tolist()


def test_a_table_without_segments_has_an_empty_band() -> None:
    derivation = Derivation(WORDS, WORDS)
    assert [len(column) for column in Table([], derivation).band(BANDS, 0)] == [0, 0]
