"""Warnings about texts in another language than the dictionary, and no others."""

from pathlib import Path

import pytest

import sdtext
from sdtext.analysis import dictionary_language_fit as language_fit
from sdtext.analysis.dictionary_language_fit import LanguageFit, RecipeFit
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.read_document import BEGINNING
from tests.support.command import done
from tests.support.languages import OTHERS, SAMPLES

ROOT = Path(__file__).parents[2]
TEXTS = sorted((ROOT / "tests" / "samples" / "texts").glob("*.txt"))
FRENCH = (
    "Il n'y a pas de doute que les abeilles sont dans le jardin, et que la reine est avec elles. "
    "Elle ne sort pas de la ruche, mais les autres vont sur toutes les fleurs qui sont au bord de "
    "la rivière, où il y a de l'eau pour elles et pour les oiseaux du village. "
) * 4
CHINESE = dict(OTHERS)["chinese"] * 12
DECLARATION = {
    "arb": "arabic", "cmn_hans": "chinese", "cmn_hant": "chinese", "deu_1901": "german",
    "eng": "english", "fra": "french", "rus": "russian", "spa": "spanish",
}  # fmt: skip


@pytest.fixture(scope="module")
def fits() -> dict[str, LanguageFit]:
    return {name: LanguageFit(load_dictionary(name)) for name in DICTIONARIES.names()}


def test_the_declaration_fits_its_language_alone(data: Path, fits: dict[str, LanguageFit]) -> None:
    romance = {"french", "spanish"}
    for code, own in DECLARATION.items():
        text = (data / "languages" / "udhr" / f"{code}.txt").read_text("utf-8")[:BEGINNING]
        fitting = {name for name, fit in fits.items() if not fit.foreign(text)}
        assert own in fitting
        assert fitting <= {own} | (romance if own in romance else set())  # related ones may fit


def test_no_english_text_is_foreign_to_english(data: Path, fits: dict[str, LanguageFit]) -> None:
    for path in (*(data / "inaugural").glob("*.txt"), *(data / "federalist").glob("*.txt")):
        text = path.read_text("utf-8", "replace")[:BEGINNING]
        assert fits["english"].foreign(text) == ""
        for name in ("french", "chinese"):
            assert f"seems to be English; dictionary {name}" in fits[name].foreign(text)


def test_no_part_of_a_chinese_manual_is_foreign_to_the_chinese_dictionary(
    data: Path, fits: dict[str, LanguageFit]
) -> None:
    """Though some parts are mostly commands and English words."""
    for name in ("debian-reference", "debian-faq", "maint-guide"):
        text = (data / "languages" / f"{name}.zh-cn.txt").read_text("utf-8")
        parts = [text[start : start + BEGINNING] for start in range(0, len(text), BEGINNING)]
        assert len(parts) > 15
        assert [part for part in parts if fits["chinese"].foreign(part)] == []


BULGARIAN = (
    "Пчелите събират мед и го пазят в кошера, където е тъмно и топло. Всяка сутрин те излитат "
    "към цъфтящите градини, а вечер се връщат със събрания нектар. Стопанинът ги наблюдава от "
    "къщата си и записва колко са. През зимата той им дава захар, за да не умрат от глад. "
) * 2
RUSSIAN = (
    "Пчёлы собирают мёд и хранят его в улье, где темно и тепло. Каждое утро они вылетают в сады, "
    "а вечером возвращаются с нектаром. Хозяин объясняет, сколько их, и объявляет об этом на "
    "съезде пчеловодов. Зимой он подъезжает к ульям и даёт им сахар, чтобы они выжили. "
) * 2


def test_letters_distinguish_bulgarian_from_russian(fits: dict[str, LanguageFit]) -> None:
    misfit = "seems to be Bulgarian; dictionary russian is for Russian"
    assert misfit in fits["russian"].foreign(BULGARIAN)
    assert fits["russian"].foreign(RUSSIAN) == ""
    assert fits["russian"].foreign(RUSSIAN + BULGARIAN[:300]) == ""
    # In the orthography before 1918 words end in a hard sign.
    old = " ".join(word + "ъ" if word[-1] in "нмтлх" else word for word in RUSSIAN.split())
    assert fits["russian"].foreign(old) == ""
    bulgarian = RecipeSpec(PartSpec("words"), (PartSpec.of("stop-words", language="bulgarian"),))
    fit = LanguageFit(Dictionary.of({"мед": 3, "пчела": 2, "кошер": 1}, 9, bulgarian))
    assert fit.foreign(BULGARIAN) == ""


def test_the_script_of_the_terms_outweighs_what_a_recipe_names() -> None:
    recipe = RecipeSpec(PartSpec("chinese"), (PartSpec.of("stop-words", language="english"),))
    terms = {CHINESE[place : place + 6]: 5 for place in range(120)}
    fit = LanguageFit(Dictionary.of(terms, 9, recipe))
    assert fit.languages == {"chinese"}
    english = "".join(path.read_text("ascii") for path in TEXTS)[:BEGINNING]
    assert "seems to be English" in fit.foreign(english)
    assert fit.foreign(f"{english[:4000]} {CHINESE[:60]}") == ""


def test_short_texts_numbers_and_code_fit_every_dictionary(fits: dict[str, LanguageFit]) -> None:
    code = "x = f(y) + g[z]; return self.value\n" * 200
    table = "\n".join(f"{name}, {ord(name[0])} kg" for name in ["Anna", "Igor", "Otto"] * 300)
    numbers = "\n".join(map(str, range(3000)))
    texts = (sample.text for sample in SAMPLES.values())
    for text in ("", "Only a few words.", numbers, table, code, *texts):
        assert [name for name, fit in fits.items() if fit.foreign(text)] == [], text[:99]


