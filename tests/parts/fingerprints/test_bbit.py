"""Sketches of few bits a slot: their estimate and its error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash.bbits import packed_plain
from sdtext.parts.fingerprints.minhash import SCHEMES, BBit, MinHash
from tests.kernels.rows import limit, pairs
from tests.support.cases import cases

every = pytest.mark.parametrize("bits", [1, 2, 4, 8])


@every
@cases("slots", [64, 100])
@cases("scheme", SCHEMES)
def test_it_packs_the_slots_of_a_minhash_sketch(bits: int, slots: int, scheme: str) -> None:
    rows = Ragged.of([range(20), [], [2**64 - 1]])
    result = BBit(slots, bits, 5, scheme)(rows)
    whole = MinHash(slots, 5, scheme)(rows)
    assert [row.tobytes() for row in result] == [packed_plain(row.tolist(), bits) for row in whole]


@every
@cases("slots", [64, 101])
def test_documents_without_shingles_are_like_nothing(bits: int, slots: int) -> None:
    bbit = BBit(slots, bits)
    rows = bbit(Ragged.of([[], [], [1]]))
    assert rows.shape == (3, bbit.width)
    assert bbit.estimate(rows[0], rows).tolist() == [0, 0, 0]
    assert bbit.estimate(rows[2], rows).tolist() == [0, 0, 1]


SLOTS = 125  # so that bits are left over
SHARES = (5, 50, 90)
COUNT = 400


def _estimates(bits: int, scheme: str) -> list[tuple[float, np.ndarray[Any, np.dtype[np.float64]]]]:
    """The Jaccard of each of `SHARES`, and the estimates of `COUNT` such pairs of 100 shingles."""
    output = []
    for common in SHARES:
        left, right, jaccard = pairs(COUNT, 100, common, seed=common)
        bbit = BBit(SLOTS, bits, common, scheme)
        ours, theirs = bbit(left), bbit(right)
        result = [
            bbit.estimate(row, theirs[place : place + 1])[0] for place, row in enumerate(ours)
        ]
        output.append((jaccard, np.array(result)))
    return output


@every
def test_the_estimate_is_the_jaccard_on_average(bits: int) -> None:
    """One joint test of all cells, with a limit that chance exceeds once in a thousand times."""
    cells = _estimates(bits, "fast-similarity")
    total = sum((each.mean() - jaccard) ** 2 / each.var() * COUNT for jaccard, each in cells)
    assert total < limit(len(cells))


@every
def test_the_error_follows_the_formula_of_li_and_konig(bits: int) -> None:
    """For the independent slots of "affine-paper"; their sum of squares is a chi-squared each."""
    for jaccard, each in _estimates(bits, "affine-paper"):
        variance = BBit(SLOTS, bits).variance(jaccard)
        total = ((each - jaccard) ** 2).sum() / variance
        assert 2 * COUNT - limit(COUNT) < total < limit(COUNT)


@every
def test_fast_similarity_errs_less(bits: int) -> None:
    for jaccard, each in _estimates(bits, "fast-similarity"):
        variance = BBit(SLOTS, bits).variance(jaccard)
        assert ((each - jaccard) ** 2).mean() < 1.05 * variance
