"""Japanese, Korean and Thai words, with packages and without."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build
from sdtext.parts.tokenizers import chinese_japanese_korean_thai
from sdtext.parts.tokenizers.chinese_japanese_korean_thai import Chinese, Thai
from sdtext.text.normal_form import clean
from tests.support.cases import cases
from tests.support.strategies import BRISK, TEXTS

CONFIGS = Path(__file__).parents[3] / "configs"
DEFAULTS = {"japanese": "fugashi", "korean": "kiwi", "thai": "newmm"}


@cases("name, engine", DEFAULTS.items())
def test_where_a_package_is_missing_the_extra_and_the_way_without_are_named(
    monkeypatch: pytest.MonkeyPatch, name: str, engine: str
) -> None:
    monkeypatch.setattr(chinese_japanese_korean_thai, "find_spec", lambda _: None)
    with pytest.raises(OptionError) as caught:
        build("tokenizers", PartSpec(name))
    output = str(caught.value)
    assert output.startswith(f"{name}: the engine {engine} needs ")
    assert f"pip install 'sdtext[{name}]'" in output
    assert "name the engine bigram" in output
    assert build("tokenizers", PartSpec.of(name, engine="bigram")).split("abc") == ["abc"]


@BRISK
@given(text=TEXTS.map(clean))
@pytest.mark.parametrize("name", ["japanese", "korean"])
def test_without_packages_words_are_the_pairs_of_chinese(name: str, text: str) -> None:
    pairs = build("tokenizers", PartSpec.of(name, engine="bigram"))
    assert pairs(text) == Chinese(mode="bigram")(text)


@cases(
    "text, words",
    [
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("ที่ ก", ["ที่", "ก"]),
        ("a ๑๒ 3.5", ["a", "๑๒", "3.5"]),
    ],
)
def test_pairs_of_thai_are_of_letters_with_their_marks(text: str, words: list[str]) -> None:
    assert Thai(engine="bigram").split(text) == words


@cases("name, text, word", [
    ("japanese", "これは東京都の条例です。", "東京"), ("japanese", "ｺﾝﾋﾟｭｰﾀを使う", "コンピュータ"),
    ("korean", "학교에서 공부를 했다", "학교"), ("thai", "มนุษย์ทั้งหลายเกิดมามีอิสระ", "มนุษย์"),
])  # fmt: skip
def test_a_word_is_found_without_what_stands_beside_it(name: str, text: str, word: str) -> None:
    assert word in Chain(load_recipe(CONFIGS / f"{name}.toml")).terms(text)
