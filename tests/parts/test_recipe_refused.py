"""Recipes that cannot be used: one line says which part, what was given and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import FormatError, OptionError, SdtextError, UnreadableError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.load_recipe import load_recipe
from tests.support.recipe_texts import in_toml, in_xml, listing, loaded, stop_words
from tests.support.strategies import BRISK, THOROUGH, recipes, specs


def refused(path: Path, text: str | bytes) -> str:
    """What is said of a recipe that cannot be used: one line that begins with the file."""
    with pytest.raises((OptionError, FormatError)) as caught:
        loaded(path, text)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).isprintable()
    return str(caught.value)


@THOROUGH
@given(recipe=recipes(), second=specs("tokenizers"), pick=st.data())
def test_a_second_tokenizer_is_refused_by_its_position(
    path: Path, recipe: RecipeSpec, second: PartSpec, pick: st.DataObject
) -> None:
    place = pick.draw(st.integers(1, len(recipe.filters) + 1))
    chain = [*recipe.chain()[:place], second, *recipe.chain()[place:]]
    for text in (in_toml(chain), in_xml(chain)):
        output = refused(path, text)
        assert f"part {place + 1} ({second.name}) is a second tokenizer" in output


@BRISK
@given(recipe=recipes(), first=specs("filters"))
def test_a_filter_in_the_first_place_is_refused(
    path: Path, recipe: RecipeSpec, first: PartSpec
) -> None:
    chain = [first, *recipe.chain()]
    output = f"part 1 ({first.name}) is a filter; the first must be a tokenizer"
    assert output in refused(path, in_toml(chain))
    assert output in refused(path, in_xml(chain))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "key tokenizer is missing"),
        ('tokenizer = "words"\ncolour = "red"', "a recipe has no key 'colour'; its keys are"),
        ('tokenizer = "words"\nfilters = "porter"', "it must be a list of filters"),
        ('tokenizer = "words"\nfilters = ["porter", 3]', "filter 2 is 3; it must be a name"),
        ("tokenizer = 1979-05-27", "tokenizer is datetime.date(1979, 5, 27); it must be a name"),
        ('tokenizer = "wrods"', "available: words"),
        ('tokenizer = "words"\nfilters = ["cosine"]', "there is no tokenizer or filter 'cosine'"),
        ('tokenizer = {name = "FileTokenizer", mode = "pages"}', "one of tokens, lines"),
        ('tokenizer = "words', "is not a recipe"),
        ('tokenizer = "words"\nfilters = [x]', "(at line 2, column 12)"),
        (b"\xff\xfewords", "is not a recipe"),
    ],
)
def test_a_recipe_in_toml_that_cannot_be_used_is_refused_with_the_reason(
    path: Path, text: str | bytes, message: str
) -> None:
    assert message in refused(path, text)


POWER = 'tokenizer = "words"\nmatcher = {name = "idf-cosine", power = %s}'


@pytest.mark.parametrize(
    "text",
    [
        "tokenizer = " + "[" * 100_000,
        "tokenizer = " + "{a=" * 100_000,
        "tokenizer = " + "1" * 5_000,
        POWER % ("1" * 400),
        POWER % "nan",
        POWER % "-inf",
        'tokenizer = "' + "a" * 3_000_000 + '"',
        'tokenizer = ["' + "a" * 3_000_000 + '"]',
        'tokenizer = {name="words", "' + "a" * 3_000_000 + '"=1}',
        'tokenizer = "words"\n' + "a" * 3_000_000 + " = 1",
        'tokenizer = "words"\nfilters = [{name="min-length", length="' + "a" * 3_000_000 + '"}]',
    ],
    ids=lambda text: text[:20] + "…" + text[-20:],
)
def test_a_hostile_recipe_in_toml_costs_one_short_line(path: Path, text: str) -> None:
    assert len(refused(path, text)) < 2000


WORDS_AND = '<tokenizers><tokenizer name="words"/>%s</tokenizers>'
DTD = '<!DOCTYPE tokenizers [<!ENTITY a "words"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<tokenizers/>", "<tokenizers> is empty"),
        ("<other/>", "has no <tokenizers>"),
        ("<tokenizers>", "is damaged or is not XML"),
        (WORDS_AND % "<filter name='porter'/>", "<tokenizers> holds <filter>"),
        (WORDS_AND % "<tokenizer/>", "tokenizer 2 has no name"),
        (WORDS_AND % "<tokenizer name='porter'><x/></tokenizer>", "tokenizer 2 (porter): options"),
        (DTD + WORDS_AND % "", "has a document type"),
        (DTD + WORDS_AND % "<tokenizer name='&b;'/>", "has a document type"),
        ('<!DOCTYPE t SYSTEM "file:///etc/passwd">' + WORDS_AND % "", "has a document type"),
        (WORDS_AND % "<tokenizer name='&a;'/>", "is damaged or is not XML"),
        ('<?xml version="1.0" encoding="klingon"?>' + WORDS_AND % "", "is damaged or is not XML"),
        ("<x>" * 100_000, "is damaged or is not XML"),
        (WORDS_AND % ("<tokenizer name='porter'>" * 100_000), "is damaged or is not XML"),
    ],
    ids=lambda text: text[:60],
)
def test_a_recipe_in_xml_that_cannot_be_used_is_refused_with_the_reason(
    path: Path, text: str, message: str
) -> None:
    assert message in refused(path, text)


@pytest.mark.parametrize("attribute", ["name='{}'", "name='porter' x='{}'", "{}='1'"])
def test_an_attribute_of_30_megabytes_costs_one_short_line(path: Path, attribute: str) -> None:
    text = WORDS_AND % f"<tokenizer {attribute.format('a' * 30_000_000)}/>"
    assert len(refused(path, text)) < 2000


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "holds no words"), (b" \n\n", "holds no words"), (b"caf\xe9", "is not UTF-8")],
)
def test_a_file_without_words_is_refused_by_its_name(path: Path, data: bytes, message: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        listing(path, data)
    assert str(caught.value) == f"stop-words: {path.parent / 'list.txt'}: {message}"


@pytest.mark.parametrize("name", ["missing", ".", "\\u0000", "x" * 300])
def test_a_file_of_stop_words_that_cannot_be_read_is_named(path: Path, name: str) -> None:
    with pytest.raises(SdtextError) as caught:
        loaded(path, stop_words(f'file = "{name}"'))
    assert "stop-words" in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_recipe_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no such file or directory"):
        load_recipe(tmp_path / "missing.toml")
