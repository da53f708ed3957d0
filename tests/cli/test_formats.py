"""The same rows in every format, on a terminal and in a pipe."""

import csv
import io
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.command import (
    PATIENCE,
    SDTEXT,
    Argument,
    done,
    prose,
    there,
    words,
)

from .conftest import Shelf

pty = pytest.importorskip("pty", reason="only Unix has pseudo-terminals")


def on_a_terminal(arguments: Sequence[Argument], **env: str) -> tuple[str, str]:
    """What a command writes on a terminal as its standard output, and as its standard error."""
    screens = [pty.openpty(), pty.openpty()]
    process = subprocess.Popen(
        words([*SDTEXT, *arguments]),
        stdout=screens[0][1],
        stderr=screens[1][1],
        env={**os.environ, "COLUMNS": "300", "TERM": "xterm-256color", **env},
    )
    seen = []
    try:
        for ours, theirs in screens:
            os.close(theirs)
            seen.append(_read_all(ours))
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
    return seen[0], seen[1]


def _read_all(screen: int) -> str:
    result = b""
    try:
        while block := os.read(screen, 1 << 16):
            result += block
    except OSError:  # a terminal whose other side is closed ends so
        pass
    os.close(screen)
    return result.decode()


def test_a_terminal_gets_a_table(shelf: Shelf) -> None:
    out, _ = on_a_terminal(["ShowDictionaryTokens", "-d", shelf.trimmed, "--limit", "3"])
    expected = done(
        "ShowDictionaryTokens", "-d", shelf.trimmed, "--limit", "3", "--format", "table"
    )
    assert "\t" not in out
    assert re.sub(r"\x1b\[[0-9;]*m", "", out).split() == expected.text.split()


@pytest.mark.deep
def test_no_color_means_no_colour_anywhere(shelf: Shelf) -> None:
    command = ["CompareDirectory", "-f", shelf.full, "-p", shelf.texts]
    out, err = on_a_terminal(command, NO_COLOR="1")
    styles = [
        code for group in re.findall(r"\x1b\[([0-9;]*)m", out + err) for code in group.split(";")
    ]
    assert not [code for code in styles if code and 30 <= int(code) <= 107]
    assert "007.txt" in out
    assert "30 compared" in err


def test_progress_is_shown_on_a_terminal_alone(shelf: Shelf) -> None:
    command = ["CreateDictionary", "-p", shelf.texts, "-c", shelf.recipe, "-o"]
    out, err = on_a_terminal([*command, "a.xml"])
    assert out == ""
    assert "\x1b" in err
    assert "\x1b" not in there(*command, "b.xml").err


@pytest.mark.parametrize(
    "name", ['a "quoted", odd\nname.txt', "a\nb.txt", "a\rb.txt", "a\r\nb.txt"]
)
def test_a_cell_with_quotes_commas_and_line_ends_comes_back_from_csv(
    shelf: Shelf, name: str
) -> None:
    Path("d").mkdir()
    (Path("d") / name).write_text(prose(7), "utf-8")
    out = done("CompareDirectory", "-f", shelf.full, "-p", "d", "--format", "csv").text
    head, row = csv.reader(io.StringIO(out, newline=""))
    assert dict(zip(head, row, strict=True))["path"] == name
