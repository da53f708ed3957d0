"""The exact fingerprint of shingles."""

from __future__ import annotations

from hypothesis import given

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.parts.fingerprints.bitvector_and_shingles import Shingles
from tests.kernels.rows import ROWS


@given(rows=ROWS)
def test_it_is_the_set_in_order(rows: Ragged) -> None:
    assert [row.tolist() for row in Shingles()(rows)] == [sorted(set(row.tolist())) for row in rows]
