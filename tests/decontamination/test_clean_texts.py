"""Texts that are clean as they are: one by one, together, and beside `Document.of`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.decontamination.clean_texts import are_clean
from sdtext.text.document import Document
from sdtext.text.normal_form import clean
from sdtext.text.quick_disguise_check import SAFE

_PIECES = [
    *("bees ", "Café “dances” — ", "b e e s u n ", "b\xa0e\xa0e\xa0s\xa0", "line\nline\r\n", ""),
    *("b\u200bees ", "ехсеllеnt ", "cafe\u0301 ", "tab\t", "по ", "z" * 3000),
    *"\x07\x85\x7fØ蜂\ud800\U0001d41b\ufffd\u2028",
]
_TEXTS = st.lists(
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=3)), max_size=3).map("".join),
    min_size=10,
    max_size=30,
)


@given(_TEXTS)
def test_a_clean_text_stays_as_it_is(texts: list[str]) -> None:
    for text, is_clean in zip(texts, are_clean(texts), strict=True):
        assert not is_clean or Document.of(text, "page") == Document(text, text, source="page")


@given(_TEXTS)
def test_a_text_is_clean_whatever_stands_beside_it(texts: list[str]) -> None:
    assert are_clean(texts) == [is_clean for text in texts for is_clean in are_clean([text])]


@pytest.mark.parametrize("odd", ["tab\t", "b\u200bees", "cafe\u0301", "b e e s u n", "\x85"])
def test_only_what_is_odd_is_not_clean(odd: str) -> None:
    texts = ["Bees dance.", "“Cafés” – and so on…", odd, "", "Two\nlines"]
    assert are_clean(texts) == [True, True, False, True, True]


def test_safe_characters_stay_beside_any_other() -> None:
    for char in SAFE:
        text = "".join(char + other for other in SAFE)
        assert clean(text) == text, char
