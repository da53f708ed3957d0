"""What every tokenizer of the registry keeps to."""

import re
from collections.abc import Iterable
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.model import PartSpec, Tokens
from sdtext.parts.registry import PARTS, build
from sdtext.text.cut_text import cut_at
from sdtext.text.normal_form import clean
from tests.support.cases import cases
from tests.support.strategies import BRISK, TEXTS

TOKENIZERS = sorted(PARTS["tokenizers"])
CLEAN = TEXTS.map(clean)

every = cases("name", TOKENIZERS)


def part(name: str) -> Any:
    return build("tokenizers", PartSpec(name))


def rows(tokens: Tokens, shift: int = 0) -> list[tuple[str, int, int]]:
    """Words with their places, moved on by `shift`."""
    starts, ends = ([place + shift for place in column] for column in (tokens.starts, tokens.ends))
    return list(zip(tokens.words, starts, ends, strict=True))


def rows_of_pieces(tokenizer: Any, pieces: Iterable[str]) -> list[tuple[str, int, int]]:
    result, place = [], 0
    for piece in pieces:
        result += rows(tokenizer(piece), place)
        place += len(piece)
    return result


@every
@BRISK
@given(text=CLEAN)
@example(text="a \u0345b")
def test_words_stand_at_their_places_and_hold_all_letters(name: str, text: str) -> None:
    tokenizer = part(name)
    tokens = rows(tokenizer(text))
    # Pairs of neighbours overlap; they are options of some tokenizers, and none's default.
    places = [place for _, *both in tokens for place in both]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
    for word, start, end in tokens:
        assert word == text[start:end] != ""
        assert not set(tokenizer.boundaries) & set(word)
    assert list(tokenizer.split(text)) == [word for word, _, _ in tokens]
    covered = {place for _, start, end in tokens for place in range(start, end)}
    missed = {char for place, char in enumerate(text) if place not in covered}
    assert not [char for char in missed if char.isalpha() or char.isdecimal()]


@every
@BRISK
@given(text=CLEAN)
@example(text=" \u064ba")
@example(text="b \u200d😀")
@example(text="a\n\u0345 \r\n \u0301b")
def test_a_text_may_be_cut_at_every_boundary(name: str, text: str) -> None:
    tokenizer = part(name)
    pieces = re.findall(f"[^{tokenizer.boundaries}]*[{tokenizer.boundaries}]?", text)
    assert rows_of_pieces(tokenizer, pieces) == rows(tokenizer(text))


@cases("spec", [
    *(PartSpec.of("chinese", mode=mode) for mode in ("individual", "smart", "bigram")),
    PartSpec.of("thai", engine="bigram"),
])  # fmt: skip
@given(text=st.text("中国人a。アกัมေ가나 \n\r", max_size=40) | CLEAN)
@example(text="中 \n国")
@example(text="ก\nัม เ\n")
def test_a_text_may_be_cut_where_no_lines_are_joined(spec: PartSpec, text: str) -> None:
    tokenizer = build("tokenizers", PartSpec.of(spec.name, **dict(spec.options), join_lines=True))
    result = rows_of_pieces(tokenizer, cut_at(text, tokenizer.cuts))
    assert result == rows(tokenizer(text))
    assert tokenizer.split(text) == [word for word, _, _ in result]
    assert [tokenizer.joined(text[start:end])[0] for _, start, end in result] == [
        word for word, _, _ in result
    ]


@BRISK
@given(text=CLEAN)
def test_words_lines_and_characters_are_those_that_python_splits(text: str) -> None:
    assert part("words").filters_may_precede
    assert part("words").split(text) == text.split()
    assert part("characters").split(text) == list(re.sub(r"\s", "", text))
    lines = map(str.strip, text.splitlines())
    assert part("lines").split(text) == list(filter(None, lines))


@cases("name", [name for name in TOKENIZERS if part(name).filters_may_precede])
@cases("other", ["fold", "lowercase", "casefold", "strip-punctuation", "decimal-digits"])
@BRISK
@given(text=CLEAN)
@example(text="ก,ั ก,\u200c ｶ.ﾞ 中\u0345 中,b")
def test_filters_of_characters_may_precede(name: str, other: str, text: str) -> None:
    clean_word = build("filters", PartSpec(other))
    after = filter(None, map(clean_word, part(name).split(text)))
    if clean_word.characterwise and "Σ" not in text:
        assert part(name).split(clean_word(text)) == list(after)


@every
def test_a_text_without_words_has_none(name: str) -> None:
    assert rows(part(name)("")) == rows(part(name)(" \r\n \u2028\u3000 ")) == []
