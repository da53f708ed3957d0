"""Blocks of tokens, and the stretches that they are made of."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.integer_and_byte_hashes import hash_plain
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms import term_caches
from sdtext.kernels.terms.document_words import WordNumbering, words_in
from sdtext.kernels.terms.term_caches import TokenCache, spans_in
from sdtext.kernels.terms.token_blocks import (
    TokenBlock,
    lines_in,
    renumbered,
    with_line_ends,
    with_line_ends_between,
)
from tests.support.strategies import BRISK, THOROUGH, WORDS

TOKENS = st.lists(st.lists(st.sampled_from([0, 0, 5, 6, 7]), max_size=9), max_size=5)
DOCUMENTS = st.lists(st.lists(st.lists(WORDS, max_size=4), max_size=4), max_size=4)
DATA = st.lists(st.sampled_from([b" ", b"\n", b"a", b"\xc3\xa9"]), max_size=20).map(b"".join)
PATTERNS = {True: rb"[^ \n]+|\n", False: rb"[^\n]+|\n"}


@THOROUGH
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


@THOROUGH
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


def test_words_with_several_numbers_are_one_and_words_of_one_hash_are_not() -> None:
    words = words_in([b"to", b"be", b"to", b"by"])
    same = np.array([7, 3, 7, 3], np.uint64)
    block = renumbered(Ragged.of([[1, 2, 3, 4], [3, 1]], "int32"), words, same)
    assert [block.terms_of(place) for place in range(2)] == [["to", "be", "to", "by"], ["to", "to"]]
    assert len(block.words) == 3


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("blanks", [True, False])
@THOROUGH
@given(data=DATA)
def test_spans_are_what_a_pattern_finds(blanks: bool, lines: bool, data: bytes) -> None:
    result = spans_in(np.frombuffer(data, np.uint8), blanks=blanks, lines=lines)
    parts = re.finditer(PATTERNS[blanks], data)
    spans = [part.span() for part in parts if lines or part.group() != b"\n"]
    assert result.starts.tolist() == [start for start, _ in spans]
    assert result.lengths.tolist() == [end - start for start, end in spans]


@THOROUGH
@given(
    texts=st.lists(DATA, min_size=1, max_size=6), slots=st.integers(1, 4), plain=st.integers(0, 3)
)
def test_the_cache_gives_the_terms_of_each_span_and_their_hashes_whatever_it_holds(
    texts: list[bytes], slots: int, plain: int
) -> None:
    def is_plain(part: bytes) -> bool:
        return len(part) <= plain and part.isascii()

    def terms_in(actual: Sequence[bytes]) -> list[str]:
        assert not any(map(is_plain, actual))
        # As many terms as the stretch has bytes before its first "a", each that many long.
        return ["\n".join(["é" * part.find(b"a")] * part.find(b"a")) for part in actual]

    def terms_of(part: bytes) -> list[str]:
        terms = [part.decode()] if is_plain(part) else terms_in([part])[0].split("\n")
        return [term for term in terms if term]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_caches, "_TOKEN_SLOTS", slots)
        patch.setattr(term_caches, "_MOST_ROWS", 1)
        numbering, others = WordNumbering(), WordNumbering()
        forms = TokenCache(terms_in, numbering, 3, plain)
        hashing = TokenCache(terms_in, others, 3, plain)
        for text in texts:
            data = np.frombuffer(text, np.uint8)
            parts = re.findall(PATTERNS[True], text)
            for row, part in zip(forms(spans_in(data, blanks=True)), parts, strict=True):
                words = [
                    bytes(numbering.words[token - 1]).decode() if token else "\n" for token in row
                ]
                assert words == (["\n"] if part == b"\n" else terms_of(part))
            hashes = hashing.hashes(spans_in(data, blanks=True, lines=False))
            stretches = [part for part in parts if part != b"\n"]
            for row, part in zip(hashes, stretches, strict=True):
                assert row.tolist() == [hash_plain(term.encode()) for term in terms_of(part)]


@THOROUGH
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
