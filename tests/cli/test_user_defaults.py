"""Defaults of options in a configuration file and in environment variables."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from sdtext.cli.main import VERBS, sdtext
from sdtext.cli.user_defaults import options_with_defaults, variables

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


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("SDTEXT_FORMAT", "cvs", "csv"),
        ("SDTEXT_SHOWDICTIONARYTOKENS_LIMT", "1", "SDTEXT_SHOWDICTIONARYTOKENS_LIMIT"),
    ],
)
def test_a_wrong_variable_is_one_line(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, named: str
) -> None:
    monkeypatch.setenv(variable, value)
    outcome = here("ShowDictionaryTokens", "-d", shelf.trimmed)
    check_refused(outcome, 2, variable, named)


def test_flags_and_messages_have_defaults(shelf: Shelf, config: Path) -> None:
    line = shelf.line("CompareDirectory -f PRINT -p TEXTS -m cosine")
    assert done(*line).err
    config.write_text("quiet = true\n")
    assert done(*line).err == ""


@pytest.mark.parametrize("given", ['dictionary = "DICT"', 'dictionary = ["DICT"]'])
@pytest.mark.parametrize("verb", ["", "[CompareDirectory]\n"])
def test_a_repeatable_option_takes_one_value_or_a_list(
    shelf: Shelf, config: Path, given: str, verb: str
) -> None:
    config.write_text(verb + given.replace("DICT", str(shelf.trimmed)))
    line = shelf.line("CompareDirectory TEXT TEXTS -m cosine --format json")
    assert done(*line).json["rows"] == done(*line, "-d", shelf.trimmed).json["rows"]


def test_a_variable_is_one_value_with_its_blanks(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my dictionary.xml"
    path.write_bytes(shelf.trimmed.read_bytes())
    monkeypatch.setenv("SDTEXT_COMPAREDIRECTORY_DICTIONARY", str(path))
    outcome = done(*shelf.line("CompareDirectory TEXT TEXTS -m cosine"))
    assert "made from" not in outcome.err


def test_exclude_and_explain_have_defaults_where_they_are_no_inputs(
    shelf: Shelf, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = shelf.line("CompareDirectory PRINT TEXTS -m cosine --format json")
    whole = done(*line).json
    config.write_text('[CompareDirectory]\nexclude = "00*.txt"\n')
    monkeypatch.setenv("SDTEXT_COMPAREDIRECTORY_EXPLAIN", "1")
    fewer = done(*line).json
    assert len(fewer["rows"]) + fewer["more"] < len(whole["rows"]) + whole["more"]
    assert not [row for row in fewer["rows"] if row["path"].startswith("00")]
    assert fewer["rows"][0]["shared_terms"]
    monkeypatch.setenv("SDTEXT_TOKENIZEFILE_EXPLAIN", "bee")
    outcome = here(*shelf.line("TokenizeFile TEXT -c english"))
    check_refused(outcome, 2, "SDTEXT_TOKENIZEFILE_EXPLAIN", "names no option of TokenizeFile")


def test_required_options_have_defaults(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDTEXT_DICTIONARY", str(shelf.trimmed))
    monkeypatch.setenv("SDTEXT_CREATEDICTIONARY_CONFIG", "english")
    done("Fingerprint", shelf.document, "-o", "a.xml", "--profile", "minimal")
    assert Path("a.xml").is_file()
    done("CreateDictionary", shelf.texts, "-o", "b.xml")
    assert Path("b.xml").read_text() != ""


def test_a_bare_dictionary_replaces_the_default(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = shelf.line("ScoreFingerprints TEXT TEXT DICT -m cosine")
    plain = done(*line).text
    monkeypatch.setenv("SDTEXT_SCOREFINGERPRINTS_DICTIONARY", "german")
    assert done(*line).text == plain


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
    given = ("_FORCE", "_OUTPUT", "_INPUT", "_HTML", "_REMOVED", "_TRUTH", "_FILES_FROM", "_NAMES")
    assert not {name for name in names if name.endswith(given)}


def test_help_keeps_its_short_name() -> None:
    verb = sdtext.get_command(click.Context(sdtext), "ListParts")
    assert verb
    verb._help_option = None  # as in a new process
    options_with_defaults(verb)
    assert "Usage" in here("ListParts", "-h").text
