"""The join of windows finds what comparing each with each finds."""

from collections import defaultdict
from itertools import combinations
from random import Random

import pytest

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows.window_join import TooMuchWork, WindowJoin, join_windows
from tests.kernels.near_windows import Cell, near_cells, rows_of, trial


def cells(left: list[list[int]], right: list[list[int]] | None, w: int, tau: int) -> list[Cell]:
    """What the join finds."""
    others = None if right is None else Ragged.of(right, "uint32")
    return rows_of(join_windows(Ragged.of(left, "uint32"), others, WindowJoin(w, tau)))


def test_the_join_finds_what_brute_force_finds() -> None:
    for seed in range(200):
        assert cells(*trial(seed)) == near_cells(*trial(seed)), seed


def test_long_documents_of_many_terms() -> None:
    base = [place * place % 97 for place in range(200)]
    changed = [7 if place % 21 == 0 else term for place, term in enumerate(base)]
    documents = [base, changed[100:] + base[:60], base[::-1][:100], list(range(80, 150))]
    for w, tau in ((40, 3), (60, 12), (33, 16), (24, 1)):
        result = cells(documents, None, w, tau)
        assert result
        assert result == near_cells(documents, None, w, tau), (w, tau)


def test_more_blocks_than_are_indexed_at_once() -> None:
    chance = Random(1)
    documents = [[chance.randrange(2000) for _ in range(3000)] for _ in range(3)]
    places: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, document in enumerate(documents):
        for place, term in enumerate(document):
            places[term].append((number, place))
    wanted = [
        (left, right, i, i, j, j, 1, 0)
        for same in places.values()
        for (left, i), (right, j) in combinations(same, 2)
        if left != right
    ]
    assert cells(documents, None, 1, 0) == sorted(wanted)
    rows = Ragged.of(documents, "uint32")
    shares: list[float] = []
    in_threads = join_windows(rows, None, WindowJoin(1, 0, jobs=3, progress=shares.append))
    assert rows_of(in_threads) == sorted(wanted)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    with pytest.raises(TooMuchWork):
        join_windows(rows, None, WindowJoin(1, 0, budget=1 << 20, jobs=3))
    assert cells([[7], documents[0]], documents[1:], 1, 0)


def test_more_cells_than_are_returned_at_once() -> None:
    same = cells([[5] * 1100], [[5] * 1100], 1, 0)
    assert same == sorted((0, 0, i, i, j, j, 1, 0) for i in range(1100) for j in range(1100))


def test_more_work_than_may_be_done_is_refused_before_memory_is_full() -> None:
    for length, budget in ((2000, 0), (2000, 1000), (50_000, 1 << 26)):
        same = Ragged.of([[1] * length] * 2)
        with pytest.raises(TooMuchWork):
            join_windows(same, None, WindowJoin(30, 15, budget=budget))
