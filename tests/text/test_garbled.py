"""Garbled text is told from text in any language."""

from pathlib import Path
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.text.garbled import garbled
from tests.support.languages import OTHERS, SAMPLES

TEXTS = {**{language: sample.text for language, sample in SAMPLES.items()}, **OTHERS}
SHIFTS = st.sampled_from([*{*range(1, 26)} - {16, 20}])  # after these two, vowels are a third
ALPHABETS = sorted(TEXTS.keys() - {"chinese", "korean"})  # of few letters each


@pytest.mark.parametrize("language", TEXTS)
def test_text_in_a_language_is_not_garbled(language: str) -> None:
    assert garbled(f"{TEXTS[language]} " * 9) == ""
    assert garbled(f"{TEXTS[language].upper()} " * 9) == ""


@given(st.sampled_from(["bees", "bread", "harbour", "letter", "union"]), SHIFTS)
def test_shifted_letters_are_garbled(name: str, shift: int) -> None:
    text = (Path("tests/samples/texts") / f"{name}.txt").read_text("utf-8")
    assert garbled(text) == ""
    shifted = "".join(ascii_lowercase[(place + shift) % 26] for place in range(26))
    assert garbled(text.lower().translate(str.maketrans(ascii_lowercase, shifted)))


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("damage", ["\ufffd", "\x01\x02", "\ue001\ue002" * 4, "?" * 99, "Ã" * 99])
def test_signs_that_are_no_letters_show_garbled_text(language: str, damage: str) -> None:
    words = f"{TEXTS[language]} ".split() * 9
    assert garbled(" ".join(word + damage for word in words))


def test_letters_one_by_one_are_garbled_and_lists_are_not() -> None:
    assert garbled(" ".join(TEXTS["english"] * 9))
    names = "".join(f"areaLength{word.title()}\n" for word in TEXTS["english"].split())
    assert garbled(names) == ""
    assert garbled(f"┌{'─' * 9}┐\n" * 9 + f"│{TEXTS['english']}{' .' * 25} 7│\n" * 9) == ""


@pytest.mark.parametrize("language", ALPHABETS)
@pytest.mark.parametrize("share", [0.1, 0.9])
def test_a_text_in_utf_16_that_lost_a_byte_is_garbled(language: str, share: float) -> None:
    data = (f"{TEXTS[language]} " * 9).encode("utf-16-le")
    lost = 2 * int(share * len(data) / 2)
    assert garbled((data[:lost] + data[lost + 1 :]).decode("utf-16-le", "replace"))
