"""Bands of slots: layouts, probabilities, keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash import band_hashes
from sdtext.parts.fingerprints.minhash import SCHEMES, MinHash
from sdtext.parts.indexes import FAMILIES, NO_KEY, Bands
from tests.kernels.rows import ROWS
from tests.support.cases import cases
from tests.support.strategies import BRISK

families = pytest.mark.parametrize("family", FAMILIES)


def _ideal(jaccard: float, bands: int, rows: int) -> float:
    return 1 - (1 - jaccard**rows) ** bands


@given(similarity=st.floats(0.05, 1), recall=st.floats(0.01, 0.999), slots=st.integers(1, 600))
def test_the_rows_are_the_most_that_keep_the_recall(
    similarity: float, recall: float, slots: int
) -> None:
    enough = [r for r in range(1, slots + 1) if _ideal(similarity, slots // r, r) >= recall]
    part = Bands(similarity, recall)
    if enough:
        assert part.layout(slots) == (slots // max(enough), max(enough))
        assert part.probability(similarity, slots) >= recall
    else:
        with pytest.raises(OptionError):
            part.layout(slots)


def test_a_layout_that_is_given_is_used_as_it_is() -> None:
    part = Bands(bands=20, rows=5)
    assert part.layout(100) == part.layout(128) == (20, 5)
    with pytest.raises(OptionError) as caught:
        part.layout(99)
    assert str(caught.value) == "bands: 20 bands of 5 rows are more than the 99 slots of a sketch"


# Table 1 of Celozzi and Ciabini, by similarity, then by bands and rows. Most of its numbers are
# cut, not rounded.
LAYOUTS = ((50, 2), (25, 4), (20, 5), (10, 10))
TABLE = {
    0.8: (1.00, 0.99, 0.99, 0.67),
    0.6: (1.00, 0.96, 0.80, 0.05),
    0.5: (0.99, 0.80, 0.47, 0.01),
    0.4: (0.99, 0.47, 0.18, 0.00),
    0.2: (0.87, 0.03, 0.00, 0.00),
}


@cases("similarity", TABLE)
def test_probabilities_are_those_of_the_paper(similarity: float) -> None:
    parts = [Bands(bands=bands, rows=rows) for bands, rows in LAYOUTS]
    result = [part.probability(similarity, 100) for part in parts]
    assert result == pytest.approx(TABLE[similarity], abs=0.01)


@families
@BRISK
@given(rows=ROWS)
def test_documents_meet_where_a_band_of_theirs_is_equal(family: str, rows: Ragged) -> None:
    part = Bands(bands=6, rows=2, hash=family)
    sketches = MinHash(slots=13)(rows)
    keys = part.keys(sketches)
    assert keys.shape == (len(rows), 6)
    for band in range(6):
        own = [tuple(sketch[2 * band : 2 * band + 2].tolist()) for sketch in sketches]
        for item in range(len(rows)):
            for other in range(len(rows)):
                assert (keys[item, band] == keys[other, band]) == (own[item] == own[other])


@families
def test_equal_slots_in_other_bands_do_not_meet(family: str) -> None:
    keys = Bands(bands=50, rows=2, hash=family).keys(np.full((1, 100), 7, np.uint32))
    assert len(set(keys[0].tolist())) == 50


@families
@cases("scheme", SCHEMES)
def test_documents_without_shingles_and_only_they_have_no_key(family: str, scheme: str) -> None:
    sketches = MinHash(128, 1, scheme)(Ragged.of([[], [5], [], [2**64 - 1]]))
    keys = Bands(hash=family).keys(sketches)
    assert (keys == NO_KEY).all(axis=1).tolist() == [True, False, True, False]
    assert not (keys[[1, 3]] == NO_KEY).any()


def test_a_key_that_is_that_number_by_chance_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        band_hashes, "xxhash", lambda slots, _: np.full(len(slots), NO_KEY, np.uint64)
    )
    keys = Bands(bands=1, rows=2).keys(np.array([[3, 4]], np.uint32))
    assert keys.tolist() == [[NO_KEY - 1]]
