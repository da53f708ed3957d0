"""The stable order of hashes is that of a stable sort by comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.hash_order import stable_order

NUMBERS = st.integers(0, 2**64 - 1)
NEAR = st.builds(
    lambda upper, lower, shift: (upper << shift | lower) & (2**64 - 1),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from([1, 8, 31, 32, 47, 62]),
)
"""Numbers that agree in most of their bits, upper or lower ones."""


@given(values=st.lists(NUMBERS | NEAR, max_size=60))
def test_hashes_are_in_the_order_of_a_stable_sort(values: list[int]) -> None:
    hashes = np.array(values, np.uint64)
    assert stable_order(hashes).tolist() == sorted(range(len(values)), key=values.__getitem__)


@pytest.mark.parametrize("bits", [10, 32, 40, 64])
def test_many_hashes_with_equal_upper_halves_are_in_order(bits: int) -> None:
    draw = np.random.default_rng(bits)
    hashes = draw.integers(0, (1 << bits) - 1, 20_000, np.uint64)
    hashes = np.concatenate((hashes, hashes[::7], hashes[::5] ^ np.uint64(1), hashes[:9]))
    hashes[-1] = 2**64 - 1
    before = hashes.copy()
    assert np.array_equal(stable_order(hashes), np.argsort(hashes, kind="stable"))
    assert np.array_equal(hashes, before)
