"""Runs of marks are bounded as Unicode's stream-safe text format says, with offsets kept."""

import re
from typing import Literal
from unicodedata import category, combining, decomposition, is_normalized, normalize

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.model import OffsetMap, PartSpec
from sdtext.parts.registry import build
from sdtext.text.normal_form import (
    IN_FRONT,
    JOINER,
    MOST_MARKS,
    changes,
    clean,
    clean_with_map,
    plain_changes,
    stable,
    stream_safe,
)
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


# Marks of several classes, some that decompose to two; letters, one with three marks of its own.
MARKS = "\u0301\u0316\u0334\u0345\u0344\u05b0\u064b\u0f71\u0f73\u0f75\u0f81\u3099\uff9e\U0001d165"
LETTERS = "ae\u0f40\u30ab\u1f82é \nअ"
MARKED_TEXTS = st.lists(st.text(LETTERS, max_size=2) | st.text(MARKS, max_size=60), max_size=6).map(
    "".join
)


def plain_stream_safe(text: str) -> str:
    """The process of UAX #15, one character after the other."""
    safe, count = [], 0
    for char in text:
        classes = [combining(part) for part in normalize("NFKD", char)]
        leading = next((place for place, known in enumerate(classes) if not known), len(classes))
        if count + leading > MOST_MARKS:
            safe.append(JOINER)
            count = 0
        trailing = next((place for place, known in enumerate(classes[::-1]) if not known), 0)
        count = count + leading if leading == len(classes) else trailing
        safe.append(char)
    return "".join(safe)


@both_forms
@given(MARKED_TEXTS)
def test_runs_are_divided_as_the_standard_says_and_offsets_kept(form: Form, text: str) -> None:
    runs = re.findall(f"(?:^|[^{MARKS}])[{MARKS}]*", text)
    assert "".join(runs) == text
    expected = [run if is_normalized(form, run) else plain_stream_safe(run) for run in runs]
    safe, back = stream_safe(text, form)
    assert safe == "".join(expected)
    for place, char in enumerate(safe):
        start, end = (back.start(place), back.end(place + 1)) if back else (place, place + 1)
        assert text[start:end] == ("" if char == JOINER and back else char)
    cleaned, back = clean_with_map(text, form)
    assert cleaned == clean(text, form) == clean(cleaned, form)
    if back is None:
        return
    starts = [back.start(place) for place in range(len(cleaned))]
    ends = [back.end(place + 1) for place in range(len(cleaned))]
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert all(start <= end for start, end in zip(starts, ends, strict=True))
    assert (starts[0], ends[-1]) == (0, len(text))


def test_each_character_decomposes_to_as_few_marks_as_assumed() -> None:
    for code in [*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE1000)]:
        classes = [combining(char) for char in normalize("NFKD", chr(code))]
        assert all(classes) or not classes[0]
        assert len(classes) <= 2 or not all(classes)
        assert classes[-4:].count(0) or len(classes) < 4
        if all(classes):
            assert JOINER in stream_safe("a" + (chr(code) + "\u0334\u0345") * 40, "NFKC")[0]
