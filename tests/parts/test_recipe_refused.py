"""Recipes that cannot be used: one line says which part and what was given."""

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


WORDS_AND = '<tokenizers><tokenizer name="words"/>%s</tokenizers>'
DTD = '<!DOCTYPE tokenizers [<!ENTITY a "words"><!ENTITY b "&a;&a;">]>'


def test_what_cannot_be_used_is_refused_by_what_is_wrong_in_it(path: Path) -> None:
    rows: list[tuple[str | bytes, str]] = [
        ("", "tokenizer is missing"),
        ('tokenizer = "words"\ncolour = "red"', "no key 'colour'"),
        ('tokenizer = "words"\nfilters = "porter"', "filters"),
        ('tokenizer = "words"\nfilters = ["porter", 3]', "filter 2 is 3"),
        ("tokenizer = 1979-05-27", "tokenizer is datetime.date(1979, 5, 27)"),
        ('tokenizer = "wrods"', "available: words"),
        ('tokenizer = "words"\nfilters = ["cosine"]', "'cosine'"),
        ('tokenizer = {name = "FileTokenizer", mode = "pages"}', "one of tokens, lines"),
        ('tokenizer = "words', "is not a recipe"),
        ('tokenizer = "words"\nfilters = [x]', "(at line 2, column 12)"),
        (b"\xff\xfewords", "is not a recipe"),
        ("<tokenizers/>", "<tokenizers>"),
        ("<other/>", "<tokenizers>"),
        ("<tokenizers>", "XML"),
        (WORDS_AND % "<filter name='porter'/>", "<filter>"),
        (WORDS_AND % "<tokenizer/>", "tokenizer 2 has no name"),
        (WORDS_AND % "<tokenizer name='porter'><x/></tokenizer>", "tokenizer 2 (porter)"),
        (DTD + WORDS_AND % "", "document type"),
        (DTD + WORDS_AND % "<tokenizer name='&b;'/>", "document type"),
        ('<!DOCTYPE t SYSTEM "file:///etc/passwd">' + WORDS_AND % "", "document type"),
        (WORDS_AND % "<tokenizer name='&a;'/>", "XML"),
        ('<?xml version="1.0" encoding="klingon"?>' + WORDS_AND % "", "XML"),
        ("<x>" * 100_000, "XML"),
        (WORDS_AND % ("<tokenizer name='porter'>" * 100_000), "XML"),
    ]
    for text, message in rows:
        assert message in refused(path, text), text[:60]


POWER = 'tokenizer = "words"\nmatcher = {name = "idf-cosine", power = %s}'
LONG = "a" * 3_000_000


def test_a_hostile_recipe_costs_one_short_line(path: Path) -> None:
    for text in (
        "tokenizer = " + "[" * 100_000,
        "tokenizer = " + "{a=" * 100_000,
        "tokenizer = " + "1" * 5_000,
        POWER % ("1" * 400),
        POWER % "nan",
        POWER % "-inf",
        f'tokenizer = "{LONG}"',
        f'tokenizer = ["{LONG}"]',
        f'tokenizer = {{name="words", "{LONG}"=1}}',
        f'tokenizer = "words"\n{LONG} = 1',
        f'tokenizer = "words"\nfilters = [{{name="min-length", length="{LONG}"}}]',
        *(
            WORDS_AND % f"<tokenizer {attribute.format('a' * 30_000_000)}/>"
            for attribute in ("name='{}'", "name='porter' x='{}'", "{}='1'")
        ),
    ):
        assert len(refused(path, text)) < 2000, text[:40]


def test_a_file_of_stop_words_that_cannot_be_used_is_named(path: Path) -> None:
    for data in (b"", b" \n\n", b"caf\xe9"):
        with pytest.raises(UnreadableError, match=r"stop-words: .*list\.txt: "):
            listing(path, data)
    for name in ("missing", ".", "\\u0000", "x" * 300):
        with pytest.raises(SdtextError, match="stop-words") as caught:
            loaded(path, stop_words(f'file = "{name}"'))
        assert str(caught.value).isprintable()


def test_a_recipe_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no such file or directory"):
        load_recipe(tmp_path / "missing.toml")
