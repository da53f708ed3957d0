"""The join of windows finds what comparing each with each finds, by each of its ways."""

from __future__ import annotations

import pytest

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows import candidate_verification, prefix_filter, window_join
from sdtext.kernels.windows.candidate_blocks import TooMuchWork, Work
from sdtext.kernels.windows.count_filter import CountFilter
from sdtext.kernels.windows.prefix_filter import PrefixSignatures
from sdtext.kernels.windows.window_join import WindowJoin, joined_cells, no_cells
from tests.kernels.near_windows import Cell, near_cells, near_cells_of_trial, rows_of, trial

every_k = pytest.mark.parametrize("k", [0, 1, 2, 3, 5])


def cells(
    left: list[list[int]], right: list[list[int]] | None, w: int, tau: int, k: int | str = "auto"
) -> list[Cell]:
    """What the join finds by k, or by the greatest k that is possible."""
    others = None if right is None else Ragged.of(right, "uint32")
    possible = k if isinstance(k, str) else min(k, w - tau)
    return rows_of(joined_cells(Ragged.of(left, "uint32"), others, WindowJoin(w, tau, possible)))


@every_k
@pytest.mark.parametrize("start", range(0, 200, 25))
def test_each_k_finds_what_brute_force_finds(k: int, start: int) -> None:
    for seed in range(start, start + 25):
        assert cells(*trial(seed), k) == near_cells_of_trial(seed), seed


def test_every_possible_k_finds_the_same() -> None:
    for seed in range(300, 330):
        left, right, w, tau = trial(seed)
        expected = near_cells_of_trial(seed)
        for k in ("auto", *range(w - tau + 1)):
            assert cells(left, right, w, tau, k) == expected, (seed, k)


@every_k
@pytest.mark.parametrize(("w", "tau"), [(40, 3), (60, 12), (33, 16), (24, 1)])
def test_long_documents_of_many_terms(k: int, w: int, tau: int) -> None:
    base = [place * place % 97 for place in range(200)]
    changed = [7 if place % 21 == 0 else term for place, term in enumerate(base)]
    documents = [base, changed[100:] + base[:60], base[::-1][:100], list(range(80, 150))]
    result = cells(documents, None, w, tau, min(k, 2) if tau > 10 else k)
    assert result
    assert result == near_cells(documents, None, w, tau)


@every_k
def test_one_term_again_and_again(k: int) -> None:
    result = cells([[4] * 200, [4] * 150], None, 10, 1, k)
    assert sum(row[6] for row in result) == 191 * 141
    assert {row[7] for row in result} == {0}


def test_windows_longer_than_a_block_may_be() -> None:
    documents = [[place % 7 for place in range(700)], [place % 5 for place in range(650)]]
    (whole,) = (
        joined_cells(Ragged.of(documents), None, WindowJoin(600, 599)).ordered().count.nonzero()
    )
    result = cells(documents, None, 600, 400)
    assert len(whole)
    assert sum(row[6] for row in result) == 101 * 51


@every_k
def test_the_sides_may_change_places(k: int) -> None:
    for seed in range(40):
        left, right, w, tau = trial(seed)
        if right is not None:
            turned = cells(right, left, w, tau, k)
            back = {(b, a, i, j, m, n, *rest) for a, b, m, n, i, j, *rest in turned}
            assert back == set(cells(left, right, w, tau, k))


SMALL = (
    (prefix_filter, "_AT_ONCE", 3),
    (prefix_filter, "_AREA", 40),
    (candidate_verification, "_AREA", 30),
    (candidate_verification, "_RECTANGLES", 5),
    (candidate_verification, "_CODES", 20),
    (candidate_verification, "_PAIRS", 4),
    (candidate_verification, "_FEW", 0),
)


