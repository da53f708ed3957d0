"""Bit vectors and bitarrays."""

from typing import Any

from bitarray import bitarray
from hypothesis import given
from hypothesis import strategies as st

import sdtext

BITS = st.lists(st.booleans(), max_size=40)


@given(BITS, st.sampled_from(["little", "big"]))
def test_a_vector_gives_the_bits_that_it_is_made_of(bits: list[bool], endian: Any) -> None:
    array = bitarray(bits, endian=endian)
    vector = sdtext.Vector.of(array, "guid")
    assert vector.bits().tolist() == array.tolist() == bits
    assert (vector.length, vector.count, vector.dictionary) == (len(bits), sum(bits), "guid")
    assert vector.number == sum(1 << place for place, bit in enumerate(bits) if bit)
