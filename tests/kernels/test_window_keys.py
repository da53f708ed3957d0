"""Windows that differ in few terms have a key in common."""

from itertools import product
from math import comb
from random import Random

import numpy as np
import pytest

from sdtext.kernels.arrays.integer_and_byte_hashes import mixed
from sdtext.kernels.windows.window_join import WindowJoin
from sdtext.kernels.windows.window_keys import Hashes, WindowKeys
from tests.kernels.near_windows import near_windows, trial


def hashes(terms: list[int]) -> Hashes:
    return mixed(np.array(terms, np.uint64))


def test_near_windows_have_a_key_in_common() -> None:
    pairs = 0
    for seed in range(200):
        left, right, w, tau = trial(seed)
        join, chance = WindowJoin(w, tau), Random(seed)
        terms = sorted({term for row in (*left, *(right or left)) for term in row})
        frequent = chance.sample(terms, chance.randrange(len(terms) + 1))
        counts = np.array([chance.randrange(1, 1000) for _ in frequent], np.int64)
        keys = WindowKeys.of(hashes(frequent), counts, chance.choice((0, 10, 1000)))
        for one, other in product(left, right or left):
            near = near_windows(one, other, w, tau)
            for i, j, _ in chance.sample(near, min(len(near), 9)):
                windows = (one[i : i + w], other[j : j + w])
                found, others = (keys(hashes(window), join) for window in windows)
                assert np.isin(found, others).any(), (seed, i, j)
                assert np.isin(found, keys(hashes(one), join)).all()
                pairs += 1
    assert pairs > 1000


def test_unrelated_documents_have_few_keys_in_common() -> None:
    """Their terms are as frequent as words of a language: one in ten is the first."""
    chance = Random(1)
    ranks = chance.choices(range(1, 30_001), [1 / rank for rank in range(1, 30_001)], k=60_000)
    texts = [hashes(ranks[start : start + 200]) for start in range(0, len(ranks), 200)]
    found = np.unique(np.concatenate([np.unique(text) for text in texts]), return_counts=True)
    keys = WindowKeys.of(*found, len(texts))
    rows = [set(keys(text, WindowJoin(30, 3)).tolist()) for text in texts]
    near = sum(bool(one & other) for place, one in enumerate(rows) for other in rows[:place])
    assert near < len(rows) ** 2 / 2 / 20
    assert all(map(len, rows))


def test_few_windows_have_their_keys_at_once_if_they_have_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = list[int]()

    def none(_: WindowKeys, windows: Hashes, *__: WindowJoin) -> list[Hashes]:
        sizes.append(len(windows))
        return [hashes([])]

    monkeypatch.setattr(WindowKeys, "_of_windows", none)
    keys = WindowKeys.of(hashes([]), np.empty(0, np.int64), 1)
    keys(hashes([*range(40_000)]), WindowJoin(30, 15))
    assert sum(sizes) == 40_000 - 29
    assert max(sizes) * comb(19, 4) <= 1 << 20
