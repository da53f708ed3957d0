"""Articles that lost their vowel, and small letters as some languages have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.parts.filters.case_and_elision import Elision, Lowercase
from sdtext.parts.filters.stemmers import Snowball
from sdtext.parts.filters.stopwords_and_length import StopWords
from tests.support.cases import cases
from tests.support.strategies import BRISK, WORDS

LETTERS = st.text("abcdefghijlmnopqstuvéàüß", min_size=1, max_size=6)


@cases("language, word, expected", [
    ("french", "jusqu'alors", "alors"), ("french", "lorsqu’elle", "elle"),
    ("french", "presqu'île", "presqu'île"), ("french", "d'", ""), ("french", "l'été'", "été'"),
    ("french", "'l'homme", "'l'homme"), ("italian", "nell'acqua", "acqua"),
    ("italian", "un'amica", "amica"), ("italian", "po'", "po'"), ("catalan", "l'hivern", "hivern"),
    ("catalan", "all'hora", "all'hora"), ("irish", "d'ól", "ól"), ("irish", "o'brien", "o'brien"),
])  # fmt: skip
def test_an_article_goes_and_nothing_else(language: str, word: str, expected: str) -> None:
    assert Elision(language=language)(word) == expected


@BRISK
@given(
    article=LETTERS,
    rest=LETTERS,
    listed=st.lists(LETTERS, min_size=1),
    sign=st.sampled_from("'’ʼ＇"),
)
def test_the_articles_given_go(article: str, rest: str, listed: list[str], sign: str) -> None:
    word = f"{article}{sign}{rest}"
    assert Elision(articles=tuple(listed))(word) == (rest if article in listed else word)
    assert Elision(articles=(article,))(word) == rest
    assert Elision(articles=(article,))(article + rest) == article + rest


@cases("language, word, expected", [
    ("turkish", "DİYARBAKIR", "diyarbakır"), ("azerbaijani", "Işıq", "ışıq"),
    ("greek", "ΜΑΪ́ΟΣ", "μαιοσ"), ("greek", "ᾠδή", "ωδη"), ("greek", "Café", "café"),
    ("irish", "tUisce", "uisce"), ("irish", "nÓg", "óg"), ("irish", "Nollaig", "nollaig"),
    ("irish", "teach", "teach"), ("german", "IŞIK", "işik"), ("", "ΛΌΓΟΣ", "λόγος"),
])  # fmt: skip
def test_small_letters_are_those_of_the_language(language: str, word: str, expected: str) -> None:
    assert Lowercase(language=language)(word) == expected


@BRISK
@given(word=WORDS, language=st.sampled_from(Lowercase.languages()))
def test_a_language_changes_nothing_in_what_is_small_already(word: str, language: str) -> None:
    once = Lowercase(language=language)(word)
    assert Lowercase(language=language)(once) == once
    if language not in ("azerbaijani", "greek", "irish", "turkish"):
        assert once == word.lower()


@cases("part", [
    Elision(language="auto"), Lowercase(language="auto"), Snowball(language="auto"),
    StopWords(language="auto"),
])  # fmt: skip
def test_a_filter_must_know_the_language(part: Elision | Lowercase | Snowball | StopWords) -> None:
    with pytest.raises(OptionError, match="the language auto is settled for each document first"):
        part("word")
