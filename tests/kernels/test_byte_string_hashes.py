"""Hashes of bytes and numbers against their formulas, and the words that are numbered by them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.integer_and_byte_hashes import draws_plain, hash_plain, span_hashes
from sdtext.kernels.terms.document_words import DROPPED, WordNumbering


@given(data=st.binary(max_size=60), seed=st.integers(0, 2**64 - 1), pick=st.data())
def test_spans_anywhere_are_hashed_as_the_bytes_alone(
    data: bytes, seed: int, pick: st.DataObject
) -> None:
    places = st.integers(0, len(data))
    pairs = pick.draw(st.lists(st.tuples(places, places).map(sorted), max_size=6))
    starts, ends = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    result = span_hashes(np.frombuffer(data, np.uint8), starts, ends - starts, seed)
    assert result.tolist() == [hash_plain(data[start:end], seed) for start, end in pairs]


def test_draws_are_those_that_others_publish_for_splitmix64() -> None:
    published = [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
        4593380528125082431, 16408922859458223821,
    ]  # fmt: skip
    assert draws_plain(1234567, 5) == published


WORDS = st.lists(st.text(max_size=12))


@given(batches=st.lists(WORDS, max_size=6))
def test_a_number_stands_for_one_word_and_its_hash(batches: list[list[str]]) -> None:
    numbering = WordNumbering()
    seen = [pair for words in batches for pair in zip(numbering.numbers(words), words, strict=True)]
    words, hashes = numbering.encoded()
    rows, hashes = [bytes(word).decode() for word in words], hashes.tolist()
    assert sorted({word for _, word in seen if word}) == sorted(rows)
    assert numbering.spelled == ["", *rows]
    for number, word in seen:
        if word:
            assert (rows[number - 1], hashes[number - 1]) == (word, hash_plain(word.encode()))
        else:
            assert number == DROPPED
