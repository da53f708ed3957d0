"""Verbs, hostile texts for a terminal, records by their schemas, files of Fingerprint."""

import json
import re
from pathlib import Path
from typing import Any

import click
from jsonschema import Draft202012Validator

from sdtext.cli.main import VERBS
from sdtext.cli.main import sdtext as group
from tests.cli.conftest import Shelf
from tests.support.command import (
    ROOT,
    Argument,
    check_refused,
    check_usage,
    done,
    here,
    schema_errors,
)

EVIL = "a\x1b]0;owned\x07\x9b31m\x7f\u202e\u2066\u200f\u2028\x85\r\nfake: line\x1b[2J"
"""A title is set, colour begins, text is reversed, lines are faked, the screen is cleared."""
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


FOLDER = ROOT / "docs" / "schemas"
SCHEMAS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def check(record: dict[str, Any]) -> str:
    """The name of the schema that a record names; it has no error by it."""
    name = record["schema"].removeprefix("sdtext/").replace("/", "-")
    errors = Draft202012Validator(SCHEMAS[name]).iter_errors(record)
    assert [f"{error.json_path}: {error.message}"[:300] for error in errors] == []
    return str(name)


VERB_NAMES = [verb for rows in VERBS.values() for verb in rows]


def command_of(verb: str) -> click.Command:
    result = group.get_command(click.Context(group), verb)
    assert result is not None
    return result


def fingerprint_file(shelf: Shelf, *arguments: Argument, output: str = "f.xml") -> Path:
    done("Fingerprint", "-i", shelf.document, "-d", shelf.trimmed, "-o", output, *arguments)
    assert schema_errors(output) == ""
    return Path(output)


def refusal(shelf: Shelf, *arguments: Argument, named: tuple[str, ...]) -> None:
    """The command is refused in one line (or in the usual lines on usage), and writes nothing."""
    line = ("Fingerprint", "-i", shelf.document, "-d", shelf.trimmed, "-o", "f.xml")
    outcome = here(*line, *arguments)
    if "Usage:" in outcome.err:
        check_usage(outcome, *named)
    else:
        check_refused(outcome, 2, *named)
    assert not Path("f.xml").exists()
