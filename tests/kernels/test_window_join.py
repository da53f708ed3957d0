"""The join of windows finds what comparing each with each finds."""

from __future__ import annotations

import pytest

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows import candidate_verification, window_join
from sdtext.kernels.windows.candidate_blocks import TooMuchWork
from sdtext.kernels.windows.window_join import WindowJoin, join_windows, no_cells
from tests.kernels.near_windows import Cell, near_cells, near_cells_of_trial, rows_of, trial


def cells(left: list[list[int]], right: list[list[int]] | None, w: int, tau: int) -> list[Cell]:
    """What the join finds."""
    others = None if right is None else Ragged.of(right, "uint32")
    return rows_of(join_windows(Ragged.of(left, "uint32"), others, WindowJoin(w, tau)))


def test_the_join_finds_what_brute_force_finds() -> None:
    for seed in range(200):
        assert cells(*trial(seed)) == near_cells_of_trial(seed), seed


def test_long_documents_of_many_terms() -> None:
    base = [place * place % 97 for place in range(200)]
    changed = [7 if place % 21 == 0 else term for place, term in enumerate(base)]
    documents = [base, changed[100:] + base[:60], base[::-1][:100], list(range(80, 150))]
    for w, tau in ((40, 3), (60, 12), (33, 16), (24, 1)):
        result = cells(documents, None, w, tau)
        assert result
        assert result == near_cells(documents, None, w, tau), (w, tau)


SMALL = (
    (window_join, "_AREA", 30),
    (candidate_verification, "_RECTANGLES", 5),
    (candidate_verification, "_CODES", 20),
    (candidate_verification, "_PAIRS", 4),
    (candidate_verification, "_FEW", 0),
)


def test_what_is_done_at_once_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in SMALL:
        monkeypatch.setattr(module, name, value)
    for seed in range(200, 240):
        assert cells(*trial(seed)) == near_cells_of_trial(seed), seed


def test_documents_without_windows_have_no_cells() -> None:
    assert not cells([], None, 3, 1)
    assert not cells([[1, 2]], [[1, 2]], 3, 1)
    assert not cells([[1, 2, 3]], [], 3, 1)
    assert not len(no_cells().left)


def test_more_work_than_may_be_done_is_refused_before_memory_is_full() -> None:
    for length, budget in ((2000, 0), (2000, 1000), (50_000, 1 << 26)):
        same = Ragged.of([[1] * length] * 2)
        with pytest.raises(TooMuchWork):
            join_windows(same, None, WindowJoin(30, 15, budget=budget))
