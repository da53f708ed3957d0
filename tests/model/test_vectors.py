"""Bit vectors and bitarrays."""

from __future__ import annotations

from dataclasses import replace
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


def test_the_vectors_of_a_fingerprint_can_be_made_again() -> None:
    document = sdtext.read("tests/samples/texts/union.txt")
    fingerprint = sdtext.fingerprint(document, "english", segment="50/50")
    assert len(fingerprint.vectors) > 2
    for vector in fingerprint.vectors:
        again = sdtext.Vector.of(vector.bits(), vector.dictionary)
        assert replace(again, place=vector.place, language=vector.language) == vector
