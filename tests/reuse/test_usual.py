"""The recipes that are taken where none is named are those that are shipped."""

from __future__ import annotations

import pytest

from sdtext import load_recipe
from sdtext.reuse.usual import usual
from tests.cli.command import CONFIGS


@pytest.mark.parametrize(("method", "name"), [("windows", "reuse"), ("sentences", "evidence")])
def test_a_usual_recipe_is_the_one_in_configs(method: str, name: str) -> None:
    assert usual(method) == load_recipe(CONFIGS / f"{name}.toml")
