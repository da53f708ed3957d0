"""Bottom-k sketches beside a plain reference, which has no arrays; damaged bytes are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.integer_and_byte_hashes import mixed_plain
from sdtext.kernels.bottom_k import END, Row, packed, smallest, unpacked
from tests.support.strategies import BRISK

SETS = st.tuples(st.integers(0, 150), st.integers(0, 2**32)).map(
    lambda pair: np.random.default_rng(pair[1]).integers(0, 2**64, pair[0], np.uint64)
)
SIZES = st.integers(16, 250)


def spelled(positions: list[int], k: int) -> str:
    """The Rice code of positions in digits."""
    digits, last = "", -1
    for position in positions:
        skipped = position - last - 1
        digits += "1" * (skipped >> k) + "0" + (f"{skipped % 2**k:0{k}b}" if k else "")
        last = position
    return digits


def plain(numbers: list[int], most: int) -> tuple[list[int], bytes]:
    """The row and its bytes, by trying every number of positions with every parameter."""
    every = sorted({mixed_plain(number) >> 44 for number in numbers})
    for fit in range(len(every), -1, -1):
        codes = [spelled(every[:fit], k) for k in range(20)]
        best = min(codes, key=len)
        if 1 + (len(best) + 7) // 8 <= most:
            break
    whole = fit == len(every)
    digits = best + "1" * (-len(best) % 8)
    k = codes.index(best) if fit else 0
    body = bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits), 8))
    cut = END if whole else every[fit - 1] + 1
    return [*every[:fit], END + cut], bytes([k + 128 * whole]) + body


@BRISK
@given(numbers=SETS, most=SIZES)
def test_row_and_bytes_are_those_of_the_plain_reference(numbers: Row, most: int) -> None:
    row = smallest(numbers, most)
    assert (row.tolist(), packed(row)) == plain(numbers.tolist(), most)
    assert unpacked(packed(row)).tolist() == row.tolist()
    assert len(packed(row)) <= most


@given(numbers=SETS, others=SETS, sizes=st.tuples(SIZES, SIZES))
def test_a_sketch_has_all_positions_below_its_cut(
    numbers: Row, others: Row, sizes: tuple[int, int]
) -> None:
    """So what two have in common below both cuts is what their whole sets have there."""
    both = np.concatenate([numbers, others[:50]])
    left, right = smallest(both, sizes[0]), smallest(others, sizes[1])
    cut = min(int(left[-1]), int(right[-1])) - END
    whole = [smallest(side, 1 << 14)[:-1] for side in (both, others)]
    for sketch, every in zip((left, right), whole, strict=True):
        assert sketch[:-1][sketch[:-1] < cut].tolist() == every[every < cut].tolist()


@given(data=st.binary(max_size=40))
def test_other_bytes_are_refused(data: bytes) -> None:
    try:
        row = unpacked(data)
    except ValueError:
        return
    assert packed(row) == data


@pytest.mark.parametrize("data", [
    b"", b"\x00", b"\x14\x00", b"\x94\x00", b"\x85" + bytes(9), b"\x80" + bytes(8192),
    b"\x01" + b"\xff" * 20,
])  # fmt: skip
def test_damaged_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="sketch"):
        unpacked(data)
