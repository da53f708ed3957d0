"""Shingles of characters: their length and their white space."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.errors import OptionError
from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.hashes import Mixed
from sdtext.parts.shinglers import CharacterShingles, auto_length
from tests.support.cases import cases
from tests.support.plain_shingles import key_of
from tests.support.strategies import THOROUGH


@THOROUGH
@given(characters=st.integers(0, 20**12))
def test_the_length_is_the_least_with_far_more_shingles_than_characters(characters: int) -> None:
    length, reason = auto_length(characters)
    assert 4 <= length <= 9
    assert length == 9 or 20**length >= 100 * characters
    assert length == 4 or 20 ** (length - 1) < 100 * characters
    assert reason.startswith(f"shingles of {length} characters ")
    assert f"{characters:,}" in reason


def test_an_unsettled_length_says_who_settles_it() -> None:
    with pytest.raises(OptionError, match="auto is settled by AddDocuments, from the longest text"):
        CharacterShingles()(TokenBlock.of([[["a"]]]), Mixed())


@cases(
    "options, windows",
    [
        ({"white_space": "folded"}, ["ab ", "b c", " cd", "cd ", "d e"]),
        ({"white_space": "removed"}, ["abc", "bcd", "cde"]),
        ({"white_space": "folded", "within": "line"}, ["ab ", "b c", " cd"]),
        ({"white_space": "folded", "within": "word"}, ["ab cd e"]),
        ({"white_space": "removed", "within": "word"}, ["abcde"]),
    ],
)
def test_white_space_is_folded_or_removed(options: dict[str, str], windows: list[str]) -> None:
    spec = PartSpec.of("characters", length=3, **options)
    result = Encoder(RecipeSpec(PartSpec("words"), shingler=spec))(["\n ab  cd\n e \n"])
    assert result.values.tolist() == list(map(key_of, windows))
