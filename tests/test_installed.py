"""What is installed: a wheel has the recipes and dictionaries that stand beside the package."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from shutil import copytree, ignore_patterns
from zipfile import ZipFile

import pytest

from sdtext.cli.man_pages import man_pages
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES, RECIPES
from tests.support.command import ROOT, run_python

_ELSEWHERE = """
import sdtext
from sdtext.cli.man_pages import man_pages
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
print(sdtext.__file__)
print(*(recipe.name for recipe in sdtext.list_recipes()))
print(*DICTIONARIES.names())
print(sdtext.load_recipe("near-duplicate-nltk").canonical() != "", sdtext.load("english").name)
"""


@pytest.mark.deep
def test_a_wheel_has_every_recipe_and_dictionary(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    left_out = ignore_patterns(".*", "build", "*.egg-info", "tests", "__pycache__")
    copytree(ROOT, sources, ignore=left_out)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path)]
    subprocess.run([*pip, str(sources)], check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    ZipFile(wheel).extractall(tmp_path / "installed")
    done = run_python(_ELSEWHERE, cwd=tmp_path, PYTHONPATH=str(tmp_path / "installed"))
    place, recipes, dictionaries, loaded = done.stdout.splitlines()
    assert place == str(tmp_path / "installed" / "sdtext" / "__init__.py")
    assert recipes.split() == RECIPES.names()
    assert dictionaries.split() == DICTIONARIES.names()
    assert loaded == "True english"
    pages = {path.name for path in (tmp_path / "installed").glob("*.data/data/share/man/man1/*")}
    assert pages == set(man_pages())
    assert list((tmp_path / "installed" / "sdtext" / "kernels" / "csrc").glob("kernels-*"))


def test_a_compiler_is_asked_for_only_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = import_module("build_backend")
    assert not backend._compiler_package()
    for name in ("SYSTEM", "ZIG"):
        monkeypatch.setattr(backend, name, ["/nowhere/cc"])
    assert backend._compiler_package()
    backend.build_library(tmp_path)  # neither works
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(backend, "IS_PLAIN", True)
    assert not backend._compiler_package()
