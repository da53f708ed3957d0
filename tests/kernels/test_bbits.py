"""The lowest bits of slots, packed and compared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.minhash import bbits
from sdtext.kernels.minhash.bbits import equal_slots, equal_slots_plain, packed, packed_plain
from tests.support.strategies import BRISK

every = pytest.mark.parametrize("bits", [1, 2, 4, 8])
SEEDS = st.integers(0, 2**32 - 1)


def _sketches(count: int, slots: int, seed: int) -> list[list[int]]:
    """Random sketches; each is much like the first."""
    random = np.random.default_rng(seed)
    result = random.integers(0, 2**32, (count, slots))
    alike = random.random((count, slots)) < 0.5
    return np.where(alike, result[0], result).tolist()  # type: ignore[no-any-return]


@every
@BRISK
@given(
    count=st.integers(1, 6), slots=st.integers(1, 200), seed=SEEDS,
    piece=st.sampled_from([1, 50, 1 << 18]),
)  # fmt: skip
def test_rows_are_packed_as_each_alone_and_equal_in_as_many_slots_as_before(
    bits: int, count: int, slots: int, seed: int, piece: int
) -> None:
    rows = _sketches(count, slots, seed)
    output = packed(np.array(rows, np.uint32), bits)
    assert [row.tobytes() for row in output] == [packed_plain(row, bits) for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bbits, "_PIECE", piece)
        result = equal_slots(output[0], output, bits)
    assert result.dtype == np.int64
    left_over = output.shape[1] * 8 // bits - slots
    assert (result - left_over).tolist() == [equal_slots_plain(rows[0], row, bits) for row in rows]
