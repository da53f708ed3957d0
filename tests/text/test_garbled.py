"""Garbled text is told from text in any language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.text.garbled import garbled
from tests.support.languages import OTHERS, SAMPLES

TEXTS = {**{language: sample.text for language, sample in SAMPLES.items()}, **OTHERS}
LATIN = [language for language, text in TEXTS.items() if len(text.encode()) < 1.2 * len(text)]


@pytest.mark.parametrize("language", TEXTS)
def test_text_in_a_language_is_not_garbled(language: str) -> None:
    assert garbled(f"{TEXTS[language]} " * 9) == ""
    assert garbled(f"{TEXTS[language].upper()} " * 9) == ""


@given(st.sampled_from(LATIN), st.integers(3, 23))
def test_shifted_letters_are_garbled_or_have_enough_vowels(language: str, shift: int) -> None:
    text = f"{TEXTS[language]} " * 9
    shifted = "".join(
        chr((ord(sign.lower()) - 97 + shift) % 26 + 97)
        if sign.isascii() and sign.isalpha()
        else sign
        for sign in text
    )
    letters = [sign for sign in shifted if sign.isalpha()]
    vowels = sum(sign in "aeiouy" or not sign.isascii() for sign in letters)
    assert bool(garbled(shifted)) == (vowels < 0.25 * len(letters))


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("damage", ["\ufffd", "\x01\x02", "\ue001\ue002" * 4])
def test_signs_that_are_no_letters_show_garbled_text(language: str, damage: str) -> None:
    words = f"{TEXTS[language]} ".split() * 9
    assert garbled(" ".join(word + damage for word in words))


def test_letters_one_by_one_are_garbled_and_a_framed_table_of_contents_is_not() -> None:
    assert garbled(" ".join(TEXTS["english"] * 9))
    assert garbled(f"┌{'─' * 9}┐\n" * 9 + f"│{TEXTS['english']}{' .' * 25} 7│\n" * 9) == ""


@pytest.mark.parametrize("language", LATIN)
@pytest.mark.parametrize("share", [0.1, 0.9])
def test_a_text_in_utf_16_that_lost_a_byte_is_garbled(language: str, share: float) -> None:
    data = (f"{TEXTS[language]} " * 9).encode("utf-16-le")
    lost = 2 * int(share * len(data) / 2)
    assert garbled((data[:lost] + data[lost + 1 :]).decode("utf-16-le", "replace"))
