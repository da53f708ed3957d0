"""The index of seeds against sets of n-grams in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.reuse.seed_finder import SEED, SeedIndex

_ROWS = st.lists(st.lists(st.integers(1, 4), max_size=12), min_size=1, max_size=4)


def _grams(row: list[int]) -> set[tuple[int, ...]]:
    return {tuple(row[at : at + SEED]) for at in range(len(row) - SEED + 1)}


def _index(items: list[list[int]], least: float) -> SeedIndex:
    rows = Ragged.of(items)
    weights = Ragged(np.ones(len(rows.values)), rows.offsets)
    return SeedIndex.of(rows, weights, least)


@given(items=_ROWS, texts=_ROWS)
def test_candidates_are_all_pairs_that_share_a_seed(
    items: list[list[int]], texts: list[list[int]]
) -> None:
    candidates = _index(items, 0.0).candidates(Ragged.of(texts))
    assert {(row, item) for row, item, *_ in candidates.tolist()} == {
        (row, item)
        for row, text in enumerate(texts)
        for item, words in enumerate(items)
        if _grams(text) & _grams(words)
    }


def test_a_candidate_covers_the_seeds_on_about_one_diagonal() -> None:
    item = [*range(1, 21)]
    text = [*range(30, 50), *item[:9], 99, *item[9:], *range(60, 160), *item]
    candidates = _index([item], 0.5).candidates(Ragged.of([text]))
    assert candidates[:, 2:].tolist() == [[20, 41, 0, 20], [141, 161, 0, 20]]


def test_a_place_with_too_few_seeds_is_no_candidate() -> None:
    item = [*range(1, 41)]
    index = _index([item], 0.25)
    assert len(index.candidates(Ragged.of([item[:9]]))) == 0
    assert len(index.candidates(Ragged.of([item[:10]]))) == 1
