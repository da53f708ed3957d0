"""Filters of characters and numbers, over every character of Unicode."""

import sys
from unicodedata import category, normalize

import regex
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.parts.filters.case_and_elision import Casefold, Lowercase, SimpleLowercase
from sdtext.parts.filters.characters import (
    ChineseLetters,
    CjkWidth,
    DecimalDigits,
    NoMath,
    NoNumericTokens,
    NoTokensWithNumbers,
    StripNumbers,
    StripPunctuation,
)
from tests.support.cases import cases
from tests.support.strategies import BRISK, WORDS

EVERY = [char for char in map(chr, range(sys.maxunicode + 1)) if category(char) not in ("Cn", "Co")]
CHARACTERS = [char for char in EVERY if category(char)[0] != "C"]
GREEK = regex.findall(r"[\p{Script=Greek}&&\p{L}]", "".join(CHARACTERS), regex.V1)
SIGNS = [char for char in CHARACTERS if category(char) == "Sm"]


@cases("symbols, kinds", [(False, "P"), (True, "PS")])
def test_what_is_stripped_is_what_unicode_calls_punctuation(symbols: bool, kinds: str) -> None:
    strip = StripPunctuation(symbols=symbols)
    stripped = {char for char in CHARACTERS if strip(f"a{char}b") == "ab"}
    assert stripped == {char for char in CHARACTERS if category(char)[0] in kinds}


def test_case_is_folded_as_unicode_does() -> None:
    text = "".join(CHARACTERS)
    assert (Lowercase()(text), Casefold()(text)) == (text.lower(), text.casefold())


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


@given(word=WORDS, letter=st.sampled_from("aZéжكकカ中"))
@example(word="=", letter="x")
def test_a_word_with_a_letter_of_another_script_is_no_formula(word: str, letter: str) -> None:
    assert NoMath()(word + letter) == word + letter


@BRISK
@given(word=st.text("0123456789.,;-!?()[]'\"%&*/", min_size=1))
def test_digits_and_punctuation_alone_are_no_formula(word: str) -> None:
    assert NoMath()(word) == word


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


@given(number=numbers())
@example(number="1,234,567.89")
@example(number="-.5")
@example(number="5.")
def test_a_number_is_dropped(number: str) -> None:
    assert NoNumericTokens()(number) == ""


@given(word=WORDS.filter(lambda word: any(map(str.isalpha, word))) | st.text(".,'-+%()/$"))
@example(word="1e5")
@example(word="3rd")
@example(word="١a")
def test_a_word_with_a_letter_or_without_a_digit_is_no_number(word: str) -> None:
    assert NoNumericTokens()(word) == word


def test_a_digit_is_what_unicode_calls_a_decimal_digit() -> None:
    strip, drop = StripNumbers(), NoTokensWithNumbers()
    stripped = [char for char in CHARACTERS if strip(f"a{char}b") != f"a{char}b"]
    dropped = [char for char in CHARACTERS if drop(f"a{char}b") != f"a{char}b"]
    numeric = [char for char in CHARACTERS if NoNumericTokens()(char) != char]
    assert stripped == dropped == numeric == DIGITS


@given(word=WORDS)
def test_the_digits_of_a_word_are_stripped_wherever_they_stand(word: str) -> None:
    kept = "".join(char for char in word if category(char) != "Nd")
    assert StripNumbers()(word) == kept
    assert NoTokensWithNumbers()(word) == (word if kept == word else "")


def test_small_letters_are_one_for_one() -> None:
    lower = SimpleLowercase()
    assert [char for char in EVERY if len(lower(char)) != 1] == []
    assert [char for char in EVERY if lower(char) != char.lower()] == ["İ"]
    assert lower("ΑΣ") == "ας"[0] + "σ"


def test_a_digit_is_its_value() -> None:
    digits = DecimalDigits()
    changed = {char: digits(char) for char in EVERY if digits(char) != char}
    assert set(changed) == {char for char in EVERY if char.isdecimal() and not char.isascii()}
    assert all(int(char) == int(result) for char, result in changed.items())
    assert digits("²½x٣") == "²½x3"


def test_widths_are_those_of_the_compatible_form() -> None:
    width = CjkWidth()
    changed = {char: width(char) for char in EVERY if width(char) != char}
    assert set(changed) == {chr(code) for code in (*range(0xFF01, 0xFF5F), *range(0xFF65, 0xFFA0))}
    assert all(normalize("NFKC", char) == result for char, result in changed.items())


@cases(
    "word, result",
    [("ﾊﾟﾊﾞ", "パバ"), ("ｶﾞﾞ", "ガ\u3099"), ("かﾞ", "か\u3099"), ("カﾞ", "ガ"), ("ｱﾞ", "ア\u3099")],
)
def test_a_sound_mark_is_joined_where_there_is_such_a_character(word: str, result: str) -> None:
    assert CjkWidth()(word) == result


@cases("word, kept", [
    ("中", True), ("ab", True), ("a", False), ("12", False), ("a1", True), ("𠀀", False),
    ("々", False),
])  # fmt: skip
def test_numbers_and_single_letters_are_dropped(word: str, *, kept: bool) -> None:
    assert ChineseLetters()(word) == (word if kept else "")
