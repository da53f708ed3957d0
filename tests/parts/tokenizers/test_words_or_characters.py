"""Words between white space, and single characters of scripts without blanks between words."""

from time import process_time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.tokenizers import SpanTokenizer
from sdtext.parts.tokenizers.words_lines_characters import WordsOrCharacters
from sdtext.text.document import Document
from tests.support.cases import cases

DEFAULT_RECIPE = load_recipe("deduplicate")

TEXTS = st.text("abA1ßΆﬁ™ﻼـ\u064b\xad.,'’_南京アｶﾞกัု༌ཀ\u0301\u0345\u200b\u200d👨Ａ！ \n", max_size=80)


@given(text=TEXTS)
@example(text="ก,ั ｶ.ﾞ 中\u0345 a\u200bb។\u200b")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_long_run_has_its_words_everywhere(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = WordsOrCharacters()(text)
    terms = Chain(DEFAULT_RECIPE).terms(text)
    monkeypatch.setattr(SpanTokenizer, "longest_run", 8)
    pieces = list(WordsOrCharacters().pieces(text))
    assert "".join(pieces) == text
    cut = WordsOrCharacters()(text)
    assert (cut.words, cut.starts, cut.ends) == (tokens.words, tokens.starts, tokens.ends)
    assert WordsOrCharacters().split(text) == list(tokens.words)
    chain = Chain(DEFAULT_RECIPE)
    assert chain.terms(text) == list(chain.tokens(Document(text, text)).words) == terms
    assert chain.distinct([text]) == set(terms)
    assert Encoder(DEFAULT_RECIPE).tokens([text]).terms_of(0) == terms


def test_line_ends_and_blanks_between_characters_change_nothing() -> None:
    split = WordsOrCharacters().split
    assert split("東京タワー\n日本 語\u3000です") == split("東京タワー日本語です")
    assert split("ជំរាប\u200bសួរ") == split("ជំរាបសួរ")
    assert split("中国a,b人1") == ["中", "国", "a,b", "人", "1"]


def test_korean_and_spaced_scripts_stay_words() -> None:
    for text in ("한국어 문장", "isn’t e-mail, 3.14", "हिन्दी में", "шла Саша", "عربي نص"):
        assert WordsOrCharacters().split(text) == text.split()


def test_words_are_the_same_by_the_faster_path_for_spaced_scripts() -> None:
    chars = map(chr, (*range(0x7F, 0x4E00), *range(0xA48C, 0xAE00), *range(0xF900, 0x12000)))
    parts = [f"a{char}b" for char in chars]
    words = WordsOrCharacters()(" ".join(parts)).words
    assert [word for part in parts for word in WordsOrCharacters().split(part)] == list(words)


@cases("unit", ["ก\u0e31", "ก,,,,", "南,", "ア\u200d", "\u200b", "a,", "1\u0301"])
def test_the_time_is_linear(unit: str) -> None:
    before = process_time()
    WordsOrCharacters()(unit * 20_000)
    assert process_time() - before < 2
