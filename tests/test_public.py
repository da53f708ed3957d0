"""The public names are the ones that `__all__` lists; each is explained, functions by example."""

import ast
import subprocess
import sys
from inspect import getdoc, isclass, isfunction
from pathlib import Path

import pytest

import sdtext

FUNCTIONS = [name for name in sdtext.__all__ if isfunction(getattr(sdtext, name))]
CLASSES = [name for name in sdtext.__all__ if isclass(getattr(sdtext, name))]


def test_the_public_names_are_those_of_the_stub() -> None:
    stub = ast.parse(Path(sdtext.__file__).with_suffix(".pyi").read_text("utf-8"))
    listed = next(node.value for node in stub.body if isinstance(node, ast.Assign))
    assert sorted(ast.literal_eval(listed)) == sorted(sdtext.__all__)
    assert len(sdtext.__all__) == len(set(sdtext.__all__))


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="walk"):
        getattr(sdtext, "walk")  # noqa: B009 (mypy knows that it is not there)


def test_dir_shows_the_public_names_before_they_are_loaded() -> None:
    code = "import sdtext; print(set(sdtext.__all__) - set(dir(sdtext)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS])
def test_a_public_name_is_explained(name: str) -> None:
    reported = getattr(sdtext, name).__doc__
    assert reported
    assert not reported.startswith(f"{name}(")  # what a dataclass says that nobody explained


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_an_example(name: str) -> None:
    assert ">>> " in (getdoc(getattr(sdtext, name)) or "")
