"""What comes with sdtext by name: dictionaries, and recipes for languages and of papers."""

import re
import tomllib
from itertools import combinations
from pathlib import Path

import pytest
import Stemmer
from nltk.stem.porter import PorterStemmer

import sdtext
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import UnreadableError
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES, RECIPES
from sdtext.parts.filters.stopwords_and_length import languages, shipped_list
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build
from tests.support.cases import cases
from tests.support.command import ROOT
from tests.support.languages import SAMPLES

TEXTS = ROOT / "tests" / "samples" / "texts"
CONFIGS = ROOT / "configs"
OTHERS = ("output-", "experiment")  # output configurations and plans
SHIPPED = sorted(path.stem for path in CONFIGS.glob("*.toml") if not path.stem.startswith(OTHERS))


def test_every_recipe_has_the_name_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert RECIPES.names() == SHIPPED
    monkeypatch.chdir("/")
    for name in SHIPPED:
        assert load_recipe(name) == load_recipe(CONFIGS / f"{name}.toml"), name


def test_a_dictionary_and_a_recipe_of_one_name_never_answer_for_each_other() -> None:
    shared = {*DICTIONARIES.names()} & {*RECIPES.names()}
    assert {"english", "chinese"} <= shared
    for name in shared:
        recipe, dictionary = RECIPES.path(name), DICTIONARIES.path(name)
        assert recipe == CONFIGS / f"{name}.toml"
        assert dictionary == ROOT / "dictionaries" / f"{name}.xml.gz"
    # The dictionary is made with the recipe chinese-words.
    words = load_recipe("chinese-words").canonical()
    assert load_dictionary("chinese").recipe.canonical() == words
    assert load_recipe("chinese").canonical() != words


def test_a_name_is_the_same_in_any_folder_and_others_are_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = load_recipe("english"), load_dictionary("english").digest
    Path("english").write_text('tokenizer = "lines"\n', "utf-8")
    assert (load_recipe("english"), load_dictionary("english").digest) == expected
    for path in ("./english", Path("english"), tmp_path / "english"):
        assert load_recipe(path).tokenizer.name == "lines"
    Path("english.toml").write_text('tokenizer = "unicode"\n', "utf-8")
    assert load_recipe("english.toml").tokenizer.name == "unicode"
    own = sdtext.create_dictionary(TEXTS, "english")
    Path("english").unlink()
    sdtext.save(own, "english")
    assert load_dictionary("english").digest == expected[1]
    assert load_dictionary("./english").digest == load_dictionary(Path("english")).digest
    assert load_dictionary("./english").digest == own.digest
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "output-full", "English", "tokenizers"):
        Path(name).write_text('tokenizer = "lines"\n', "utf-8")
        assert load_recipe(name).tokenizer.name == "lines"


def test_no_name_and_no_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for given in ("output-full", "zzzzq", "Polish"):
        with pytest.raises(UnreadableError, match=given) as caught:
            load_recipe(given)
        assert ", ".join(RECIPES.names()) in str(caught.value)
    for other in ("configs/english.toml", "english.toml", Path("english.toml"), Path("english")):
        with pytest.raises(UnreadableError, match="no such file"):
            load_recipe(other)


def test_calibrations_and_their_trials_are_of_packages_that_no_dictionary_is_made_of() -> None:
    folder = ROOT / "dictionaries"
    sources = tomllib.loads((folder / "sources.toml").read_text("utf-8"))
    uses = {
        "dictionaries": {
            line.split("\t")[0]
            for path in (folder / "sources").glob("*.tsv")
            for line in path.read_text("utf-8").splitlines()[1:]
        },
        "calibrations": {*sources["calibration"]["packages"]},
        "Arabic calibration": {*sources["calibration"]["arabic"]["packages"]},
        "trials": {*sources["trial"]["packages"]},
    }
    assert min(map(len, uses.values())) > 100
    assert not [pair for pair in combinations(uses, 2) if uses[pair[0]] & uses[pair[1]]]


def test_every_bundled_dictionary_is_calibrated() -> None:
    matchers = {"cosine", "idf-cosine", "surprise"}
    for name in DICTIONARIES.names():
        calibrations = {item.matcher: item for item in load_dictionary(name).calibrations}
        assert calibrations.keys() == matchers
        for calibration in calibrations.values():
            sizes = calibration.class_of(64, 64)
            assert sizes
            assert sizes.level(0.001)


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
        "stop-words": list(languages()),
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
    last = {name: shipped(name).filters[-1] for name in SAMPLES}
    assert last.pop("english") == PartSpec("porter")
    with_stemmer = {name for name in last if last[name] == PartSpec.of("snowball", language=name)}
    assert stemmed - with_stemmer <= {"arabic", "english"}
    assert stemmed - set(languages()) == {"yiddish"}
    assert len(stemmed & set(languages())) > 30


def terms_by(name: str, text: str) -> list[str]:
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
