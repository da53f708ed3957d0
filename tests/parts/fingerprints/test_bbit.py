"""Sketches of few bits a slot: their estimate and its error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash.bbits import packed_plain
from sdtext.parts.fingerprints.minhash import SCHEMES, BBit, MinHash
from tests.kernels.rows import limit, pairs

every = pytest.mark.parametrize("bits", [1, 2, 4, 8])


@pytest.mark.parametrize(("options", "message"), [
    ({"bits": 3}, "bbit: bits is 3; it must be 1, 2, 4 or 8"),
    ({"slots": 63}, "bbit: slots is 63; it must be 64 to 8192"),
    ({"slots": 0}, "bbit: slots is 0; it must be 64 to 8192"),
    ({"slots": 12, "bits": 4}, "bbit: slots is 12; it must be 16 to 8192"),
    ({"slots": 8193}, "bbit: slots is 8193; it must be 64 to 8192"),
    ({"seed": -1}, "bbit: seed is -1; it must be 0 to 4294967295"),
    (
        {"scheme": "?"},
        "bbit: scheme is '?'; it must be one of fast-similarity, affine-paper, datasketch, modular",
    ),
])  # fmt: skip
def test_options_it_cannot_use_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        BBit(**options)
    assert str(caught.value) == message


@every
@pytest.mark.parametrize("slots", [64, 100])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_packs_the_slots_of_a_minhash_sketch(bits: int, slots: int, scheme: str) -> None:
    rows = Ragged.of([range(20), [], [2**64 - 1]])
    result = BBit(slots, bits, 5, scheme)(rows)
    whole = MinHash(slots, 5, scheme)(rows)
    assert [row.tobytes() for row in result] == [packed_plain(row.tolist(), bits) for row in whole]


def test_its_coefficients_are_those_of_the_sketch_that_is_packed() -> None:
    result = BBit(64, 1, 3, "affine-paper").coefficients
    whole = MinHash(64, 3, "affine-paper").coefficients
    assert result is not None
    assert whole is not None
    assert np.array_equal(result, whole)
    assert BBit().coefficients is None


@every
@pytest.mark.parametrize("slots", [64, 101])
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
