"""Stop words and the filters by length."""

import re
from pathlib import Path
from unicodedata import is_normalized

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.filters import stopwords_and_length
from sdtext.parts.filters.case_and_elision import Lowercase
from sdtext.parts.filters.characters import StripPunctuation
from sdtext.parts.filters.stopwords_and_length import (
    MaxLength,
    MinLength,
    StopWords,
    languages,
    shipped_list,
)
from sdtext.parts.load_recipe import load_recipe
from sdtext.text.language import names
from tests.support.cases import cases
from tests.support.strategies import BRISK, WORDS


@BRISK
@given(word=WORDS, length=st.integers(1, 12))
def test_lengths_are_code_points_and_both_limits_are_inclusive(word: str, length: int) -> None:
    characters = len(list(word))
    assert MinLength(length=length)(word) == (word if characters >= length else "")
    assert MaxLength(length=length)(word) == (word if characters <= length else "")


OWN = {"chinese", "english", "estonian"}  # which are not taken from the longer lists


@cases("language", languages())
@cases("short", [False, True])
def test_a_list_has_words_that_can_match_what_arrives(language: str, *, short: bool) -> None:
    words = shipped_list(language, short=short)
    assert 20 <= len(words) <= 50 if short else len(words) > 30
    assert list(words) == sorted(set(words))
    assert all(is_normalized("NFC", word) for word in words)
    assert not any(char.isspace() for word in words for char in word)
    small = Lowercase(language=language if language in names() else "")
    assert {small(word) for word in words} <= set(words)
    if short or language != "english":  # whose long list is Snowball's as it stands
        assert {StripPunctuation()(word) for word in words} <= set(words)
    assert not short or language in OWN or set(words) <= set(shipped_list(language))


def test_a_short_list_needs_its_language_and_is_settled_by_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(
        'tokenizer = "words"\n'
        'filters = [{ name = "stop-words", language = "english", short = true }]'
    )
    (settled,) = load_recipe(tmp_path / "r.toml").filters
    assert settled == PartSpec.of("stop-words", words=shipped_list("english", short=True))
    keep = StopWords(language="english", short=True)
    assert [word for word in ("the", "there", "ours", "our") if keep(word)] == ["ours", "our"]
    for options in ({"short": True}, {"words": ("the",), "short": True}):
        with pytest.raises(OptionError, match="stop-words: "):
            StopWords(**options)


def test_the_short_list_follows_the_language_of_each_document() -> None:
    recipe = RecipeSpec(
        PartSpec("unicode"),
        (PartSpec("lowercase"), PartSpec.of("stop-words", language="auto", short=True)),
    )
    chain = Chain(recipe).suited_to("他是我的朋友，我们都在这里")
    assert chain.terms("他是我的朋友") == ["朋", "友"]
    assert chain.terms("the 我们") == ["the"]


def test_the_notice_names_the_source_and_the_licence_of_every_list() -> None:
    notice = (Path(stopwords_and_length.__file__).parent / "stopwords" / "NOTICE").read_text(
        "utf-8"
    )
    rows = re.findall(r"^  ([a-z]+) {2,}(\S.*\S) {2,}(\w+)$", notice, re.MULTILINE)
    assert [name for name, _, _ in rows] == list(languages())
    assert {licence for _, _, licence in rows} == {"Apache", "BSD", "MIT"}
    assert all(re.search(rf"^{licence}: ", notice, re.MULTILINE) for _, _, licence in rows)


@BRISK
@given(words=st.lists(WORDS, min_size=1), other=WORDS)
def test_given_words_are_dropped_as_they_stand(words: list[str], other: str) -> None:
    keep = StopWords(words=tuple(words))
    assert not any(map(keep, words))
    assert keep(other) == ("" if other in words else other)
