"""Sketches as parts: their options, their estimates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash import affine
from sdtext.parts.fingerprints.minhash import SCHEMES, MinHash
from tests.support.strategies import BRISK

every = pytest.mark.parametrize("scheme", SCHEMES)


@every
def test_one_sketch_is_compared_with_many(scheme: str) -> None:
    minhash = MinHash(64, 3, scheme)
    rows = minhash(Ragged.of([range(10), range(5, 15), range(100, 110), []]))
    assert minhash.estimate(rows[3], rows).tolist() == [0, 0, 0, 0]  # like nothing
    result = minhash.estimate(rows[0], rows)
    assert result.tolist() == [(rows[0] == row).mean() for row in rows[:3]] + [0]
    assert result[0] == 1 > result[1] > result[2] == 0


def test_the_coefficients_are_those_of_the_scheme() -> None:
    assert MinHash().coefficients is None
    paper = MinHash(4, 2, "affine-paper").coefficients
    assert paper is not None
    assert np.array_equal(paper, affine.paper_coefficients(4, 2))
    row = MinHash(4, 2, "affine-paper")(Ragged.of([[5, 9]]))[0].tolist()
    pairs = list(zip(*(numbers.tolist() for numbers in paper), strict=True))
    assert row == affine.paper_sketch_plain([5, 9], pairs)


@BRISK
@given(
    rows=st.integers(1, 5000) | st.just(2**31 - 2),
    sets=st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=6), min_size=1, max_size=4),
    seed=st.integers(0, 99),
)
@example(rows=2**31 - 2, sets=[[2**31 - 3, 2**64 - 1]], seed=1)
def test_the_modular_scheme_is_that_of_its_formula(
    rows: int, sets: list[list[int]], seed: int
) -> None:
    minhash = MinHash(5, seed, "modular", rows)
    prime = affine.next_prime(rows)
    assert prime > rows
    assert all(prime % divisor for divisor in range(2, min(prime, 50_000)))
    assert minhash.coefficients is not None
    pairs = list(zip(*(numbers.tolist() for numbers in minhash.coefficients), strict=True))
    assert all(1 <= a <= rows and 0 <= b <= rows for a, b in pairs)
    for each, row in zip(sets, minhash(Ragged.of(sets)).tolist(), strict=True):
        places = {number % rows for number in each}
        expected = [[(a * x + b) % prime for x in places] for a, b in pairs]
        assert row == [min(slot, default=2**32 - 1) for slot in expected]
