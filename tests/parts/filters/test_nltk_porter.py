"""NLTK's variants of the Porter stemmer."""

from __future__ import annotations

import sys

import pytest
from nltk.stem.porter import PorterStemmer

from sdtext.errors import OptionError
from sdtext.parts.filters import stemmers
from sdtext.parts.filters.stemmers import MODES, NltkPorter
from tests.cli.command import ROOT


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_is_that_of_nltk(mode: str) -> None:
    stem, expected = NltkPorter(mode), PorterStemmer(MODES[mode]).stem
    lines = (ROOT / "tests/samples/lucene/words_en.porter.tsv").read_text("utf-8").splitlines()
    words = {line.split("\t")[0] for line in lines[::20]}
    assert len(words) > 1000
    assert {word: stem(word) for word in words} == {word: expected(word) for word in words}


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    stemmers.optional_module.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    with pytest.raises(OptionError, match=r"pip install 'sdtext\[nltk\]'"):
        NltkPorter()
