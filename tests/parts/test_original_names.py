"""The sources of the original sdtext that stand for whole chains."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.parts.load_recipe import load_recipe, recipe_of

CONFIGS = Path(__file__).parents[2] / "configs"
CHAINS = [
    (PartSpec("ArabicFileTokenizer"), "arabic"),
    (PartSpec("ChineseFileTokenizer"), "chinese"),
    (PartSpec.of("ChineseFileTokenizer", mode="individual"), "chinese"),
    (PartSpec.of("ChineseFileTokenizer", mode="smart"), "chinese-words"),
]


@pytest.mark.parametrize(("source", "name"), CHAINS)
def test_a_source_alone_is_the_recipe_that_ships(source: PartSpec, name: str) -> None:
    shipped = load_recipe(CONFIGS / f"{name}.toml")
    assert recipe_of([source]) == shipped
    assert recipe_of(shipped.chain()) == shipped


@pytest.mark.parametrize(("source", "name"), CHAINS)
def test_filters_listed_after_it_come_after_its_chain(source: PartSpec, name: str) -> None:
    shipped = load_recipe(CONFIGS / f"{name}.toml")
    longer = recipe_of([source, PartSpec.of("MinimumLengthTokenizer", length=2)])
    assert longer.chain() == (*shipped.chain(), PartSpec.of("min-length", length=2))


def test_it_is_understood_in_both_forms_of_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "recipe"
    path.write_text(
        "<tokenizers><tokenizer name='ChineseFileTokenizer'>"
        "<parameter name='mode'>smart</parameter></tokenizer></tokenizers>",
        "utf-8",
    )
    in_xml = load_recipe(path)
    path.write_text('tokenizer = { name = "ChineseFileTokenizer", mode = "smart" }', "utf-8")
    assert load_recipe(path) == in_xml == load_recipe(CONFIGS / "chinese-words.toml")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (PartSpec.of("ChineseFileTokenizer", mode="clever"), "must be one of individual, smart"),
        (PartSpec.of("ChineseFileTokenizer", mode=3), "must be one of individual, smart"),
        (PartSpec.of("ChineseFileTokenizer", size=3), "no option 'size'; it takes mode"),
        (PartSpec.of("ArabicFileTokenizer", mode="smart"), "no option 'mode'; it takes none"),
    ],
)
def test_what_it_does_not_take_is_refused(source: PartSpec, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        recipe_of([source])
