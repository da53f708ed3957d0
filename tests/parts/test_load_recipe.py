"""Recipes in TOML and in XML: read, settled, or refused in one line."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from sdtext.errors import FormatError, OptionError, SdtextError, UnreadableError
from sdtext.formats.configuration_xml import chain_from, chain_lines
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.load_recipe import checked_recipe, load_recipe, recipe_of
from sdtext.parts.registry import PARTS, normalised
from tests.support.recipe_texts import (
    in_attributes,
    in_toml,
    in_xml,
    listing,
    loaded,
    stop_words,
    toml_part,
)
from tests.support.strategies import BRISK, WORDS, recipes, specs, specs_of

CONFIGS = Path(__file__).parents[2] / "configs"


@given(recipe=recipes())
def test_all_forms_of_a_recipe_have_one_canonical_text(path: Path, recipe: RecipeSpec) -> None:
    settled = loaded(path, in_toml(recipe.chain()))
    for namespace in ("", ' xmlns="urn:sdtext:xml"'):
        other = loaded(path, '<?xml version="1.0"?>\n' + in_xml(recipe.chain(), namespace))
        assert other == settled
        assert other.canonical() == settled.canonical()
    # Lists have no form as attributes.
    chain = [part for part in recipe.chain() if not {"words", "articles"} & {*dict(part.options)}]
    assert loaded(path, in_attributes(chain)) == loaded(path, in_xml(chain))
    parts = []
    for name, options in json.loads(settled.canonical()):
        values = {key: tuple(it) if isinstance(it, list) else it for key, it in options.items()}
        parts.append(PartSpec.of(name, **values))
    assert recipe_of(parts) == settled
    assert "\n" not in settled.canonical()


@given(words=st.lists(st.text(min_size=1) | WORDS, min_size=1, max_size=4))
@example(words=["\x01"])
@example(words=["\ufffe"])
@example(words=[" a\r\n", "]]>&<"])
def test_every_recipe_that_loads_has_an_equal_form_in_xml(path: Path, words: list[str]) -> None:
    text = ", ".join('"' + "".join(f"\\U{ord(char):08X}" for char in word) + '"' for word in words)
    try:
        recipe = loaded(path, stop_words(f"words = [{text}]"))
    except SdtextError:
        return
    element = etree.fromstring("".join(chain_lines(recipe.chain())).encode("utf-8"))
    assert recipe_of(chain_from(element, "recipe")) == recipe


def test_the_recipe_for_english_is_that_of_the_system_of_2013() -> None:
    english = load_recipe(CONFIGS / "english.toml")
    recipe = load_recipe(CONFIGS / "georgetown.toml")
    assert recipe.canonical() == english.canonical()
    assert load_recipe(CONFIGS / "tokenizers.xml").canonical() == english.canonical()
    assert (recipe.fingerprint, recipe.matcher) == (PartSpec("bitvector"), PartSpec("cosine"))
    assert english.matcher is None


@BRISK
@given(words=st.lists(WORDS, min_size=1, max_size=5), end=st.sampled_from(["\n", "\r\n", "\n \n"]))
def test_stop_words_are_listed_or_lines_of_a_file(path: Path, words: list[str], end: str) -> None:
    recipe = listing(path, end.join(f" {word}\t" for word in words).encode("utf-8-sig"))
    expected = tuple(sorted({normalize("NFC", word) for word in words}))
    assert recipe.filters == (PartSpec.of("stop-words", words=expected),)
    written = stop_words(f"words = {json.dumps(words, ensure_ascii=False)}")
    assert loaded(path, written).canonical() == recipe.canonical()


KEYS = {
    "fingerprint": "fingerprints", "index": "indexes", "matcher": "matchers", "reader": "readers",
    "shingler": "shinglers", "unit": "units",
}  # fmt: skip
_NEEDS_OPTIONS = {"command", "segment"}
OTHERS = [
    (key, name) for key, kind in KEYS.items() for name in PARTS[kind] if name not in _NEEDS_OPTIONS
]


@BRISK
@given(pick=st.data())
def test_a_recipe_names_any_part_of_its_other_keys_which_is_settled(
    path: Path, pick: st.DataObject
) -> None:
    chain = [PartSpec("words"), PartSpec("porter")]
    key, name = pick.draw(st.sampled_from(OTHERS))
    spec = pick.draw(specs_of(name, KEYS[key]))
    for written in (toml_part(spec), *[json.dumps(name)] * (not spec.options)):
        recipe = loaded(path, f"{in_toml(chain)}{key} = {written}")
        parts: dict[str, Any] = {key: normalised(KEYS[key], spec)}
        assert recipe == replace(recipe_of(chain), **parts)
        # A dictionary is made by the chain, whatever is done with it.
        assert recipe.canonical() == recipe_of(chain).canonical()


def test_another_part_that_cannot_be_used_is_refused_by_its_name(path: Path) -> None:
    for key, known in dict(reversed(OTHERS)).items():
        for written, named in (
            ('"nothing"', f"{key} 'nothing'"),
            ("3", f"{key} is 3"),
            (f'{{name = "{known}", colour = "red"}}', f"{known}: there is no option 'colour'"),
        ):
            with pytest.raises(OptionError) as caught:
                loaded(path, f'tokenizer = "words"\n{key} = {written}')
            assert str(caught.value).startswith(f"{path}: ")
            assert named in str(caught.value)


def refused(path: Path, text: str | bytes) -> str:
    with pytest.raises((OptionError, FormatError)) as caught:
        loaded(path, text)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).isprintable()
    return str(caught.value)


@given(recipe=recipes(), pick=st.data())
def test_a_second_tokenizer_and_a_filter_in_the_first_place_are_refused(
    path: Path, recipe: RecipeSpec, pick: st.DataObject
) -> None:
    chain, place = recipe.chain(), pick.draw(st.integers(0, len(recipe.filters) + 1))
    part = pick.draw(specs("tokenizers" if place else "filters"))
    chain = (*chain[:place], part, *chain[place:])
    what = "a second tokenizer" if place else "a filter"
    for text in (in_toml(chain), in_xml(chain)):
        assert f"part {place + 1} ({part.name}) is {what}" in refused(path, text)


WORDS_AND = '<tokenizers><tokenizer name="words"/>%s</tokenizers>'
DTD = '<!DOCTYPE tokenizers [<!ENTITY a "words"><!ENTITY b "&a;&a;">]>'


def test_what_cannot_be_used_is_refused_by_what_is_wrong_in_it(path: Path) -> None:
    rows: list[tuple[str | bytes, str]] = [
        ("", "tokenizer is missing"), ('tokenizer = "words"\ncolour = "red"', "no key 'colour'"),
        ('tokenizer = "words"\nfilters = "porter"', "filters"),
        ('tokenizer = "words"\nfilters = ["porter", 3]', "filter 2 is 3"),
        ("tokenizer = 1979-05-27", "tokenizer is datetime.date(1979, 5, 27)"),
        ('tokenizer = "wrods"', "available: words"),
        ('tokenizer = "words"\nfilters = ["cosine"]', "'cosine'"),
        ('tokenizer = {name = "FileTokenizer", mode = "pages"}', "one of tokens, lines"),
        ('tokenizer = "words', "is not a recipe"),
        ('tokenizer = "words"\nfilters = [x]', "(at line 2, column 12)"),
        (b"\xff\xfewords", "is not a recipe"), ("<tokenizers/>", "<tokenizers>"),
        ("<other/>", "<tokenizers>"), ("<tokenizers>", "XML"),
        (WORDS_AND % "<filter name='porter'/>", "<filter>"),
        (WORDS_AND % "<tokenizer/>", "tokenizer 2 has no name"),
        (WORDS_AND % "<tokenizer name='porter'><x/></tokenizer>", "tokenizer 2 (porter)"),
        (DTD + WORDS_AND % "", "document type"),
        ("<!DOCTYPE tokenizers>" + WORDS_AND % "", "document type"),
        (DTD + WORDS_AND % "<tokenizer name='&b;'/>", "document type"),
        ('<!DOCTYPE t SYSTEM "file:///etc/passwd">' + WORDS_AND % "", "document type"),
        (WORDS_AND % "<tokenizer name='&a;'/>", "XML"),
        ('<?xml version="1.0" encoding="klingon"?>' + WORDS_AND % "", "XML"),
        ("<x>" * 100_000, "XML"), (WORDS_AND % ("<tokenizer name='porter'>" * 100_000), "XML"),
    ]  # fmt: skip
    for text, message in rows:
        assert message in refused(path, text), text[:60]


POWER = 'tokenizer = "words"\nmatcher = {name = "idf-cosine", power = %s}'
LONG = "a" * 3_000_000


def test_a_hostile_recipe_costs_one_short_line(path: Path) -> None:
    for text in (
        "tokenizer = " + "[" * 100_000, "tokenizer = " + "{a=" * 100_000,
        "tokenizer = " + "1" * 5_000, POWER % ("1" * 400), POWER % "nan", POWER % "-inf",
        f'tokenizer = "{LONG}"', f'tokenizer = ["{LONG}"]',
        f'tokenizer = {{name="words", "{LONG}"=1}}', f'tokenizer = "words"\n{LONG} = 1',
        f'tokenizer = "words"\nfilters = [{{name="min-length", length="{LONG}"}}]',
        *(WORDS_AND % f"<tokenizer {attribute.format('a' * 11_000_000)}/>"
          for attribute in ("name='{}'", "name='porter' x='{}'", "{}='1'")),
    ):  # fmt: skip
        assert len(refused(path, text)) < 2000, text[:40]


def test_a_file_of_stop_words_that_cannot_be_used_is_named(path: Path) -> None:
    for data in (b"", b" \n\n", b"caf\xe9"):
        with pytest.raises(UnreadableError, match=r"stop-words: .*list\.txt: "):
            listing(path, data)
    for name in ("missing", ".", "\\u0000", "x" * 300):
        with pytest.raises(SdtextError, match="stop-words") as caught:
            loaded(path, stop_words(f'file = "{name}"'))
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["/dev/zero", "../words.txt", "link.txt", "folder", "large.txt"])
def test_a_word_list_is_a_small_file_below_the_recipe_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "recipes"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "words.txt").write_text("the\n")
    (folder / "link.txt").symlink_to(tmp_path / "words.txt")
    (folder / "large.txt").write_text("the\n" * (1 << 19))
    recipe = folder / "recipe.toml"
    recipe.write_text(f'tokenizer = "words"\nfilters = [{{name = "stop-words", file = "{name}"}}]')
    with pytest.raises(OptionError):
        load_recipe(recipe)


def test_stop_words_behind_fold_are_folded() -> None:
    stop = PartSpec.of("stop-words", words=("إلى", "MASSE", "Maße"))
    plain, folded = (
        checked_recipe(RecipeSpec(PartSpec("words"), (*before, stop))).filters[-1]
        for before in ((), (PartSpec("fold"),))
    )
    assert dict(plain.options)["words"] == ("MASSE", "Maße", "إلى")
    assert dict(folded.options)["words"] == ("masse", "الي")
