"""Boxes of documents that repeat themselves equal those of brute force, and take little work."""

from collections.abc import Iterable
from itertools import chain
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import row_hashes
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.passages.boxes import ListedBoxes, MatchingBoxes
from sdtext.kernels.windows import matching_windows as module
from sdtext.kernels.windows.matching_windows import (
    PairBoxes,
    RepeatedBoxes,
    boxes_of_cells,
    matching_windows,
)
from sdtext.kernels.windows.window_join import WindowJoin, join_windows
from tests.support.strategies import BRISK

Documents = list[list[int]]


@pytest.fixture
def _always_by_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare equal blocks once however few there are, and a few boxes at once."""
    monkeypatch.setattr(module, "_FEW", -1)
    monkeypatch.setattr(module, "_MANY", 0)
    monkeypatch.setattr(module, "_AT_ONCE", 7)


def repetitive(seed: int) -> list[int]:
    """A text that repeats a term or a few terms, with others before, between and behind them."""
    draw = Random(seed)
    parts = (
        [draw.randrange(draw.choice((2, 6, 40))) for _ in range(draw.choice((1, 1, 3, 8)))]
        * draw.choice((1, 4, 20))
        for _ in range(draw.randrange(1, 6))
    )
    return list(chain.from_iterable(parts))


REPETITIVE = st.lists(st.integers(0, 2**32).map(repetitive), min_size=1, max_size=4)
JOINS = st.sampled_from([(1, 0), (2, 1), (4, 2), (5, 0), (6, 3), (7, 6), (12, 6), (12, 1)])


def sides(left: Documents, right: Documents | None) -> tuple[Ragged, Ragged | None]:
    return Ragged.of(left, "uint32"), None if right is None else Ragged.of(right, "uint32")


def by_pair(boxes: Iterable[PairBoxes]) -> dict[tuple[int, int], MatchingBoxes]:
    listed = list(boxes)
    pairs = {(left, right): boxes for left, right, boxes in listed}
    assert [(left, right) for left, right, _ in listed] == sorted(pairs)
    return pairs


def rows_of(batches: Iterable[MatchingBoxes]) -> list[list[int]]:
    """The listed boxes of some batches, sorted."""
    arrays = [batch.boxes.tolist() for batch in batches if isinstance(batch, ListedBoxes)]
    return sorted(chain.from_iterable(arrays))


@pytest.mark.usefixtures("_always_by_classes")
@BRISK
@given(REPETITIVE, st.none() | REPETITIVE, JOINS, st.integers(0, 12), st.data())
def test_boxes_by_classes_equal_those_of_all_cells(
    left: Documents, right: Documents | None, join: tuple[int, int], gap: int, data: st.DataObject
) -> None:
    terms, windows = sides(left, right), WindowJoin(*join)
    by_cells = by_pair(boxes_of_cells(join_windows(*terms, windows), windows.w))
    by_classes = by_pair(matching_windows(*terms, windows))
    assert by_classes.keys() == by_cells.keys()
    for pair, boxes in by_classes.items():
        expected = by_cells[pair].merged(gap).tolist()
        assert boxes.merged(gap).tolist() == expected
        for box in expected:
            cuts = [data.draw(st.integers(low, high)) for low, high in (box[:2], box[2:]) * 2]
            inner = [*sorted(cuts[::2]), *sorted(cuts[1::2])]
            assert rows_of(boxes.beside(inner, box)) == rows_of(by_cells[pair].beside(inner, box))


@pytest.mark.usefixtures("_always_by_classes")
def test_blocks_of_one_hash_that_differ_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = sides([[1, 2, 3, 4, 5, 6, 7] * 20], [[2, 1, 3, 5, 4, 7, 9] * 20])
    windows = WindowJoin(6, 4)
    expected = by_pair(boxes_of_cells(join_windows(*terms, windows), 6))

    def equal_at_first(rows: Ragged, seed: int) -> NDArray[np.uint64]:
        return row_hashes(rows, seed) * np.uint64(seed > 0)

    monkeypatch.setattr("sdtext.kernels.arrays.equal_rows.row_hashes", equal_at_first)
    result = by_pair(matching_windows(*terms, windows))
    assert all(isinstance(boxes, RepeatedBoxes) for boxes in result.values())
    assert [boxes.merged(6).tolist() for boxes in result.values()] == [
        boxes.merged(6).tolist() for boxes in expected.values()
    ]
