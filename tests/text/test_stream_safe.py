"""Runs of marks are bounded as Unicode's stream-safe text format says, with offsets kept."""

import re
from unicodedata import combining, is_normalized, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.text.normal_form import JOINER, MOST_MARKS, clean, clean_with_map, stream_safe

# Marks of several classes, some that decompose to two; letters, one with three marks of its own.
MARKS = "\u0301\u0316\u0334\u0345\u0344\u05b0\u064b\u0f71\u0f73\u0f75\u0f81\u3099\uff9e\U0001d165"
LETTERS = "ae\u0f40\u30ab\u1f82é \nअ"
TEXTS = st.lists(st.text(LETTERS, max_size=2) | st.text(MARKS, max_size=60), max_size=6).map(
    "".join
)
FORMS = pytest.mark.parametrize("form", ["NFC", "NFKC"])


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


@FORMS
@given(TEXTS)
def test_runs_are_divided_as_the_standard_says_and_offsets_kept(form: str, text: str) -> None:
    runs = re.findall(f"(?:^|[^{MARKS}])[{MARKS}]*", text)
    assert "".join(runs) == text
    expected = [
        run if is_normalized(form, run) else plain_stream_safe(run)  # type: ignore[arg-type]
        for run in runs
    ]
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
