"""The random numbers that sketches are made of."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.integer_and_byte_hashes import draws_plain, mixed, mixed_plain

WORDS = st.integers(0, 2**64 - 1)


@given(values=st.lists(WORDS, min_size=1))
def test_many_numbers_are_mixed_as_each_alone(values: list[int]) -> None:
    given_array = np.array(values, np.uint64)
    assert mixed(given_array).tolist() == [mixed_plain(value) for value in values]
    assert given_array.tolist() == values


def test_draws_are_those_that_others_publish_for_splitmix64() -> None:
    published = [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
        4593380528125082431, 16408922859458223821,
    ]  # fmt: skip
    assert draws_plain(1234567, 5) == published
