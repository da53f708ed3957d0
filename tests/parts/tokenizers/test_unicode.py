"""Words by UAX #29 against Lucene's StandardTokenizer."""

from collections.abc import Callable

import regex
from hypothesis import given

from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.tokenizers.unicode_words import UnicodeWords
from sdtext.text.normal_form import clean
from tests.support.cases import cases
from tests.support.lucene import found_by, found_here
from tests.support.strategies import BRISK, TEXTS

OTHERS = regex.compile(r"(?V1)[[\p{Ideographic}ﾞﾟ\u1cf2\u1cf3]--\p{Script=Han}]")
EXACT = PartSpec.of("unicode", lucene=True)


@cases("name", ["own_en", "own_ar", "own_zh"])
@cases("lucene", [False, True])
def test_words_are_those_of_lucene_with_their_places(name: str, *, lucene: bool) -> None:
    tokenizer = PartSpec.of("unicode", lucene=lucene)
    recipe = RecipeSpec(tokenizer, (PartSpec("simple-lowercase"),))
    assert found_here(recipe, name) == found_by("StandardAnalyzer", name)


def test_random_lines_have_the_words_of_lucene() -> None:
    assert found_here(RecipeSpec(EXACT), "random") == found_by("StandardTokenizer", "random")


@cases(
    "text, words",
    [
        ("a:b c·d", ["a:b", "c·d"]),  # WB6, WB7: MidLetter
        ("a\u0301:\u0301b", ["a\u0301:\u0301b"]),  # WB4 inside of WB6
        ("3.5 a.5 x_1", ["3.5", "a", "5", "x_1"]),  # WB11 to WB13b
        ("1,234,567.5 12,345", ["1,234,567.5", "12,345"]),  # WB11, WB12
        ("🇩🇪🇫🇷🇯", ["🇩🇪", "🇫🇷"]),  # WB15, WB16: flags are pairs
        ("👨\u200d👩\u200d👧👍🏽", ["👨\u200d👩\u200d👧", "👍🏽"]),  # WB3c, WB4
        ("🅰\u200d😀 🅰\u200d🅱c", ["🅰\u200d😀", "🅰\u200d🅱c"]),  # letters that are emoji
        ("1\ufe0f\u20e3 #\ufe0f\u20e3 ❤\ufe0f", ["1\ufe0f\u20e3", "#\ufe0f\u20e3", "❤\ufe0f"]),
        ("✍\ufe0e", ["✍"]),
        ("カタカナ ひら", ["カタカナ", "ひ", "ら"]),  # WB13
        ("צה״ל cafe\u0301s", ["צה״ל", "cafe\u0301s"]),  # WB7b, WB4
        ("ภาษาไทย ລາວ", ["ภาษาไทย", "ລາວ"]),  # no blanks: a dictionary is needed
        ("… — ! () _", []),
    ],
)
def test_words_follow_the_rules_of_uax_29(text: str, words: list[str]) -> None:
    assert UnicodeWords()(text).words == words
    assert UnicodeWords(lucene=True)(text).words == words


def test_cells_of_a_table_are_words_each() -> None:
    table = "1800,242,389 54;97 12,34"
    assert UnicodeWords()(table).words == ["1800", "242", "389", "54", "97", "12", "34"]
    assert UnicodeWords(lucene=True)(table).words == ["1800,242,389", "54;97", "12,34"]


@cases("text, ours, lucenes", [
    ("oui\u202f! 5\u202f000\u202f€", ["oui", "5\u202f000"], ["oui\u202f", "5\u202f000\u202f"]),
    ("\u202f", [], []), ("〆切 \U00017000", ["〆", "切", "\U00017000"], ["切"]),
])  # fmt: skip
def test_what_lucene_does_is_an_option(text: str, ours: list[str], lucenes: list[str]) -> None:
    assert UnicodeWords().split(text) == ours
    assert UnicodeWords(lucene=True).split(text) == lucenes


@cases("text, lengths", [
    ("a" * 255, [255]), ("a" * 600, [255, 255, 90]), ("a" * 254 + "." + "b" * 10, [254, 10]),
    ("𝐚" * 300, [127, 127, 46]),  # two units each
    ("_" * 300 + "a", [255]),  # no word begins before a letter is in sight
])  # fmt: skip
def test_a_word_is_cut_after_255_units(text: str, lengths: list[int]) -> None:
    assert list(map(len, UnicodeWords().split(text))) == lengths
    assert list(map(len, UnicodeWords(lucene=True)(text).words)) == lengths


@BRISK
@given(text=TEXTS.map(clean))
def test_without_special_blanks_and_ideographs_both_have_the_same_words(text: str) -> None:
    text = text.replace("\u202f", " ")
    ours, lucenes = UnicodeWords().split(text), UnicodeWords(lucene=True).split(text)
    assert [word for word in ours if not OTHERS.match(word)] == lucenes


@cases(
    "text", ["\u200d", "\u0301", "_", "_\u0301", "a\u0301", 'ש"', "🇩", "#\u20e3", "ℹ\u200d", "ก"]
)
def test_the_time_for_a_long_run_is_linear(text: str, rounds: Callable[[int], int]) -> None:
    # Were it quadratic, this would take an hour.
    words = UnicodeWords().split(text * (rounds(600_000) // len(text)))
    assert all(len(word) <= 255 for word in words)
