"""Options of a search for text reuse, and the recipes that answer it."""

from typing import Any

import pytest

from sdtext import Document, OptionError, find_reuse, load_recipe
from sdtext.reuse.choose_finder import recipe_and_finder
from tests.support.command import CONFIGS

BEES = Document.of("The bees dance in the hive.", "bees")


@pytest.mark.parametrize(
    ("option", "given"),
    [("w", 0), ("w", -1), ("distance", -1), ("min_passage", 0), ("unit", "page"), ("method", "x")],
)
def test_an_option_out_of_range_is_named(option: str, given: Any) -> None:
    with pytest.raises(OptionError, match=rf"find_reuse: {option} is "):
        find_reuse(BEES, BEES, **{option: given})


@pytest.mark.parametrize(("method", "name"), [("windows", "reuse"), ("sentences", "evidence")])
def test_the_recipe_of_a_method_is_the_one_in_configs(method: str, name: str) -> None:
    assert recipe_and_finder(method=method)[0] == load_recipe(CONFIGS / f"{name}.toml")


@pytest.mark.parametrize("name", ["reuse", "evidence"])
def test_a_question_takes_a_recipe_its_name_or_its_file(name: str) -> None:
    path = CONFIGS / f"{name}.toml"
    answers = [recipe_and_finder(recipe=given) for given in (load_recipe(path), name, path)]
    assert [recipe for recipe, _ in answers] == [load_recipe(path)] * 3
    assert len({repr(finder) for _, finder in answers}) == 1
