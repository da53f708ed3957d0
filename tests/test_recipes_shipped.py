"""The recipes in configs/ for one language each, and that for all."""

from __future__ import annotations

from pathlib import Path

import pytest
import Stemmer

from sdtext.chain import Chain
from sdtext.filters.stopwords import languages, shipped_list
from sdtext.model import PartSpec, RecipeSpec
from sdtext.recipe import load_recipe
from tests.languages import SAMPLES

CONFIGS = Path(__file__).parents[1] / "configs"
AUTO = load_recipe(CONFIGS / "auto.toml")
_LIST = "stop-words"


def shipped(language: str) -> RecipeSpec:
    return load_recipe(CONFIGS / f"{language}.toml")


def settled(spec: PartSpec, language: str) -> list[PartSpec]:
    """The filters in place of one of auto.toml, as a person would write them for `language`."""
    if ("language", "auto") not in spec.options:
        return [spec]
    known = {
        "lowercase": ("greek", "irish", "turkish"),
        "elision": ("catalan", "french", "irish", "italian"),
        "stop-words": languages(),
        "snowball": Stemmer.algorithms(),
    }
    if language in known[spec.name]:
        return [PartSpec.of(spec.name, language=language)]
    return [PartSpec("lowercase")] if spec.name == "lowercase" else []


@pytest.mark.parametrize("language", SAMPLES)
def test_a_recipe_makes_terms_of_a_text_in_its_language(language: str) -> None:
    chain, text = Chain(shipped(language)), SAMPLES[language].text
    terms = chain.terms(text)
    assert len(terms) >= 4
    assert all(term.isprintable() and not any(char.isspace() for char in term) for term in terms)
    every = Chain(RecipeSpec(PartSpec("unicode"))).terms(text)
    assert len(terms) < len(every) or language == "yiddish"  # which has no stop list


@pytest.mark.parametrize("language", [name for name, one in SAMPLES.items() if one.forms])
def test_forms_of_one_word_meet_in_one_term(language: str) -> None:
    chain = Chain(shipped(language))
    terms = [chain.terms(form) for form in SAMPLES[language].forms]
    assert len(terms) > 1
    assert [len(made) for made in terms] == [1] * len(terms)
    assert all(made == terms[0] for made in terms)


@pytest.mark.parametrize("language", SAMPLES)
def test_the_recipe_for_all_gives_the_terms_of_one_for_that_language(language: str) -> None:
    text = SAMPLES[language].text
    chain = Chain(AUTO).suited_to(text)
    filters = tuple(one for spec in AUTO.filters for one in settled(spec, chain.language))
    assert chain.language == ("" if language == "sesotho" else language)
    assert chain.terms(text) == Chain(RecipeSpec(AUTO.tokenizer, filters)).terms(text)


def test_every_language_with_a_stemmer_has_a_recipe_and_all_but_one_a_list() -> None:
    stemmed = set(Stemmer.algorithms()) - {"porter", "dutch_porter"}
    assert stemmed - languages_of_recipes() <= {"arabic"}
    assert stemmed - set(languages()) == {"yiddish"}
    assert len(stemmed & set(languages())) > 30


def languages_of_recipes() -> set[str]:
    """Those for which there is a recipe that ends with their stemmer."""
    stems = {name: shipped(name).filters[-1] for name in SAMPLES}
    return {
        name for name, last in stems.items() if last == PartSpec.of("snowball", language=name)
    } | ({"english"} if stems["english"] == PartSpec("porter") else set())


@pytest.mark.parametrize("language", SAMPLES)
def test_a_recipe_is_for_the_language_that_it_is_named_after(language: str) -> None:
    text = (CONFIGS / f"{language}.toml").read_text("utf-8")
    words = [dict(one.options)["words"] for one in shipped(language).filters if one.name == _LIST]
    assert text.startswith(f"# {language.capitalize()} prose")
    assert words == ([shipped_list(language)] if language in languages() else [])
