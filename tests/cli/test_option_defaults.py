"""Defaults of options in a configuration file and in environment variables."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from sdtext.cli.main import VERBS, sdtext
from sdtext.cli.option_defaults import options_with_defaults, variables

from .command import check_refused, done, here
from .conftest import Shelf


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of the configuration file of these tests."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    path = tmp_path / "home" / "sdtext" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def first_line(shelf: Shelf, *options: str) -> str:
    return done("ShowDictionaryTokens", "-d", shelf.trimmed, *options).text.split("\n")[0]


def test_the_command_line_comes_before_the_environment_and_that_before_the_file(
    shelf: Shelf, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\t" in first_line(shelf)
    config.write_text('format = "csv"\njobs = 2\n')
    assert "," in first_line(shelf)
    config.write_text('format = "csv"\n[show-dictionary-tokens]\nformat = "jsonl"\nlimit = 1\n')
    assert first_line(shelf).startswith('{"')
    monkeypatch.setenv("SDTEXT_FORMAT", "csv")
    assert "," in first_line(shelf)
    monkeypatch.setenv("SDTEXT_SHOWDICTIONARYTOKENS_FORMAT", "json")
    assert first_line(shelf).startswith('{"schema"')
    assert "\t" in first_line(shelf, "--format", "tsv")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('format = "cvs"', "format"),
        ('fromat = "csv"', "did you mean format?"),
        ("[ShowDictionaryToken]\nlimit = 1", "did you mean ShowDictionaryTokens?"),
        ("[ShowDictionaryTokens]\nlimt = 1", "did you mean limit?"),
        ("[ShowDictionaryTokens]\nlimit = 0", "limit"),
        ("force = true", "force"),
        ("format = csv", "is not valid TOML"),
        ("\x00", "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_one_line(shelf: Shelf, config: Path, text: str, named: str) -> None:
    config.write_text(text)
    outcome = here("ShowDictionaryTokens", "-d", shelf.trimmed)
    check_refused(outcome, 2, str(config), named)
    assert here("ShowDictionaryTokens", "--help").code == 0


def test_a_wrong_variable_is_one_line(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDTEXT_FORMAT", "cvs")
    outcome = here("ShowDictionaryTokens", "-d", shelf.trimmed)
    check_refused(outcome, 2, "SDTEXT_FORMAT", "csv")


def test_flags_and_messages_have_defaults(shelf: Shelf, config: Path) -> None:
    line = shelf.line("CompareDirectory -f PRINT -p TEXTS -m cosine")
    assert done(*line).err
    config.write_text("quiet = true\n")
    assert done(*line).err == ""


def test_no_variable_is_that_of_the_tests() -> None:
    context = click.Context(sdtext)
    names = {
        variable
        for verb in (verb for rows in VERBS.values() for verb in rows)
        for command in [sdtext.get_command(context, verb)]
        if command
        for option in options_with_defaults(command)
        for variable in variables(verb, option)
    }
    assert "SDTEXT_JOBS" in names
    assert "SDTEXT_DATA" not in names
    assert not {name for name in names if name.endswith(("_FORCE", "_OUTPUT", "_INPUT"))}


def test_help_keeps_its_short_name() -> None:
    verb = sdtext.get_command(click.Context(sdtext), "ListParts")
    assert verb
    verb._help_option = None  # as in a new process
    options_with_defaults(verb)
    assert "Usage" in here("ListParts", "-h").text
