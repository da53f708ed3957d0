"""The words of a numbering, however they came there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.integer_and_byte_hashes import hash_plain
from sdtext.kernels.terms.document_words import DROPPED, WordNumbering, words_in
from tests.strategies import THOROUGH

WORDS = st.lists(st.text(max_size=12))


@THOROUGH
@given(batches=st.lists(st.tuples(st.booleans(), WORDS), max_size=6))
def test_a_number_stands_for_its_word_and_hash(batches: list[tuple[bool, list[str]]]) -> None:
    numbering = WordNumbering()
    seen: list[tuple[int, bytes]] = []
    for looks, words in batches:
        spelled = [word.encode() for word in words]
        if looks:
            seen += zip(numbering.numbers(words), spelled, strict=True)
        else:
            new = [word for word in spelled if word]
            seen += zip(numbering.add(words_in(new)).tolist(), new, strict=True)
    assert {number for number, word in seen if not word} <= {DROPPED}
    rows, hashes = [bytes(word) for word in numbering.words], numbering.hashes.tolist()
    for number, word in seen:
        if word:
            assert (rows[number - 1], hashes[number - 1]) == (word, hash_plain(word))


def test_equal_words_that_are_looked_for_have_one_number() -> None:
    numbering = WordNumbering()
    first = numbering.numbers(["to", "be", "to"])
    numbering.add(words_in([b"to", b"or"]))
    assert numbering.numbers(["be", "to"]) == [first[1], first[0]]
    assert first[0] == first[2] != first[1]
