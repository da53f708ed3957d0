"""Filters for numbers, over every character of Unicode and over numbers of all forms."""

from __future__ import annotations

import sys
from unicodedata import category

from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.parts.filters.characters import NoNumericTokens, NoTokensWithNumbers, StripNumbers
from tests.strategies import THOROUGH, WORDS

CHARACTERS = [char for char in map(chr, range(sys.maxunicode)) if category(char)[0] != "C"]
DIGITS = [char for char in CHARACTERS if category(char) == "Nd"]

digits = st.lists(st.sampled_from(DIGITS) | st.sampled_from("0123456789"), min_size=1, max_size=5)
groups = st.lists(digits.map("".join), min_size=1, max_size=4)
marks = st.sampled_from([".", ",", "'", "’", "٫", "٬"])
signs = st.sampled_from(["", "+", "-", "−", "±"])
percents = st.sampled_from(["", "%", "٪", "‰"])


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """A number: sign, digits of any script in groups, decimal and thousands marks, per cent."""
    return draw(signs) + draw(marks).join(draw(groups)) + draw(percents)


@THOROUGH
@given(number=numbers())
@example(number="1,234,567.89")
@example(number="-.5")
@example(number="5.")
def test_a_number_is_dropped(number: str) -> None:
    assert NoNumericTokens()(number) == ""


@THOROUGH
@given(word=WORDS.filter(lambda word: any(map(str.isalpha, word))))
@example(word="1e5")
@example(word="3rd")
@example(word="١a")
def test_a_word_with_a_letter_is_no_number(word: str) -> None:
    assert NoNumericTokens()(word) == word


@THOROUGH
@given(word=st.text(".,'-+%()/$"))
def test_a_word_without_a_digit_is_no_number(word: str) -> None:
    assert NoNumericTokens()(word) == word


def test_a_digit_is_what_unicode_calls_a_decimal_digit() -> None:
    strip, drop = StripNumbers(), NoTokensWithNumbers()
    stripped = [char for char in CHARACTERS if strip(f"a{char}b") != f"a{char}b"]
    dropped = [char for char in CHARACTERS if drop(f"a{char}b") != f"a{char}b"]
    numeric = [char for char in CHARACTERS if NoNumericTokens()(char) != char]
    assert stripped == dropped == numeric == DIGITS


@THOROUGH
@given(word=WORDS)
def test_the_digits_of_a_word_are_stripped_wherever_they_stand(word: str) -> None:
    kept = "".join(char for char in word if category(char) != "Nd")
    assert StripNumbers()(word) == kept
    assert NoTokensWithNumbers()(word) == (word if kept == word else "")
