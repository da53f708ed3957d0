"""Default recipes equal those in configs/."""

from __future__ import annotations

import pytest

from sdtext import load_recipe
from sdtext.reuse.reuse_plan import default_recipe
from tests.cli.command import CONFIGS


@pytest.mark.parametrize(("method", "name"), [("windows", "reuse"), ("sentences", "evidence")])
def test_a_default_recipe_equals_the_one_in_configs(method: str, name: str) -> None:
    assert default_recipe(method) == load_recipe(CONFIGS / f"{name}.toml")
