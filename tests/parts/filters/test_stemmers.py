"""Stemmers against their references, and Arabic filters against Lucene's analyzer."""

from pathlib import Path
from typing import Any

import pytest
import Stemmer
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from sdtext.errors import OptionError
from sdtext.parts.filters import stemmers
from sdtext.parts.filters.arabic import (
    ArabicLight10,
    ArabicNormalization,
    Arlstem,
    Arlstem2,
    Isri,
    Pyarabic,
)
from sdtext.parts.filters.stemmers import MODES, NltkPorter, Porter, Snowball
from sdtext.parts.load_recipe import load_recipe
from tests.support.cases import cases
from tests.support.command import run_python
from tests.support.lucene import LUCENE, found_by, found_here
from tests.support.strategies import WORDS

SUFFIXES = """
s es ies ss sses ed eed ied ing ings ying at bl iz y i ational tional enci anci izer bli bly
bled blied blies blys blyed blying blyings abli ably ible alli entli eli ousli ization ation
ator alism iveness fulness ousness aliti iviti biliti bility logi logy logies logist logic
logied logying icate ative alize iciti ical ful ness al ance ence er ic able ant ement ment
ent ion sion tion ou ism ate iti ous ive ize e ll le el il yy
cced kking wweds xxing vved hhings yying ffed pping
"""

martin = PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS)
stems = st.text("abcdeghiklmnosuxyz", max_size=8)
endings = st.lists(st.sampled_from(SUFFIXES.split()), max_size=3).map("".join)
english = st.tuples(stems, endings).map("".join)


PAIRS = [
    line.split("\t") for line in (LUCENE / "words_en.porter.tsv").read_text("utf-8").splitlines()
]


def test_porter_agrees_with_lucene_on_every_word_of_its_list() -> None:
    assert len(PAIRS) == 47406
    stem = Porter()
    assert [row for row in PAIRS if stem(row[0]) != row[1]] == []


@given(word=english | st.text("abcdefghijklmnopqrstuvwxyz", max_size=12))
@example(word="ably")
@example(word="ology")
@example(word="ayylogy")
@example(word="bliing")
@example(word="occed")
@example(word="emblyying")
def test_porter_agrees_with_martins_extensions_in_nltk(word: str) -> None:
    assert Porter()(word) == martin.stem(word)


@given(language=st.sampled_from(Stemmer.algorithms()), words=st.lists(WORDS, max_size=4))
def test_snowball_is_the_algorithm_it_names(language: str, words: list[str]) -> None:
    stem = Snowball(language=language)
    fresh = Stemmer.Stemmer(language, 0)
    assert [stem(word) for word in words] == [fresh.stemWord(word) for word in words]


@cases("mode", MODES)
def test_each_mode_is_that_of_nltk(mode: str) -> None:
    stem, expected = NltkPorter(mode), PorterStemmer(MODES[mode]).stem
    words = [word for word, _ in PAIRS[::20]]
    assert list(map(stem, words)) == list(map(expected, words))


ARABIC = Path(__file__).parents[3] / "configs" / "arabic.toml"
ROWS = [
    row.split("\t") for row in (LUCENE / "words_ar.norm_stem.tsv").read_text("utf-8").splitlines()
]


def test_all_words_are_normalized_and_stemmed_as_by_lucene() -> None:
    normal, stem = ArabicNormalization(), ArabicLight10()
    assert len(ROWS) == 10_580
    assert [[word, normal(word), stem(normal(word))] for word, *_ in ROWS] == ROWS


@cases("name", ["own_ar", "random"])
def test_the_whole_chain_gives_the_terms_of_lucenes_arabic_analyzer(name: str) -> None:
    assert found_here(load_recipe(ARABIC), name) == found_by("ArabicAnalyzer", name)


@cases(
    "word, stem",
    [
        ("والك", "الك"),  # behind "وال" one letter would be left, behind "و" three are
        ("وال", "وال"),
        ("ووو", "ووو"),
        ("وقال", "قال"),
        ("ها", "ها"),
        ("بها", "بها"),
        ("و𞤀ب", "𞤀ب"),  # Lucene counts two units for the second letter
        ("", ""),
    ],
)
def test_a_stem_keeps_two_letters(word: str, stem: str) -> None:
    assert ArabicLight10()(word) == stem


@cases("operation, word, result", [
    ("strip_tashkeel", "كِتَابٌ", "كتاب"), ("strip_tatweel", "كتـــاب", "كتاب"),
    ("normalize_ligature", "ﻻ", "لا"), ("normalize_alef", "ٱ", "ا"),
])  # fmt: skip
def test_operations_of_pyarabic_are_called_by_name(operation: str, word: str, result: str) -> None:
    assert Pyarabic(operation=operation)(word) == result


def test_a_missing_package_is_named_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    stemmers.optional_module.cache_clear()
    monkeypatch.setattr(stemmers, "import_module", missing)
    for make, package in (
        (lambda: Pyarabic(operation="strip_harakat"), "pyarabic"), (Isri, "nltk"),
        (Arlstem, "nltk"), (Arlstem2, "nltk"), (NltkPorter, "nltk"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match=rf"{package} is missing; pip install 'sdtext\[[an]"):
            make()


def test_nothing_but_its_own_filter_imports_what_is_under_the_gpl() -> None:
    code = (
        "import sys; from sdtext.parts.registry import PARTS, find; "
        "from sdtext.parts.load_recipe import load_recipe;"
        "[find(kind, name) for kind in PARTS for name in PARTS[kind]];"
        f"load_recipe({str(ARABIC)!r}); print('pyarabic' in sys.modules)"
    )
    assert run_python(code).stdout == "False\n"
