"""The recipes in configs/: for one language each, that for all, and those of papers."""

from __future__ import annotations

import re
from pathlib import Path

import Stemmer
from nltk.stem.porter import PorterStemmer

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.filters.stopwords_and_length import languages, shipped_list
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build
from tests.support.cases import cases
from tests.support.languages import SAMPLES

CONFIGS = Path(__file__).parents[2] / "configs"
TEXTS = Path(__file__).parents[1] / "samples" / "texts"
AUTO = load_recipe(CONFIGS / "auto.toml")


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


def test_a_recipe_makes_terms_of_a_text_in_its_language() -> None:
    for language, sample in SAMPLES.items():
        chain = Chain(shipped(language))
        terms = chain.terms(sample.text)
        assert len(terms) >= 4, language
        assert all(term.isprintable() and len(term.split()) == 1 for term in terms), language
        every = Chain(RecipeSpec(PartSpec("unicode"))).terms(sample.text)
        assert len(terms) < len(every) or language == "yiddish", language  # has no stop list
        # Forms of one word meet in one term.
        forms = [chain.terms(form) for form in sample.forms]
        assert len(forms) != 1, language
        assert all(len(term) == 1 and term == forms[0] for term in forms), (language, forms)


def test_the_recipe_for_all_gives_the_terms_of_one_for_that_language() -> None:
    for language, sample in SAMPLES.items():
        chain = Chain(AUTO).suited_to(sample.text)
        filters = tuple(item for spec in AUTO.filters for item in settled(spec, chain.language))
        assert chain.language == ("" if language == "sesotho" else language)
        expected = Chain(RecipeSpec(AUTO.tokenizer, filters)).terms(sample.text)
        assert chain.terms(sample.text) == expected, language


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


def terms_by(name: str, text: str) -> list[str]:
    """The terms of a text by the words of a recipe that ships."""
    return Chain(shipped(name)).terms(text)


def test_passages_are_looked_for_by_words_in_any_script() -> None:
    for name in ("reuse", "evidence"):
        english = "The well-known BEES don’t fly; they don't swim in 2.5 to ３.５ °C."
        assert " ".join(terms_by(name, english)) == "well known bees dont fly dont swim 25 35 c"
        chinese = terms_by(name, "我们在北京的会议上讨论了问题")
        assert chinese == ["北京", "会议", "上", "讨论", "问题"]
        assert terms_by(name, "في المكتبةِ كتابٌ") == ["المكتبه", "كتاب"]


def test_the_nltk_recipe_gives_the_terms_of_nltk() -> None:
    stem = PorterStemmer().stem
    listed = set((CONFIGS / "english-nltk-stop-words.txt").read_text("utf-8").split())
    assert len(listed) == 179
    assert len({*shipped_list("english")} - listed) == 32
    for path in sorted(TEXTS.glob("*.txt")):
        text = path.read_text("utf-8").replace("’", "'") + " They don't; isn't it DYING, flies?"
        words = [word for word in re.findall(r"[a-z0-9']+", text.lower()) if word not in listed]
        plain = [word.replace("'", "") for word in words]
        expected = [stem(word) for word in plain if word.isalpha() and 3 <= len(word) <= 30]
        assert terms_by("english-nltk", text) == expected


@cases("name", ["near-duplicate", "near-duplicate-nltk", "shingles"])
def test_a_copy_with_a_small_change_meets_its_original_and_nothing_else(name: str) -> None:
    recipe, stems = shipped(name), [item.stem for item in sorted(TEXTS.glob("*.txt"))]
    texts = [(TEXTS / f"{stem}.txt").read_text("utf-8") for stem in stems]
    original = stems.index("harbour")
    texts.append(texts[original].replace("harbour", "port", 1))
    index = build("indexes", recipe.index or PartSpec(""))
    sketches = build("fingerprints", recipe.fingerprint or PartSpec(""))(Encoder(recipe)(texts))
    assert index.probability(0.8, sketches.shape[1]) >= 0.99
    *others, copy = index.keys(sketches)
    assert [place for place, keys in enumerate(others) if (keys == copy).any()] == [original]
