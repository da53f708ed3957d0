"""The schema describes exactly the columns that are stored; recipes as JSON are read back."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import CODE_COLUMNS, PLACE_COLUMNS, columns_of
from sdtext.collections.storage.arrays import ArrayKind
from sdtext.collections.storage.collection_meta import recipe_as_json, recipe_from_json
from sdtext.errors import FormatError
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec, RecipeSpec
from sdtext.reading.records.record import InputDocument
from tests.support.strategies import BRISK, recipes, specs

CHAIN = RecipeSpec(PartSpec("unicode"), (PartSpec("lowercase"),))
SHINGLED = replace(CHAIN, shingler=PartSpec.of("words", length=2))
MINHASH = replace(SHINGLED, fingerprint=PartSpec.of("minhash", slots=32))
BBIT = replace(SHINGLED, fingerprint=PartSpec.of("bbit", slots=128))
PLACED = replace(CHAIN, aligner=PartSpec("windows"))
CODED = replace(BBIT, unit=PartSpec.of("sentence", length=60))
RECIPES = {
    "chain": CHAIN,
    "shingles": replace(SHINGLED, fingerprint=PartSpec("shingles")),
    "minhash": MINHASH,
    "bbit": BBIT,
    "placed": PLACED,
    "placed minhash": replace(MINHASH, aligner=PartSpec("windows")),
    "coded": CODED,
}
TEXTS = ["The bees of the hive swarm in May, and the queen leaves with them.", "", "One word"]
ITEMS = [InputDocument("", f"{place}", text=text) for place, text in enumerate(TEXTS)]


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("tokens", [True, False])
@pytest.mark.parametrize("texts", [True, False])
def test_built_arrays_are_the_columns_of_the_schema(
    tmp_path: Path, name: str, tokens: bool, texts: bool
) -> None:
    (tmp_path / "a.txt").write_text(TEXTS[0], "utf-8")
    dictionaries = (create_dictionary(tmp_path, CHAIN),)
    builder = RowBuilder(RECIPES[name], dictionaries, tokens=tokens, texts=texts)
    rows = builder(ITEMS, []).rows
    assert rows is not None
    columns = [*columns_of(builder)]
    assert [*rows.arrays] == [column.name for column in columns]
    for column in columns:
        array = rows.arrays[column.name]
        kind = ArrayKind.of(array)
        assert (kind.dtype, kind.ragged) == (column.dtype, column.ragged)
        assert len(kind.shape) == column.axes
        assert isinstance(array, Ragged) is column.ragged


def test_columns_come_in_the_order_of_the_format() -> None:
    names = [column.name for column in columns_of(RowBuilder(CODED, texts=True))]
    assert names == [*PLACE_COLUMNS, *CODE_COLUMNS, "text"]
    names = [column.name for column in columns_of(RowBuilder(MINHASH))]
    assert names == ["tokens", "words", "shingles", "sketches"]


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
