"""Lines, whatever ends them."""

from __future__ import annotations

import re

from hypothesis import given

from sdtext.parts.tokenizers.words_lines_characters import Characters, Lines
from sdtext.text.normal_form import clean
from tests.support.cases import cases
from tests.support.strategies import TEXTS, THOROUGH

ENDS = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


@cases("end", ENDS)
def test_every_line_end_of_unicode_ends_a_line(end: str) -> None:
    assert Lines()(clean(f"one{end}{end} two {end}three")).words == ["one", "two", "three"]


@THOROUGH
@given(text=TEXTS)
def test_the_lines_of_a_clean_text_are_those_that_python_splits(text: str) -> None:
    lines = [line.strip() for line in clean(text).splitlines()]
    assert Lines()(clean(text)).words == [line for line in lines if line]


@THOROUGH
@given(text=TEXTS.map(clean))
def test_characters_are_all_that_is_not_white_space(text: str) -> None:
    assert Characters()(text).words == list(re.sub(r"\s", "", text))
