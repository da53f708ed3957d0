"""Default recipes equal those in configs/."""

from __future__ import annotations

import pytest

from sdtext import ReuseQuestion, load_recipe
from sdtext.reuse.reuse_plan import default_recipe, plan_reuse
from tests.cli.command import CONFIGS


@pytest.mark.parametrize(("method", "name"), [("windows", "reuse"), ("sentences", "evidence")])
def test_a_default_recipe_equals_the_one_in_configs(method: str, name: str) -> None:
    assert default_recipe(method) == load_recipe(CONFIGS / f"{name}.toml")


@pytest.mark.parametrize("name", ["reuse", "evidence"])
def test_a_question_takes_a_recipe_its_name_or_its_file(name: str) -> None:
    path = CONFIGS / f"{name}.toml"
    plans = [plan_reuse(ReuseQuestion(recipe=given)) for given in (load_recipe(path), name, path)]
    assert [plan.recipe for plan in plans] == [load_recipe(path)] * 3
    assert len({repr(plan.finder) for plan in plans}) == 1
