"""Clean text against its definition, and the way back to the text as it was read."""

from __future__ import annotations

from typing import Literal
from unicodedata import category, normalize

import pytest
from hypothesis import example, given

from sdtext.model import OffsetMap, PartSpec
from sdtext.parts import build
from sdtext.readers.normal import clean, clean_with_map
from tests.strategies import TEXTS, THOROUGH

Form = Literal["NFC", "NFKC"]

both_forms = pytest.mark.parametrize("form", ["NFC", "NFKC"])
# Marks out of order behind a blank; characters that compose over the bounds of clusters.
hard = [" \u0301\u0323x", "\u2000\u0301x", "\u3131\u314f", "\uffa1\uffc2", "\u1100\u1161\u11a8"]


def controlled(char: str) -> str:
    """What becomes of one character of a normalized text."""
    if char in "\n\r":
        return char
    if char in "\v\f\x1c\x1d\x1e\x85":
        return "\n"
    return " " if category(char) == "Cc" or char in "\ufffe\uffff" else char


def place(back: OffsetMap | None, start: int, end: int) -> slice:
    return slice(back.start(start), back.end(end)) if back else slice(start, end)


@both_forms
@THOROUGH
@given(text=TEXTS)
def test_clean_text_is_normalized_and_without_controls(form: Form, text: str) -> None:
    assert clean(text, form) == "".join(map(controlled, normalize(form, text)))


@both_forms
@THOROUGH
@given(text=TEXTS)
def test_cleaning_twice_is_cleaning_once(form: Form, text: str) -> None:
    assert clean(clean(text, form), form) == clean(text, form)


@both_forms
@THOROUGH
@given(text=TEXTS)
@example(text=hard[0])
@example(text=hard[2])
@example(text=hard[3])
def test_the_clean_text_is_the_same_with_the_way_back(form: Form, text: str) -> None:
    assert clean_with_map(text, form)[0] == clean(text, form)


@pytest.mark.parametrize("tokenizer", ["words", "unicode", "lines"])
@THOROUGH
@given(text=TEXTS)
@example(text=hard[0])
@example(text=hard[1])
@example(text=hard[4])
def test_the_place_of_a_word_in_the_text_reads_as_the_word(tokenizer: str, text: str) -> None:
    cleaned, back = clean_with_map(text)
    tokens = build("tokenizers", PartSpec(tokenizer))(cleaned)
    for word, start, end in zip(tokens.words, tokens.starts, tokens.ends, strict=True):
        assert clean(text[place(back, start, end)]) == word


@both_forms
@THOROUGH
@given(text=TEXTS)
@example(text=hard[0])
def test_the_place_of_a_character_in_the_text_holds_it(form: Form, text: str) -> None:
    cleaned, back = clean_with_map(text, form)
    for start, char in enumerate(cleaned):
        assert char in clean(text[place(back, start, start + 1)], form)


@both_forms
@THOROUGH
@given(text=TEXTS)
def test_the_way_back_goes_forward_and_covers_the_text(form: Form, text: str) -> None:
    cleaned, back = clean_with_map(text, form)
    if back is None:
        assert len(cleaned) == len(text)
        return
    slices = [place(back, start, start + 1) for start in range(len(cleaned))]
    assert [part.start for part in slices] == sorted(part.start for part in slices)
    covered = {code for part in slices for code in range(part.start, part.stop)}
    assert covered == set(range(len(text)))
