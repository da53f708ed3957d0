"""MinHash by affine functions: that of the paper and that of the package datasketch."""

import numpy as np
import pytest
from datasketch import MinHash as Theirs
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.c_library import KERNELS
from sdtext.kernels.minhash import affine
from tests.kernels.rows import HASHES, ROWS
from tests.support.strategies import BRISK

SEEDS = st.integers(0, 2**32 - 1)


NEAR = st.integers(0, affine.PRIME - 1) | st.sampled_from([
    0, 1, 2, affine.ROWS - 1, affine.ROWS, affine.ROWS + 1, affine.PRIME - 2, affine.PRIME - 1
])  # fmt: skip


@pytest.fixture(params=[0, 2, "plain"], autouse=True)
def _instructions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each set of instructions, and the plain reference."""
    if request.param == "plain":
        monkeypatch.delitem(KERNELS, "affine_sketches")
    else:
        KERNELS["instruction_set"](request.param)


@BRISK
@given(rows=ROWS, slots=st.integers(1, 20), seed=SEEDS)
def test_the_sketches_of_the_paper_are_its_formula(rows: Ragged, slots: int, seed: int) -> None:
    a, b = affine.coefficients(slots, seed, affine.PRIME - 1)
    pairs, most = list(zip(a.tolist(), b.tolist(), strict=True)), affine.NO_VALUE
    plain = [
        [min(((a * x + b) % affine.PRIME % affine.ROWS for x in row.tolist()), default=most)
         for a, b in pairs]
        for row in rows
    ]  # fmt: skip
    output = affine.paper_sketches(rows, slots, seed)
    assert output.dtype == np.uint32
    assert output.tolist() == plain


@BRISK
@given(rows=ROWS, slots=st.integers(1, 20), seed=SEEDS, most=st.integers(1, 2**31 - 2))
@example(rows=Ragged.of([[2**31 - 3, 2**64 - 1]]), slots=5, seed=1, most=2**31 - 2)
def test_modular_sketches_are_their_formula(rows: Ragged, slots: int, seed: int, most: int) -> None:
    prime = affine.next_prime(most)
    assert prime > most
    assert all(prime % divisor for divisor in range(2, min(prime, 50_000)))
    pairs = [*zip(*(side.tolist() for side in affine.coefficients(slots, seed, most)),
                  strict=True)]  # fmt: skip
    assert all(1 <= a <= most and 0 <= b <= most for a, b in pairs)
    plain = [
        [min(((a * (x % most) + b) % prime for x in row.tolist()), default=affine.NO_VALUE)
         for a, b in pairs]
        for row in rows
    ]  # fmt: skip
    assert affine.modular_sketches(rows, slots, seed, most).tolist() == plain


@given(numbers=st.lists(NEAR, min_size=1), a=NEAR, b=NEAR)
def test_remainders_are_exact(numbers: list[int], a: int, b: int) -> None:
    rows = Ragged.of([[number] for number in numbers])
    pair = np.array([a], np.uint64), np.array([b], np.uint64)
    result = affine._least(rows, pair, affine.PRIME, affine.ROWS)
    exact = [(a * number + b) % affine.PRIME % affine.ROWS for number in numbers]
    assert result[:, 0].tolist() == exact


def test_remainders_are_exact_where_the_prime_divides() -> None:
    multiples = np.arange(1, affine.PRIME, 997, dtype=np.uint64)
    rows = Ragged(multiples, np.arange(len(multiples) + 1))
    for a in (1, 2, affine.PRIME - 1):
        b = affine.PRIME - int(multiples[5]) * a % affine.PRIME
        pair = np.array([a], np.uint64), np.array([b], np.uint64)
        result = affine._least(rows, pair, affine.PRIME, affine.ROWS)
        exact = (multiples * np.uint64(a) + np.uint64(b)) % np.uint64(affine.PRIME)
        assert (result[:, 0] == exact % np.uint64(affine.ROWS)).all()
        assert not result[5]


@BRISK
@given(row=st.lists(HASHES, max_size=12), slots=st.integers(1, 20), seed=SEEDS)
def test_sketches_are_those_of_datasketch(row: list[int], slots: int, seed: int) -> None:
    theirs = Theirs(num_perm=slots, seed=seed)
    for shingle in row:
        theirs.update(shingle.to_bytes(8, "little"))
    result = affine.datasketch_sketches(Ragged.of([[7], row, []]), slots, seed)
    assert result.dtype == np.uint32
    assert result[1].tolist() == theirs.hashvalues.tolist()
