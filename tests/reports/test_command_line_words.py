"""Messages of the library name arguments; the command line replaces them by options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import sdtext
from sdtext.reports import command_line_words
from sdtext.reports.command_line_words import for_command_line

LIBRARY = Path(sdtext.__file__).parent
OPTION = re.compile(r"(?<![\w'-])(--[a-z][a-z-]{2,}|-[a-zA-Z](?= ([A-Z]|[a-z]+(,|$)|and |names )))")
PROGRAMS = ("parts/readers/", "experiment/chosen_files.py", "reading/sandbox/")
"""Where other programs are started, or command lines are written for the user."""
ADVICE = "pack it without --sparse"  # of tar


def literals(path: Path) -> Iterator[str]:
    """The strings in a module that are no docstrings; formatted ones with … for the values."""
    tree = ast.parse(path.read_text("utf-8"))
    own = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values
            )
        elif isinstance(node, ast.Constant) and id(node) not in own | texts:
            yield str(node.value)


def library() -> Iterator[tuple[str, str]]:
    """Each module outside the command line, with its strings."""
    for path in sorted(LIBRARY.rglob("*.py")):
        name = path.relative_to(LIBRARY).as_posix()
        if not name.startswith(("cli/", "reports/")):
            yield name, "\n".join(literals(path))


MODULES = dict(library())


def test_messages_of_the_library_name_no_options() -> None:
    found = {
        name: options
        for name, strings in MODULES.items()
        if not name.startswith(PROGRAMS)
        and (options := [match[0] for match in OPTION.finditer(strings.replace(ADVICE, ""))])
    }
    assert not found


@pytest.mark.parametrize("words", command_line_words._REMEDIES)
def test_replaced_words_stand_in_the_library(words: str) -> None:
    wanted = re.escape(words).replace("recipes", "([a-z]+|…)")
    assert any(re.search(wanted, strings) for strings in MODULES.values())


@pytest.mark.parametrize("name", ["text", "id", "question", "answer"])
def test_fields_are_named_by_options(name: str) -> None:
    message = f"has no field 'x' (it has y); name one as {name}_field"
    assert for_command_line(message).endswith(f"name one with --{name}-field")
