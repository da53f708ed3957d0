"""The public names are the ones that `__all__` lists; each is explained, functions by example."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from inspect import getdoc, isclass, isfunction

import pytest

import sdtext

FUNCTIONS = [name for name in sdtext.__all__ if isfunction(getattr(sdtext, name))]
CLASSES = [name for name in sdtext.__all__ if isclass(getattr(sdtext, name))]


def in_order(names: Iterable[str]) -> list[str]:
    """Constants first, then by code points."""
    return sorted(names, key=lambda name: (not name.isupper(), name))


def test_the_names_are_sorted_and_there_once() -> None:
    assert sdtext.__all__ == in_order(set(sdtext.__all__))


@pytest.mark.parametrize("name", sdtext.__all__)
def test_a_public_name_can_be_imported(name: str) -> None:
    assert getattr(sdtext, name) is not None


def test_nothing_else_can_be_had() -> None:
    with pytest.raises(AttributeError, match="no attribute 'walk'"):
        _ = sdtext.walk


def test_what_is_loaded_lazily_is_what_is_listed() -> None:
    assert in_order([*sdtext._HOMES, "__version__"]) == sdtext.__all__


def test_dir_shows_the_public_names_before_they_are_loaded() -> None:
    code = "import sdtext; print(set(sdtext.__all__) - set(dir(sdtext)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS])
def test_a_public_name_is_explained(name: str) -> None:
    told = getattr(sdtext, name).__doc__
    assert told
    assert not told.startswith(f"{name}(")  # what a dataclass says that nobody explained


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_an_example(name: str) -> None:
    assert ">>> " in (getdoc(getattr(sdtext, name)) or "")
