"""Shingles of words: short texts, and what is refused."""

from __future__ import annotations

import pytest

from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.parts.hashes import Mixed
from sdtext.parts.shinglers import WordShingles
from tests.support.plain_shingles import key_of

LINES = [["to", "be"], ["or", "not", "to"], ["be"]]


@pytest.mark.parametrize(
    ("shingler", "windows"),
    [
        (
            WordShingles(length=5),
            [["to", "be", "or", "not", "to"], ["be", "or", "not", "to", "be"]],
        ),
        (WordShingles(length=3, within="line"), [["or", "not", "to"]]),
        (WordShingles(length=2, within="line"), [["to", "be"], ["or", "not"], ["not", "to"]]),
        (WordShingles(length=4, within="line"), [["to", "be", "or", "not", "to", "be"]]),
        (WordShingles(length=7), [["to", "be", "or", "not", "to", "be"]]),
    ],
)
def test_what_is_shorter_than_a_shingle_has_none_but_the_whole_has_one(
    shingler: WordShingles, windows: list[list[str]]
) -> None:
    result = shingler(TokenBlock.of([LINES, []]), Mixed())
    assert [row.tolist() for row in result] == [list(map(key_of, windows)), []]
