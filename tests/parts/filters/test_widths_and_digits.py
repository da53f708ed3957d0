"""Filters that write characters alike."""

from __future__ import annotations

import sys
from unicodedata import normalize

import pytest

from sdtext.parts.filters.case_and_elision import SimpleLowercase
from sdtext.parts.filters.characters import ChineseLetters, CjkWidth, DecimalDigits

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]


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


@pytest.mark.parametrize(
    ("word", "result"),
    [("ﾊﾟﾊﾞ", "パバ"), ("ｶﾞﾞ", "ガ\u3099"), ("かﾞ", "か\u3099"), ("カﾞ", "ガ"), ("ｱﾞ", "ア\u3099")],
)
def test_a_sound_mark_is_joined_where_there_is_such_a_character(word: str, result: str) -> None:
    assert CjkWidth()(word) == result


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("中", True),
        ("ab", True),
        ("a", False),
        ("12", False),
        ("a1", True),
        ("𠀀", False),
        ("々", False),
    ],
)
def test_numbers_and_single_letters_are_dropped(word: str, *, kept: bool) -> None:
    assert ChineseLetters()(word) == (word if kept else "")
