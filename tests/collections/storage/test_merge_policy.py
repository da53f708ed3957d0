"""The merge policy keeps segments few and copies each document few times."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.storage.merge_policy import due, level
from tests.strategies import THOROUGH

MB = 1 << 20


@THOROUGH
@given(st.lists(st.integers(1, 100), min_size=1, max_size=300))
def test_few_segments_remain_and_each_is_copied_few_times(megabytes: list[int]) -> None:
    sizes: list[int] = []
    copied = 0
    for size in megabytes:
        sizes.append(size * MB)
        while ends := due(sizes, [0.0] * len(sizes)):
            merged = sizes[slice(*ends)]
            assert len(merged) >= 8
            copied += sum(merged)
            sizes[slice(*ends)] = [sum(merged)]
    total = sum(megabytes)
    assert sum(sizes) == total * MB
    assert copied <= 4 * total * MB  # once a level, and small ones with larger ones around them
    large = sum(size > 512 * MB for size in sizes)
    # Between two large ones up to 7 segments of a level stay, with up to 7 of the level below
    # before, between and behind them, and so on down to level 0: 8 ** 3 - 1 in all.
    assert len(sizes) <= large + (large + 1) * (8**3 - 1)


def test_small_ones_between_larger_ones_go_with_them() -> None:
    sizes = [100 * MB, MB] * 8
    assert due(sizes, [0] * 16) == (0, 16)
    assert due([600 * MB] * 20, [0] * 20) is None
    assert due([600 * MB] * 2, [0.4, 0.6]) == (1, 2)
    assert [level(8 * MB), level(8 * MB + 1), level(1 << 50)] == [0, 1, 3]
