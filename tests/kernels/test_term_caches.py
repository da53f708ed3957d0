"""Spans of bytes with their numbers, and the terms that are cached of them."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.term_numbers import EncodedPieces
from sdtext.kernels.c_library import KERNELS
from sdtext.kernels.terms import term_caches
from sdtext.kernels.terms.document_words import WordNumbering
from sdtext.kernels.terms.term_caches import SpanNumbers, TokenCache

LETTERS = [
    b" ", b"\n", b"\0", b"!", b"a", b"abcdefg", b"ABCDEFGH", "é語".encode(), b"\x80", b"\xff",
]  # fmt: skip
DATA = st.lists(st.sampled_from(LETTERS), max_size=20).map(b"".join) | st.binary(max_size=40)
SPANS = {True: rb"[^\x00- ]+|\n", False: rb"[^\n]+|\n"}


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("blanks", [True, False])
@given(texts=st.lists(DATA, max_size=4), seed=st.integers(0, 2**64 - 1))
def test_spans_are_what_a_pattern_finds_and_equal_ones_have_one_number(
    blanks: bool, lines: bool, texts: list[bytes], seed: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_caches, "_SLOTS", 1)
        spans, known = SpanNumbers(seed), [b"\n"]
    for data in texts:
        parts = [part for part in re.finditer(SPANS[blanks], data) if lines or part[0] != b"\n"]
        first = [part for part in dict.fromkeys(part[0] for part in parts) if part not in known]
        starts, numbers, new = spans(np.frombuffer(data, np.uint8), blanks=blanks, lines=lines)
        known += new
        assert new == first
        assert starts.tolist() == [part.start() for part in parts]
        assert [known[number] for number in numbers] == [part[0] for part in parts]
        assert spans.count == len(known) - 1


@given(texts=st.lists(st.lists(DATA, min_size=1, max_size=3), max_size=6))
def test_the_cache_gives_the_terms_of_each_piece_whatever_it_holds(
    texts: list[list[bytes]],
) -> None:
    def terms_of(span: bytes) -> list[str]:
        # As many terms as the span has bytes before its first "a", each that many long.
        return ["é" * span.find(b"a")] * span.find(b"a")

    def terms_in(spans: Sequence[bytes]) -> list[str]:
        return ["\n".join(terms_of(span)) for span in spans]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_caches, "_SLOTS", 1)
        patch.setattr(term_caches, "_MOST_SPANS", 3)
        numbering = WordNumbering()
        cache = TokenCache(terms_in, numbering, 3)
        for pieces in texts:
            data = np.frombuffer(b"\n".join(pieces), np.uint8)
            ends = np.cumsum([len(piece) + 1 for piece in pieces]) - 1
            rows = cache(data, ends, blanks=True, lines=True)
            assert len(rows) == len(pieces)
            firsts = cache(data, ends, blanks=True, once=True)
            for row, once, piece, end in zip(rows, firsts, pieces, ends.tolist(), strict=True):
                spans = re.findall(SPANS[True], piece + b"\n" * (end < len(data)))
                terms, first_terms = (
                    [term for span in some for term in terms_of(span) or ["\n"] * (span == b"\n")]
                    for some in (spans, dict.fromkeys(spans))
                )
                assert [numbering.spelled[one] or "\n" for one in row.tolist()] == terms
                few = [term for term in first_terms if term != "\n"]
                assert [numbering.spelled[one] for one in once.tolist()] == few


@given(
    texts=st.lists(st.text("ab \n\r-é\u2028\ud800", max_size=9), min_size=1, max_size=4),
    letters=st.binary(min_size=256, max_size=256),
    deleted=st.sets(st.integers(0, 255)),
)
def test_pieces_are_translated_each_by_itself(
    texts: list[str], letters: bytes, deleted: set[int]
) -> None:
    letters = letters[:10] + b"\n" + letters[11:]
    table = letters, bytes(deleted - {ord("\n")})
    encoded = EncodedPieces.of([(0, 0, text) for text in texts], table)
    expected = [
        text.replace("\u2028", "\n").encode("utf-8", "surrogatepass").translate(*table)
        for text in texts
    ]
    starts = [0, *(encoded.ends[:-1] + 1).tolist()]
    ends = encoded.ends.tolist()
    assert [encoded.data[a:b].tobytes() for a, b in zip(starts, ends, strict=True)] == expected
    assert encoded.data.tobytes() == b"\n".join(expected)


@given(
    text=st.lists(st.sampled_from([*LETTERS, b"Zz", b"[{", b"@`", b"_-", b"~", b"\x1f", b"\r"])),
    deleted=st.binary(max_size=9),
    lower=st.booleans(),
    blank=st.booleans(),
    cuts=st.lists(st.integers(0, 9000), max_size=4),
    instructions=st.integers(0, 2),
)
def test_long_texts_are_translated_a_block_at_a_time(
    text: list[bytes], deleted: bytes, lower: bool, blank: bool, cuts: list[int], instructions: int
) -> None:
    data = np.frombuffer((b"".join(text) or b"a") * 9000, np.uint8)[:9000]
    table = bytes(range(256)).lower() if lower else bytes(range(256))
    table = table.replace(b"\x1f", b" ") if blank else table
    ends = np.sort(np.array(cuts, np.int64))
    edges, result = [0, *ends.tolist(), len(data)], np.empty(len(data), np.uint8)
    parts = [data[a:b].tobytes().translate(table, deleted) for a, b in pairwise(edges)]
    KERNELS["instruction_set"](instructions)
    size = KERNELS["translated"](data, table, deleted, ends, result)
    KERNELS["instruction_set"](2)
    assert result[:size].tobytes() == b"".join(parts)
    assert ends.tolist() == np.cumsum([len(part) for part in parts])[:-1].tolist()