@every_k
def test_what_is_done_at_once_changes_nothing(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in SMALL:
        monkeypatch.setattr(module, name, value)
    for seed in range(200, 240):
        assert cells(*trial(seed), k) == near_cells_of_trial(seed), seed


@pytest.mark.parametrize("prefix", [0, 1_000])
def test_signatures_are_taken_where_they_are_less_work(
    prefix: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_join, "_PREFIX", prefix)
    documents = [[place * place % 97 + of for place in range(90)] for of in range(3)]
    sides = window_join.blocks_of(Ragged.of(documents), None, 30)
    join, looser = WindowJoin(30, 3), WindowJoin(30, 4)
    assert isinstance(window_join.candidate_strategy(*sides, join), PrefixSignatures)
    assert isinstance(window_join.candidate_strategy(*sides, looser), CountFilter)
    assert cells(documents, None, 30, 3) == near_cells(documents, None, 30, 3)


def test_the_estimated_verification_is_that_of_all_pairs_of_blocks() -> None:
    documents = [[(place + of) % 50 for place in range(200)] for of in range(20)]
    left, right = window_join.blocks_of(Ragged.of(documents), Ragged.of(documents[:5]), 30)
    counting = CountFilter(left, right, 3)
    pairs = sum(len(near) for _, near in counting.pairs(Work(1 << 40, 30, 3)))
    assert pairs
    assert counting.verification == pairs * (left.stride + 30)


def test_a_smaller_distance_finds_a_part() -> None:
    left, right, w, _ = trial(9)
    counts = [sum(row[6] for row in cells(left, right, w, tau)) for tau in range(w)]
    assert counts == sorted(counts)


def test_numbers_of_terms_may_be_far_apart() -> None:
    left, _, w, tau = trial(1)
    apart = [[2**31 * term + 5 for term in row] for row in left]
    result = rows_of(joined_cells(Ragged.of(apart), None, WindowJoin(w, tau)))
    assert result
    assert result == near_cells(left, None, w, tau)


def test_documents_without_windows_have_no_cells() -> None:
    assert not cells([], None, 3, 1)
    assert not cells([[1, 2]], [[1, 2]], 3, 1)
    assert not cells([[1, 2, 3]], [], 3, 1)
    assert len(no_cells()) == 0


@pytest.mark.parametrize("budget", [0, 1000])
def test_more_work_than_may_be_done_is_refused(budget: int) -> None:
    same = Ragged.of([[1] * 2000, [1] * 2000])
    with pytest.raises(TooMuchWork, match="use fewer or shorter texts"):
        joined_cells(same, None, WindowJoin(30, 15, budget=budget))


@pytest.mark.deep
def test_long_texts_of_one_term_are_refused_before_memory_is_full() -> None:
    same = Ragged.of([[1] * 50_000] * 2)
    with pytest.raises(TooMuchWork):
        joined_cells(same, None, WindowJoin(30, 15, budget=1 << 30))


@pytest.mark.parametrize(("k", "message"), [
    (-1, "k is -1; it must be 1 to w - tau, which is 15, or 0 for no signatures, or auto"),
    ("two", "k is 'two'; it must be 1 to w - tau"),
    (16, "k is 16; it must be at most w - tau, which is 15, since the prefix .*, or auto"),
])  # fmt: skip
def test_a_k_that_no_window_can_have_is_refused(k: int | str, message: str) -> None:
    with pytest.raises(OptionError, match=f"^windows: {message}"):
        WindowJoin(30, 15, k)


def test_signatures_of_more_than_64_bits_are_refused() -> None:
    documents = [[*range(200)], [*range(200)]]
    assert cells(documents, None, 12, 0, 8) == near_cells(documents, None, 12, 0)
    with pytest.raises(OptionError, match="has more than 64 bits; use k = 8 or less, or k = auto"):
        cells(documents, None, 12, 0, 9)


def test_more_signatures_than_the_budget_has_are_refused_before_they_are_made() -> None:
    documents = Ragged.of([[*range(60)], [*range(60)][::-1]])
    for k, budget in ((10, 1 << 37), (3, 10_000)):
        with pytest.raises(TooMuchWork, match=f"k = {k} take .* combinations .*, or k = auto"):
            joined_cells(documents, None, WindowJoin(30, 15, k, budget))
    same = Ragged.of([[7] * 200] * 60)
    with pytest.raises(TooMuchWork, match=r"k = 1 take .* pairs of blocks, more than"):
        joined_cells(same, None, WindowJoin(10, 3, 1, 600_000))
