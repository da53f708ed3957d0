import re
from typing import Literal
from unicodedata import category, combining, decomposition, is_normalized, normalize

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.model import OffsetMap, PartSpec
from sdtext.parts.registry import build
from sdtext.text.normal_form import IN_FRONT, changes, clean, clean_with_map, plain_changes, stable
from tests.support.strategies import TEXTS

Form = Literal["NFC", "NFKC"]

IDEOGRAPHS = [*map(chr, (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000)))]

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


# One of each kind that joins with others: letters, marks, jamo, signs put in front, joiners, …
joining = (
    "aEé\u212b\u1e0b\u0307\u0323\u0301\u0327\u05d0\u05b0\u0627\u0653\u0654\u0600\u070f\r\n\t\x85"
    "\u1100\u1161\u11a8\uac00\uac01\u3131\uffa1\u304b\u3099\u4e2d\uf900\u0915\u094d\u093c\u09c7\u09be\u0e33"
    "\u200d\u200c\ufe0f\xa9\U0001f468\U0001f1e6\U000110bd\U0001d15e\u2000\xa0\ufb01\u02d9½"
)


@both_forms
@given(text=st.text(joining, max_size=40) | TEXTS)
def test_what_changes_is_what_the_plain_way_finds(form: Form, text: str) -> None:
    assert list(changes(text, form)) == list(plain_changes(text, form))


@both_forms
def test_stable_characters_go_together_with_none_before_them(form: Form) -> None:
    every = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    pairs = (parts for item in every if len(parts := decomposition(item).split()) == 2)
    seconds = {chr(int(other, 16)) for first, other in pairs if first[0] != "<"}
    known = {*stable(form), *IDEOGRAPHS}
    assert not seconds & known
    assert all(is_normalized(form, item) and not combining(item) for item in known)
    in_front = {"\r", *regex.findall(r"\p{GCB=Prepend}", every)}
    assert in_front == set(re.findall(f"[{IN_FRONT}]", every))
    assert not in_front & known
    joined = {*regex.findall(r"(?V1)[^\p{GCB=Other}]|\p{Extended_Pictographic}", every)}
    assert joined & known == {"\n"}


@both_forms
@given(text=TEXTS)
@example(text=hard[0])
@example(text=hard[2])
@example(text=hard[3])
def test_clean_text_is_normalized_and_the_way_back_covers_the_text(form: Form, text: str) -> None:
    cleaned, back = clean_with_map(text, form)
    assert cleaned == "".join(map(controlled, normalize(form, text)))
    assert cleaned == clean(cleaned, form) == clean(text, form)
    slices = [place(back, start, start + 1) for start in range(len(cleaned))]
    for char, part in zip(cleaned, slices, strict=True):
        assert char in clean(text[part], form)
    assert [part.start for part in slices] == sorted(part.start for part in slices)
    covered = {code for part in slices for code in range(part.start, part.stop)}
    assert covered == set(range(len(text)))


@pytest.mark.parametrize("tokenizer", ["words", "unicode", "lines"])
@given(text=TEXTS)
@example(text=hard[0])
@example(text=hard[1])
@example(text=hard[4])
def test_the_place_of_a_word_in_the_text_reads_as_the_word(tokenizer: str, text: str) -> None:
    cleaned, back = clean_with_map(text)
    tokens = build("tokenizers", PartSpec(tokenizer))(cleaned)
    for word, start, end in zip(tokens.words, tokens.starts, tokens.ends, strict=True):
        assert clean(text[place(back, start, end)]) == word
