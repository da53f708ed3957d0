"""The merge policy keeps segments few and copies each document few times."""

from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.storage.writer import due, level

MB = 1 << 20


def after_adding(megabytes: list[int]) -> tuple[list[int], int]:
    """The segments after segments of these sizes were added and merged, and the bytes copied."""
    sizes: list[int] = []
    copied = 0
    for size in megabytes:
        sizes.append(size * MB)
        while ends := due(sizes, [0.0] * len(sizes)):
            merged = sizes[slice(*ends)]
            assert len(merged) >= 8
            copied += sum(merged)
            sizes[slice(*ends)] = [sum(merged)]
    return sizes, copied


@given(st.lists(st.integers(1, 100), min_size=1, max_size=300))
def test_fewer_than_eight_of_a_size_remain_and_each_is_copied_few_times(
    megabytes: list[int],
) -> None:
    sizes, copied = after_adding(megabytes)
    total = sum(megabytes) * MB
    assert sum(sizes) == total
    assert copied <= 4 * total  # once a level, and small ones with larger ones around them
    for limit, below in ((8, 0), (64, 8), (512, 64)):
        # Of more than `below` and at most `limit` MB, between two larger ones or an end.
        counts = [0]
        for size in sizes:
            if size > limit * MB:
                counts.append(0)
            elif size > below * MB:
                counts[-1] += 1
        assert max(counts) < 8


def test_small_ones_between_larger_ones_go_with_them() -> None:
    sizes = [100 * MB, MB] * 8
    assert due(sizes, [0] * 16) == (0, 16)
    assert due([600 * MB] * 20, [0] * 20) is None
    assert due([600 * MB] * 2, [0.4, 0.6]) == (1, 2)
    assert [level(8 * MB), level(8 * MB + 1), level(1 << 50)] == [0, 1, 3]
