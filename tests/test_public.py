"""Public names: explained, with examples, and a function for each verb with the same options."""

import ast
import re
from collections.abc import Mapping
from inspect import getdoc, isclass, isfunction, ismethod, signature
from pathlib import Path
from typing import Any

import click
import pytest

import sdtext
from sdtext.cli.main import exit_code
from sdtext.errors import SdtextError
from tests.support.commands import VERB_NAMES, command_of

PAGE = Path(__file__).parents[1] / "docs" / "python.md"
TEXT = PAGE.read_text("utf-8").split("## The function for each verb")[1]
TABLE = dict(re.findall(r"^\| (\w+) \| (.*) \|$", TEXT.split("\nOptions have")[0], re.MULTILINE))
del TABLE["verb"]


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


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS])
def test_a_public_name_is_explained(name: str) -> None:
    reported = getattr(sdtext, name).__doc__
    assert reported
    assert not reported.startswith(f"{name}(")  # what a dataclass says that nobody explained


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_an_example(name: str) -> None:
    assert ">>> " in (getdoc(getattr(sdtext, name)) or "")


def options_in(text: str) -> set[str]:
    """The options that a text of the page names, as they are called in Python."""
    names = (name.replace("-", "_") for name in re.findall(r"`--([a-z-]+)", text))
    return {RENAMED.get(name, name) for name in names}


RENAMED: Mapping[str, str] = {
    old.replace("-", "_"): new
    for old, new in re.findall(r"^\| `--([a-z-]+)[^`]*` \| `(\w+)=\S+` \|$", TEXT, re.MULTILINE)
}
"""Options of verbs with another name in Python; a similarity is a number from 0 to 1 there."""
ELSEWHERE_ROWS: list[tuple[list[str], str, str]] = [
    (verbs.split(", "), options, names)
    for verbs, options, names in re.findall(
        r"^\| ([\w, ]+) \| (`--.*`) \| (.*) \|$", TEXT, re.MULTILINE
    )
]
"""Verbs, options that are no parameter of their functions, and what stands in place of these."""
_OF_RUN, _OF_READING = (
    set().union(*(options_in(options) for _, options, names in ELSEWHERE_ROWS if what in names))
    for what in ("`Run(jobs", "`Reading(enc")
)
_INPUTS, _PRINTED = (
    options_in(next(part for part in TEXT.split("\n\n") if part.startswith(beginning)))
    for beginning in ("What is read is", "Results are values")
)
"""Options that name what Python takes as the first arguments; about printing and writing."""
_OF_ALL = {"quiet", "verbose"}
_COMMON = {"all with it", "all with them"}


def public(name: str) -> Any:
    first, *rest = name.split(".")
    assert first in sdtext.__all__, name
    value = getattr(sdtext, first)
    for part in rest:
        value = getattr(value, "__dataclass_fields__", {}).get(part) or getattr(value, part)
    return value


def test_each_verb_has_a_row() -> None:
    assert {*TABLE} == {*VERB_NAMES} - {"Serve"}  # a program for people


@pytest.mark.parametrize("verb", TABLE)
def test_a_row_names_public_functions_that_are_explained(verb: str) -> None:
    names = re.findall("`([^`]+)`", TABLE[verb])
    assert names
    for name in names:
        assert getdoc(public(name)), name


def options_of(verb: str) -> set[str]:
    options = [option for option in command_of(verb).params if isinstance(option, click.Option)]
    names = (max(option.opts, key=len).lstrip("-").replace("-", "_") for option in options)
    return {RENAMED.get(name, name) for name in names}


def parameters_of(verb: str) -> set[str]:
    names: set[str] = set()
    for function in map(public, re.findall("`([^`]+)`", TABLE[verb])):
        if not isfunction(function) and not ismethod(function):
            continue
        names |= signature(function).parameters.keys()
    return names - {"self"}


def elsewhere(verb: str) -> set[str]:
    """The options that the page says are elsewhere for a verb."""
    return set().union(*(options_in(row) for verbs, row, _ in ELSEWHERE_ROWS if verb in verbs))


@pytest.mark.parametrize("verb", TABLE)
def test_options_are_those_of_the_verb(verb: str) -> None:
    options, parameters = options_of(verb), parameters_of(verb)
    if "jobs" in options:
        assert "run" in parameters
    if "encoding" in options:
        assert parameters & {"run", "reading"}
    options -= _OF_RUN | _OF_READING - parameters
    assert options - parameters - _PRINTED - _INPUTS - _OF_ALL == elsewhere(verb)


def test_the_page_names_where_each_option_is() -> None:
    for _, _, text in ELSEWHERE_ROWS:  # such as `Run(jobs=…)`
        assert all(map(public, re.findall(r"`([A-Za-z_.]+)(?=[`(])", text)))
    named = {verb for verbs, _, _ in ELSEWHERE_ROWS for verb in verbs}
    assert named - TABLE.keys() == _COMMON
    assert all(names for _, _, names in ELSEWHERE_ROWS)
    every = set().union(*map(options_of, TABLE))
    assert {*RENAMED.values(), *_OF_RUN, *_OF_READING, *_INPUTS, *_PRINTED} <= every
    assert (len(RENAMED), _OF_RUN) == (3, {"jobs"})


def test_the_page_lists_the_errors_with_their_exit_codes() -> None:
    rows = re.findall(r"^\| `(\w+Error)` \| .+ \| (\d?) ?\|$", TEXT, re.MULTILINE)
    classes = [public(name) for name in sdtext.__all__ if name.endswith("Error")]
    codes = {kind.__name__: str(exit_code(kind())) for kind in classes if kind is not SdtextError}
    assert dict(rows) == {"SdtextError": "", **codes}
    assert len(rows) == len(classes) == 7
