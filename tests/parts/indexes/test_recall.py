"""The recall that is promised against the recall that is found."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from sdtext.parts.fingerprints.minhash import MinHash
from sdtext.parts.indexes import FAMILIES, Bands
from tests.kernels.rows import limit, pairs
from tests.support.cases import cases

LAYOUTS = ((50, 2), (25, 4), (20, 5), (10, 10))
KEPT = (80, 60, 50, 40, 20)  # shingles of 100 that a copy keeps: a Jaccard of s / (2 - s)
TRIALS, PAIRS = 20, 50


@cache
def _sketched_pairs(kept: int, scheme: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32], float]:
    """The sketches of both sides, and the Jaccard of each pair; each trial has its seed."""
    lefts, rights = [], []
    for trial in range(TRIALS):
        left, right, jaccard = pairs(PAIRS, 100, kept, seed=1000 * kept + trial)
        sketch = MinHash(100, seed=100 * kept + trial, scheme=scheme)
        lefts.append(sketch(left))
        rights.append(sketch(right))
    return np.concatenate(lefts), np.concatenate(rights), jaccard


def _measured_recall(kept: int, part: Bands, scheme: str) -> tuple[float, int]:
    """The ideal recall, and how many of `TRIALS` · `PAIRS` pairs meet."""
    left, right, jaccard = _sketched_pairs(kept, scheme)
    equal = part.keys(left) == part.keys(right)
    return part.probability(jaccard, 100), int(equal.any(axis=1).sum())


@cases("family", FAMILIES)
def test_pairs_are_found_as_often_as_the_ideal_says(family: str) -> None:
    """One joint test of all cells, with a limit that chance exceeds once in a thousand times.

    Cells with fewer than five pairs expected to be found, or to be missed, are tested together.
    """
    _test_jointly("fast-similarity", family)


@pytest.mark.deep
def test_pairs_are_found_as_often_with_independent_slots() -> None:
    _test_jointly("affine-paper", "xxhash")


def _test_jointly(scheme: str, family: str) -> None:
    count, total, cells = TRIALS * PAIRS, 0.0, 0
    rare, rare_expected = 0, 0.0
    for bands, rows in LAYOUTS:
        for kept in KEPT:
            ideal, meet = _measured_recall(kept, Bands(bands=bands, rows=rows, hash=family), scheme)
            if min(ideal, 1 - ideal) * count >= 5:
                total += (meet - ideal * count) ** 2 / (ideal * (1 - ideal) * count)
                cells += 1
            else:
                rare += min(meet, count - meet)
                rare_expected += min(ideal, 1 - ideal) * count
    assert cells >= 10
    assert total < limit(cells)
    assert abs(rare - rare_expected) < 3.3 * rare_expected**0.5
