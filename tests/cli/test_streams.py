"""The standard input, output and error: piped, named by a dash, or closed."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import ROWS, WRITERS, check_refused, done, here, parsed, shell, there

from .conftest import Shelf


@pytest.mark.parametrize("line", [*ROWS[1:2], *WRITERS[:1], "--help"])
def test_a_closed_standard_output_is_one_line(shelf: Shelf, line: str) -> None:
    arguments = ["-" if word == "OUT" else word for word in shelf.line(line)]
    outcome = shell('"$@" >&-', *arguments)
    assert outcome.code == 6
    assert len(outcome.errors) == 1


@pytest.mark.parametrize("line", [ROWS[1], WRITERS[1]])
def test_a_closed_standard_error_changes_no_result(shelf: Shelf, line: str) -> None:
    arguments = ["-" if word == "OUT" else word for word in shelf.line(line)]
    silent = shell('"$@" 2>&-', *arguments)
    assert silent.code == 0
    if line in ROWS:
        assert silent.out == done(*arguments).out
    else:
        Path("d.xml").write_bytes(silent.out)
        done("ShowDictionaryStatistics", "-d", "d.xml")


def test_what_the_console_cannot_show_is_printed_all_the_same(shelf: Shelf) -> None:
    Path("Ω→中.txt").write_text("Ω → 中\n" + (shelf.texts / "000.txt").read_text("utf-8"), "utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "cp1252:strict", "PYTHONUTF8": "0"}
    for line in ("ExtractText Ω→中.txt", f"FindReuse Ω→中.txt {shelf.texts} --show"):
        outcome = there(*line.split(), env=env)
        assert outcome.code == 0, outcome.err
        assert "→" in outcome.text
    assert r"\u4e2d.txt: no such file" in there("ExtractText", "中.txt", env=env).err


def test_a_closed_standard_input_is_one_line() -> None:
    check_refused(shell('"$@" <&-', "ExtractText", "-i", "-"), 3)


@pytest.mark.parametrize("line", WRITERS[:4])
def test_a_result_to_the_standard_output_is_the_file_it_would_be(shelf: Shelf, line: str) -> None:
    out = done(*["-" if word == "OUT" else word for word in shelf.line(line)])
    done(*["out.xml" if word == "OUT" else word for word in shelf.line(line)])
    Path("piped.xml").write_bytes(out.out)

    def content(path: str) -> list[Any]:
        varying = ("created", "parent", "hashdigest")
        return [
            (element.tag, element.text)
            for element in parsed(path).iter()
            if element.tag.rpartition("}")[2] not in varying
        ]

    assert content("piped.xml") == content("out.xml")


@pytest.mark.parametrize(
    ("line", "piped"),
    [
        ("ExtractText -i -", "document"),
        ("TokenizeFile -i - -c RECIPE", "document"),
        ("TokenizeFile -i TEXT -c -", "dictionary"),
        ("ShowDictionaryTokens -d -", "trimmed"),
        ("ShowDictionaryStatistics -d -", "trimmed"),
        ("ScoreFingerprints -f - -f PRINT", "full"),
        ("CompareDirectory -f PRINT -p TEXTS -d -", "trimmed"),
    ],
)
def test_a_dash_is_the_standard_input(shelf: Shelf, line: str, piped: str) -> None:
    source: Path = getattr(shelf, piped)
    named = done(*[source if word == "-" else word for word in shelf.line(line)])
    by_pipe = here(*shelf.line(line), stdin=source.read_bytes())
    assert by_pipe.code == 0, by_pipe.err
    assert by_pipe.out == named.out


def test_an_output_may_be_the_standard_output(shelf: Shelf) -> None:
    command = shelf.line("ExtractText -i TEXT -o")
    outcome = shell('"$@" > out', *command, "/dev/stdout")
    assert outcome.code == 0, outcome.err
    assert Path("out").read_bytes() == done(*command, "-").out
