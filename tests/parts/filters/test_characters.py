"""Filters for case, punctuation and mathematics, over every character of Unicode."""

from __future__ import annotations

import sys
from unicodedata import category

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.parts.filters.case_and_elision import Casefold, Lowercase
from sdtext.parts.filters.characters import NoMath, StripPunctuation
from tests.strategies import BRISK, THOROUGH, WORDS

CHARACTERS = [char for char in map(chr, range(sys.maxunicode)) if category(char)[0] != "C"]
GREEK = regex.findall(r"[\p{Script=Greek}&&\p{L}]", "".join(CHARACTERS), regex.V1)
SIGNS = [char for char in CHARACTERS if category(char) == "Sm"]


@pytest.mark.parametrize(("symbols", "kinds"), [(False, "P"), (True, "PS")])
def test_what_is_stripped_is_what_unicode_calls_punctuation(symbols: bool, kinds: str) -> None:
    strip = StripPunctuation(symbols=symbols)
    stripped = {char for char in CHARACTERS if strip(f"a{char}b") == "ab"}
    assert stripped == {char for char in CHARACTERS if category(char)[0] in kinds}


@THOROUGH
@given(word=WORDS, symbols=st.booleans())
def test_punctuation_is_stripped_wherever_it_stands(word: str, symbols: bool) -> None:
    kinds = "PS" if symbols else "P"
    kept = "".join(char for char in word if category(char)[0] not in kinds)
    assert StripPunctuation(symbols=symbols)(word) == kept


@BRISK
@given(word=WORDS)
def test_case_is_folded_as_unicode_does(word: str) -> None:
    assert Lowercase()(word) == word.lower()
    assert Casefold()(word) == word.casefold()


def test_every_greek_letter_and_mathematical_sign_is_dropped() -> None:
    assert len(GREEK) > 300
    assert [char for char in [*GREEK, *SIGNS] if NoMath()(char)] == []


@BRISK
@given(
    word=st.lists(st.sampled_from("αβΩσϑἄµ≥+=∑∂𝛼𝔘√"), min_size=1, max_size=4).map("".join),
    around=st.text("0123456789.,()%", max_size=3),
)
def test_a_word_of_greek_letters_and_mathematical_signs_is_dropped(word: str, around: str) -> None:
    assert NoMath()(around + word + around) == ""


@THOROUGH
@given(word=WORDS, letter=st.sampled_from("aZéжكकカ中"))
@example(word="=", letter="x")
def test_a_word_with_a_letter_of_another_script_is_no_formula(word: str, letter: str) -> None:
    assert NoMath()(word + letter) == word + letter


@BRISK
@given(word=st.text("0123456789.,;-!?()[]'\"%&*/", min_size=1))
def test_digits_and_punctuation_alone_are_no_formula(word: str) -> None:
    assert NoMath()(word) == word
