"""Whole recipes as JSON: written and read back, and refused where they are something else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.storage.collection_meta import recipe_as_json, recipe_from_json
from sdtext.errors import FormatError
from sdtext.model import PartSpec, RecipeSpec
from tests.support.strategies import BRISK, recipes, specs

SOME = st.none() | specs("units")


@BRISK
@given(recipes(), SOME, st.none() | specs("matchers"), st.none() | specs("readers"))
def test_what_is_written_is_read(
    recipe: RecipeSpec, unit: PartSpec | None, matcher: PartSpec | None, reader: PartSpec | None
) -> None:
    whole = replace(recipe, unit=unit, matcher=matcher, reader=reader)
    assert recipe_from_json(recipe_as_json(whole), "x") == replace(whole, reader=None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"tokenizer": ["words", {}]}',
        '{"tokenizer": "words", "filters": []}',
        '{"tokenizer": ["words", {}], "filters": [["lowercase"]]}',
        '{"tokenizer": ["words", {}], "filters": {}, "unit": ["page", {"a": {}}]}',
        '{"tokenizer": ["words", {"a": [1]}], "filters": []}',
        '{"tokenizer": ["words", {"a": null}], "filters": []}',
        "[" * 100_000,
    ],
)
def test_what_is_no_recipe_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"^x\.sdx: is damaged: its recipe cannot be read$"):
        recipe_from_json(text, "x.sdx")
