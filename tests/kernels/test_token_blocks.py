"""Blocks of tokens, and the stretches that they are made of."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.integer_and_byte_hashes import hash_plain
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.document_words import words_in
from sdtext.kernels.terms.token_blocks import (
    TokenBlock,
    lines_in,
    renumbered,
    with_line_ends,
    with_line_ends_between,
)
from tests.support.strategies import BRISK, WORDS

TOKENS = st.lists(st.lists(st.sampled_from([0, 0, 5, 6, 7]), max_size=9), max_size=5)
DOCUMENTS = st.lists(st.lists(st.lists(WORDS, max_size=4), max_size=4), max_size=4)


@given(rows=TOKENS)
def test_lines_are_the_spans_between_line_ends(rows: list[list[int]]) -> None:
    lines = lines_in(Ragged.of(rows, "uint32"))
    documents = [
        [[int(token) for token in line] for line in re.findall("[1-9]+", "".join(map(str, row)))]
        for row in rows
    ]
    ends = lines.ends.tolist()
    result = [
        lines.tokens[start:end].tolist()
        for start, end in zip(lines.starts.tolist(), ends, strict=True)
    ]
    assert result == [line for document in documents for line in document]
    counts = np.cumsum([0, *map(len, documents)])
    assert lines.first_lines.tolist() == counts.tolist()
    sizes = np.cumsum([0, *(sum(map(len, document)) for document in documents)])
    assert lines.documents.tolist() == sizes.tolist()


@given(rows=TOKENS)
def test_one_line_end_stands_between_two_lines_and_none_elsewhere(rows: list[list[int]]) -> None:
    result = with_line_ends_between(Ragged.of(rows, "uint32"))
    tidy = [re.sub("0+", "0", "".join(map(str, row))).strip("0") for row in rows]
    assert ["".join(map(str, row.tolist())) for row in result] == tidy


@BRISK
@given(documents=DOCUMENTS)
def test_a_block_gives_back_the_terms_and_their_hashes(documents: list[list[list[str]]]) -> None:
    block = TokenBlock.of(documents)
    terms = [[term for line in lines for term in line] for lines in documents]
    assert [block.terms_of(place) for place in range(len(block))] == terms
    hashed = [[hash_plain(term.encode("utf-8", "surrogatepass")) for term in row] for row in terms]
    assert [row.tolist() for row in block.hashed()] == hashed
    assert len(block.words) == len({term for row in terms for term in row})
    assert block.hashes.tolist() == sorted(block.hashes.tolist())


def test_words_of_one_hash_are_not_one() -> None:
    words = words_in([b"to", b"be", b"by"])
    same = np.array([7, 3, 3], np.uint64)
    block = renumbered(Ragged.of([[1, 2, 3, 1], [1]], "int32"), words, same)
    assert [block.terms_of(place) for place in range(2)] == [["to", "be", "by", "to"], ["to"]]


@given(rows=TOKENS)
def test_line_ends_come_back_from_the_numbers_of_lines(rows: list[list[int]]) -> None:
    tidy = with_line_ends_between(Ragged.of(rows, "uint32"))
    tokens = [[token for token in row.tolist() if token] for row in tidy]
    lines = [np.cumsum(row == 0)[row != 0] for row in tidy]
    result = with_line_ends(Ragged.of(tokens, "uint32"), Ragged.of(lines))
    assert [row.tolist() for row in result] == [row.tolist() for row in tidy]


@BRISK
@given(documents=DOCUMENTS)
def test_words_left_out_stand_in_no_line(documents: list[list[list[str]]]) -> None:
    marked = [
        [[word for term in line for word in ("\rof", term, "\rthe")] for line in lines]
        for lines in documents
    ]
    with_others, plain = TokenBlock.of(marked), TokenBlock.of(documents)
    for place in range(len(documents)):
        assert with_others.terms_of(place) == plain.terms_of(place)
    assert with_others.hashed().values.tolist() == plain.hashed().values.tolist()
    assert with_others.hashed().offsets.tolist() == plain.hashed().offsets.tolist()
    assert with_others.lines.starts.tolist() == plain.lines.starts.tolist()
    assert with_others.lines.documents.tolist() == plain.lines.documents.tolist()
