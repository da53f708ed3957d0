"""What a verb does, a public function or method does, with the same options."""

from __future__ import annotations

import re
from inspect import getdoc
from pathlib import Path
from typing import Any

import click
import pytest

import sdtext
from sdtext.cli.main import VERBS
from sdtext.cli.main import sdtext as command_line
from sdtext.deduplication.python_api import DeduplicationOptions
from sdtext.reuse.python_api import SearchOptions

PAGE = Path(__file__).parent.parent / "docs" / "python.md"
_ROW = re.compile(r"^\| (\w+) \| (.*) \|$", re.MULTILINE)
TABLE = dict(_ROW.findall(PAGE.read_text("utf-8").split("## Six recipes")[0]))
del TABLE["verb"]

_RENAMED = {"minimum": "similarity", "config": "recipe"}
_OF_FILES = {"named", "bare", "path", "other", "inputs", "include", "exclude", "all_files"}
_OF_READING = {"encoding", "pdf_engine", "max_bytes", "max_seconds", "max_memory", "ocr", "hidden"}
_OF_OUTPUT = {
    "form",
    "fail_if_empty",
    "kept",
    "removed",
    "clusters",
    "dry_run",
    "force",
    "quiet",
    "html_path",
}
_OF_RUN = {"jobs", "verify", "skip_damaged", "extractor", "files_from", "verbose", "explain"}
_OTHER = _OF_FILES | _OF_READING | _OF_OUTPUT | _OF_RUN


def public(name: str) -> Any:
    """The public function, class or method of that name."""
    first, *rest = name.split(".")
    assert first in sdtext.__all__, name
    value = getattr(sdtext, first)
    for part in rest:
        value = getattr(value, part)
    return value


def test_each_verb_has_a_row() -> None:
    assert sorted(TABLE) == sorted(verb for rows in VERBS.values() for verb in rows)


@pytest.mark.parametrize("verb", TABLE)
def test_a_row_names_public_functions_that_are_explained(verb: str) -> None:
    names = re.findall("`([^`]+)`", TABLE[verb])
    assert names
    for name in names:
        assert getdoc(public(name)), name


@pytest.mark.parametrize(
    ("verb", "options", "others"),
    [
        ("FindPairs", SearchOptions, set()),
        ("FindSimilar", SearchOptions, {"text_field", "id_field"}),
        ("Deduplicate", DeduplicationOptions, {"run"}),
    ],
)
def test_options_are_those_of_the_verb(verb: str, options: Any, others: set[str]) -> None:
    command = command_line.get_command(click.Context(command_line), verb)
    assert command
    names = {_RENAMED.get(str(option.name), str(option.name)) for option in command.params}
    assert names - _OTHER | {"run"} & others == options.__annotations__.keys() | others
    doc = getdoc(options) or ""
    assert all(f"`{name}`" in doc for name in options.__annotations__)