def test_an_own_dictionary_has_the_language_of_its_terms() -> None:
    words = FRENCH.lower().replace("'", " ").replace(",", "").replace(".", "").split()
    recipe = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))
    dictionary = Dictionary.of({word: words.count(word) for word in set(words)}, 40, recipe)
    fit = LanguageFit(dictionary)
    assert fit.languages == {"french"}
    assert fit.foreign(FRENCH) == ""
    english = "".join(path.read_text("ascii") for path in TEXTS)[:BEGINNING]
    assert "seems to be English" in fit.foreign(english)
    # Nothing is known of a dictionary without common words.
    names = Dictionary.of({"anna": 3, "otto": 2, "igor": 1}, 9, recipe)
    assert LanguageFit(names).foreign(english) == ""


def test_each_language_has_one_warning_with_its_first_text_and_their_number(tmp_path: Path) -> None:
    for place in range(5):
        (tmp_path / f"fr{place}.txt").write_text(f"{FRENCH} {place}", "utf-8")
    (tmp_path / "zh.txt").write_text(CHINESE, "utf-8")
    (tmp_path / "bees.txt").write_bytes(TEXTS[0].read_bytes())
    line = ("-f", TEXTS[0], "-p", tmp_path, "-d", "english", "--format", "json")
    outcome = done("CompareDirectory", *line)
    problems = [item for item in outcome.json["problems"] if item["category"] == "language"]
    french, chinese = (item["message"] for item in problems)
    assert all(part in french for part in ("fr0.txt", "French", "english", "4 more"))
    assert all(part in chinese for part in ("zh.txt", "Chinese", "english"))
    lines = [line for line in outcome.err.splitlines() if line.startswith("warning: ")]
    assert lines == [f"warning: {french}", f"warning: {chinese}"]


def test_a_recipe_is_for_the_language_that_its_list_states() -> None:
    for recipe in sdtext.list_recipes():
        fit = RecipeFit(load_recipe(recipe.name))
        # The stop words of NLTK are a list of its own, which tells no language.
        known = recipe.language != "any" and recipe.name != "near-duplicate-nltk"
        group = {"cjk": {"chinese", "japanese", "korean"}}.get(recipe.language, {recipe.language})
        assert fit.languages == (group if known else set()), recipe.name
        own = [SAMPLES[name].text * 12 for name in fit.languages & SAMPLES.keys()]
        assert not any(fit.foreign(text) for text in (*own, "1;2;3\n" * 400)), recipe.name
        is_foreign = bool(fit.languages) and "chinese" not in fit.languages
        assert bool(fit.foreign(CHINESE)) is is_foreign, recipe.name


def test_texts_in_another_language_than_the_recipe_are_warned_of_once(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"{FRENCH} {number}", "utf-8")
    (folder / "bees.txt").write_bytes(TEXTS[0].read_bytes())
    for verb, recipe, *arguments in (
        ("FindReuse", "english", folder),
        ("CreateDictionary", "english", folder, "-o", tmp_path / "d.xml"),
        ("AddDocuments", "near-duplicate", tmp_path / "c.sdx", folder),
        ("Deduplicate", "near-duplicate", folder, "-o", tmp_path / "kept.txt"),
    ):
        warned = [line for line in done(verb, *arguments, "-c", recipe).errors if "seems" in line]
        assert len(warned) == 1
        assert all(part in warned[0] for part in ("0.txt", "French", "English", "2 more"))
    assert "seems to be" not in done("FindReuse", folder).err  # the recipe for any language
    dictionary = ("CreateDictionary", *TEXTS, "-o", tmp_path / "e.xml", "-c", "english")
    assert "seems to be" not in done(*dictionary).err


def test_texts_that_surely_fit_fit_by_the_words_of_all_languages(
    fits: dict[str, LanguageFit], monkeypatch: pytest.MonkeyPatch
) -> None:
    english = " ".join(path.read_text("utf-8") for path in TEXTS)[:6000].split()
    texts = [
        " ".join([*english[:share], *(SAMPLES[name].text * 9).split()[: 400 - share]])
        for name in ("french", "spanish", "german", "russian", "dutch")
        for share in range(0, 400, 40)
    ]
    quickly = [[fit.foreign(text) for fit in fits.values()] for text in texts]
    assert {bool(what) for row in quickly for what in row} == {True, False}
    monkeypatch.setattr(language_fit, "_fits_surely", lambda *_: False)
    assert [[fit.foreign(text) for fit in fits.values()] for text in texts] == quickly


def test_a_text_in_another_language_has_no_statement_of_chance(tmp_path: Path) -> None:
    edited = tmp_path / "edited.txt"
    edited.write_text(TEXTS[0].read_text("utf-8")[200:], "utf-8")
    for dictionary, is_foreign in (("french", True), ("english", False)):
        form = ("--format", "json")
        scored = done("ScoreFingerprints", TEXTS[0], edited, "-d", dictionary, *form)
        assert ("chance" not in scored.json) == is_foreign
        assert scored.err.count("seems to be") == is_foreign  # once for both
        assert (sdtext.score(TEXTS[0], edited, dictionary=dictionary).chance is None) == is_foreign
        only = tmp_path / f"{dictionary}.sdx"
        done("AddDocuments", only, *TEXTS[:3], "-d", dictionary)
        searched = done("FindSimilar", only, edited, "-m", "idf-cosine", *form)
        assert searched.json["rows"]
        assert any("chance" in row for row in searched.json["rows"]) != is_foreign
