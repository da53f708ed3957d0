"""Defaults of options in a configuration file and in environment variables."""

import os
from pathlib import Path
from threading import Thread

import pytest

from tests.support.command import done, here

from .conftest import Shelf


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
    "text",
    [
        'format = "cvs"', "[ShowDictionaryTokens]\nlimit = 0", "format = csv", "\x00",
        "x = " + "[" * 9000, "y = 1" + " " * (1 << 20), f"z{'.z' * 99} = 1",
    ],
    ids=range(7),
)  # fmt: skip
def test_a_wrong_file_is_one_message(shelf: Shelf, config: Path, text: str) -> None:
    config.write_text(text)
    outcome = here("ShowDictionaryTokens", "-d", shelf.trimmed)
    assert outcome.code == 2
    assert here("ShowDictionaryTokens", "--help").code == 0


def test_a_home_or_file_that_cannot_be_read_is_as_if_there_were_none(
    shelf: Shelf, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = first_line(shelf)
    config.mkdir()
    assert first_line(shelf) == plain
    config.rmdir()
    os.mkfifo(config)  # it may wait or, as a device may, never end
    Thread(target=config.write_text, args=["\x00"], daemon=True).start()
    assert first_line(shelf) == plain
    assert config.read_text() == "\x00"  # nobody else has read it
    monkeypatch.delenv("XDG_CONFIG_HOME")
    for home in ("/dev/null", "relative", "\udcff"):
        monkeypatch.setenv("HOME", home)
        assert first_line(shelf) == plain


def test_flags_and_messages_have_defaults(shelf: Shelf, config: Path) -> None:
    line = shelf.line("CompareDirectory -f PRINT -p TEXTS -m cosine")
    assert done(*line).err
    config.write_text("quiet = true\n")
    assert done(*line).err == ""


@pytest.mark.parametrize("verb", ["", "[CompareDirectory]\n"])
def test_a_repeatable_option_takes_a_list(shelf: Shelf, config: Path, verb: str) -> None:
    config.write_text(f'{verb}dictionary = ["{shelf.trimmed}"]')
    line = shelf.line("CompareDirectory TEXT TEXTS -m cosine --format json")
    assert done(*line).json["rows"] == done(*line, "-d", shelf.trimmed).json["rows"]


def test_an_encoding_holds_for_verbs_without_the_option(config: Path) -> None:
    Path("a.txt").write_bytes("жук".encode("koi8-r"))
    config.write_text('encoding = "koi8-r"')
    assert done("TokenizeFile", "-i", "a.txt", "-c", "english").text.split() == ["жук"]


def test_required_options_have_defaults(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDTEXT_DICTIONARY", str(shelf.trimmed))
    monkeypatch.setenv("SDTEXT_CREATEDICTIONARY_CONFIG", "english")
    done("Fingerprint", shelf.document, "-o", "a.xml", "--profile", "minimal")
    assert Path("a.xml").is_file()
    done("CreateDictionary", shelf.texts, "-o", "b.xml")
    assert Path("b.xml").read_text() != ""
