"""Stemmers against their references."""

from __future__ import annotations

from pathlib import Path

import Stemmer
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from sdtext.parts.filters.stemmers import MODES, NltkPorter, Porter, Snowball
from tests.support.cases import cases
from tests.support.strategies import BRISK, THOROUGH, WORDS

LUCENE = Path(__file__).parents[2] / "samples" / "lucene"
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


@THOROUGH
@given(word=english | st.text("abcdefghijklmnopqrstuvwxyz", max_size=12))
@example(word="ably")
@example(word="ology")
@example(word="ayylogy")
@example(word="bliing")
@example(word="occed")
@example(word="emblyying")
def test_porter_agrees_with_martins_extensions_in_nltk(word: str) -> None:
    assert Porter()(word) == martin.stem(word)


@BRISK
@given(word=WORDS)
def test_porter_never_drops_a_word(word: str) -> None:
    assert Porter()(word) != ""


@THOROUGH
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
