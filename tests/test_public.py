"""The public names are the ones that `__all__` lists; each is explained, functions by example."""

from __future__ import annotations

import subprocess
import sys
from inspect import getdoc, isfunction

import pytest

import sdtext

NAMES = [name for name in sdtext.__all__ if name != "__version__"]


def test_the_names_are_sorted_and_there_once() -> None:
    assert sdtext.__all__ == sorted(set(sdtext.__all__))


@pytest.mark.parametrize("name", sdtext.__all__)
def test_a_public_name_can_be_imported(name: str) -> None:
    assert getattr(sdtext, name) is not None


def test_nothing_else_can_be_had() -> None:
    with pytest.raises(AttributeError, match="no attribute 'walk'"):
        _ = sdtext.walk


def test_what_is_loaded_lazily_is_what_is_listed() -> None:
    assert sorted([*sdtext._HOMES, "__version__"]) == sdtext.__all__


def test_dir_shows_the_public_names_before_they_are_loaded() -> None:
    code = "import sdtext; print(set(sdtext.__all__) - set(dir(sdtext)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_explained(name: str) -> None:
    item = getattr(sdtext, name)
    assert getdoc(item)
    assert item.__doc__ != getattr(type(item), "__doc__", None)


@pytest.mark.parametrize("name", [name for name in NAMES if isfunction(getattr(sdtext, name))])
def test_a_public_function_has_an_example(name: str) -> None:
    assert ">>> " in (getdoc(getattr(sdtext, name)) or "")
