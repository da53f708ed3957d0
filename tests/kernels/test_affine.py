"""MinHash by affine functions: that of the paper and that of the package datasketch."""

import numpy as np
import pytest
from datasketch import MinHash as Theirs
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash import affine
from tests.kernels.rows import HASHES, ROWS
from tests.support.strategies import BRISK

SEEDS = st.integers(0, 2**32 - 1)


@BRISK
@given(rows=ROWS, slots=st.integers(1, 20), seed=SEEDS)
def test_the_sketches_of_the_paper_are_its_formula(rows: Ragged, slots: int, seed: int) -> None:
    a, b = affine.paper_coefficients(slots, seed)
    result = list(zip(a.tolist(), b.tolist(), strict=True))
    plain = [affine.paper_sketch_plain(row.tolist(), result) for row in rows]
    output = affine.paper_sketches(rows, slots, seed)
    assert output.dtype == np.uint32
    assert output.tolist() == plain


NEAR = st.integers(0, affine.PRIME - 1) | st.sampled_from([
    0, 1, 2, affine.ROWS - 1, affine.ROWS, affine.ROWS + 1, affine.PRIME - 2, affine.PRIME - 1
])  # fmt: skip


@given(numbers=st.lists(NEAR, min_size=1), a=NEAR, b=NEAR)
def test_remainders_are_exact_in_floating_point(numbers: list[int], a: int, b: int) -> None:
    result = affine._paper_permuted(np.array(numbers, np.float64), float(a), b + 0.5)
    exact = [(a * number + b) % affine.PRIME % affine.ROWS for number in numbers]
    assert result.astype(np.uint32).tolist() == exact


def test_remainders_are_exact_where_the_prime_divides() -> None:
    multiples = np.arange(1, affine.PRIME, 997, dtype=np.uint64)
    for a in (1, 2, affine.PRIME - 1):
        b = (affine.PRIME - multiples * np.uint64(a) % np.uint64(affine.PRIME)).astype(np.float64)
        result = affine._paper_permuted(multiples.astype(np.float64), float(a), b + 0.5)
        assert not result.astype(np.uint32).any()


@BRISK
@given(row=st.lists(HASHES, max_size=12), slots=st.integers(1, 20), seed=SEEDS)
def test_sketches_are_those_of_datasketch(row: list[int], slots: int, seed: int) -> None:
    theirs = Theirs(num_perm=slots, seed=seed)
    for shingle in row:
        theirs.update(shingle.to_bytes(8, "little"))
    result = affine.datasketch_sketches(Ragged.of([[7], row, []]), slots, seed)
    assert result.dtype == np.uint32
    assert result[1].tolist() == theirs.hashvalues.tolist()


def test_pieces_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Ragged.of([[], range(100), [], [], [1], range(5), [2, 2], []])
    for sketches in (affine.paper_sketches, affine.datasketch_sketches):
        whole = sketches(rows, 8, 1)
        assert (whole == affine.NO_VALUE).all(axis=1).tolist() == [not row.size for row in rows]
        for piece in (1, 7, 64):
            with monkeypatch.context() as patch:
                patch.setattr(affine, "_PIECE", piece)
                assert np.array_equal(sketches(rows, 8, 1), whole)
