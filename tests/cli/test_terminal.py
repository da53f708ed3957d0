"""Names and texts of strangers on a terminal: nothing in them controls it, whatever the format."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from itertools import product
from pathlib import Path
from threading import Thread

import pytest
from lxml import etree

from sdtext.cli.main import main
from tests.support.command import CONFIGS, SDTEXT, Argument, done, here, prose, words
from tests.support.commands import CONTROL, EVIL

pty = pytest.importorskip("pty")

NAME = f"{EVIL}.txt"
FORMATS = ("table", "tsv", "json", "jsonl", "csv")


def on_terminal(*arguments: Argument, run: Callable[[list[str]], int] = main) -> str:
    """What a terminal gets, on both streams, of `sdtext` with these arguments."""
    import termios

    master, terminal = pty.openpty()
    settings = termios.tcgetattr(terminal)
    settings[1] &= ~termios.OPOST  # the terminal gets what is written
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
    blocks: list[bytes] = []
    reader = Thread(target=_read, args=(master, blocks))
    reader.start()
    with (
        open(terminal, "w", encoding="utf-8", errors="backslashreplace") as screen,  # noqa: PTH123
        redirect_stdout(screen),
        redirect_stderr(screen),
    ):
        run(words(arguments))
    reader.join()
    os.close(master)
    return b"".join(blocks).decode("utf-8")


def _read(master: int, blocks: list[bytes]) -> None:
    with suppress(OSError):  # Linux reports the end of a terminal's output as an error
        while block := os.read(master, 1 << 16):
            blocks.append(block)


def check_harmless(shown: str, name: str = "owned") -> None:
    """Nothing controls the terminal, nothing begins a line of its own, and the name is there."""
    assert not (match := CONTROL.search(shown)), shown[max(0, match.start() - 80) :][:160]
    assert not any(line.startswith("fake") for line in shown.splitlines()), shown[:2000]
    assert name in shown, shown[:2000]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")  # without colours of our own
    monkeypatch.setenv("COLUMNS", "2000")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a collection, a dictionary and fingerprints of texts with evil names."""
    place = tmp_path_factory.mktemp("evil")
    with chdir(place):
        Path("texts").mkdir()
        for number in range(3):
            text = f"{EVIL} {prose(7, 200)} {EVIL} {prose(number, 50)}"
            Path("texts", f"{number}{NAME}").write_text(text, "utf-8", newline="")
        Path("texts/empty-" + NAME).touch()
        recipe = CONFIGS / "english.toml"
        here("CreateDictionary", "-o", "d.xml", "-p", "texts", "-c", recipe, "--name", "d")
        here("AddDocuments", "c.sdx", "texts", "-c", CONFIGS / "near-duplicate.toml")
        (first, two, three) = sorted(map(str, Path("texts").glob("[0-9]*")))
        done("Fingerprint", "-d", "d.xml", "-o", "f.xml", first, two, three)
        record = json.dumps({"id": EVIL, "text": f"{EVIL} {prose(3)}"}, ensure_ascii=False)
        Path("r.jsonl").write_text(f"{record}\n{record}\n", "utf-8")
        Path("one").write_text(Path(first).read_text("utf-8"), "utf-8")
    return place


_LINES = tomllib.loads(Path(__file__).with_name("terminal.toml").read_text("utf-8"))
ROWS, OTHERS = (_LINES[kind].splitlines() for kind in ("rows", "others"))
SILENT = ("ShowCollection c.sdx",)
"""Lines that print no name of a document."""


def arguments_of(line: str) -> list[str]:
    first, two, *_ = sorted(str(path) for path in Path("texts").glob("[0-9]*"))
    known = {"ONE": first, "TWO": two}
    return [known.get(word, word.replace("EVIL", EVIL)) for word in line.split()]


@pytest.mark.parametrize(
    ("line", "form"), [*product(ROWS[:1], FORMATS), *product(ROWS[1:], FORMATS[:2])]
)
def test_names_and_texts_in_rows_do_not_control_a_terminal(
    place: Path, line: str, form: str
) -> None:
    with chdir(place):
        shown = on_terminal(*arguments_of(line), "--format", form)
    check_harmless(shown, "" if line in SILENT else "owned")


@pytest.mark.parametrize("line", OTHERS)
def test_names_and_texts_elsewhere_do_not_control_a_terminal(place: Path, line: str) -> None:
    with chdir(place):
        Path("plain.toml").write_text('tokenizer = "words"', "utf-8")
        shown = on_terminal(*arguments_of(line))
    if line.startswith(("ExtractText -i ONE", "TokenizeFile -i ONE")):  # lines of their own
        shown = re.sub("\r?\nfake:", "", shown)
    check_harmless(shown)


def test_a_terminal_gets_a_table_and_progress_and_a_file_neither(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    with chdir(place):
        line = ("ShowDictionaryTokens", "-d", "d.xml", "--limit", "3")
        table = done(*line, "--format", "table").text
        shown = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(*line))
        assert "\t" not in shown
        assert shown.split() == table.split()
        made = ("CreateDictionary", "-p", "texts", "-c", "english", "--force", "-o", "progress.xml")
        assert "\x1b" in on_terminal(*made)
        assert "\x1b" not in done(*made).err


def test_no_color_means_no_colour_anywhere(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    with chdir(place):
        shown = on_terminal("CompareDirectory", "-f", "f.xml", "-p", "texts")
    styles = [code for group in re.findall(r"\x1b\[([0-9;]*)m", shown) for code in group.split(";")]
    assert not [code for code in styles if code and 30 <= int(code) <= 107]
    assert "compared" in shown


@pytest.mark.deep
def test_a_process_on_a_terminal_is_no_different(place: Path) -> None:
    def process(arguments: list[str]) -> int:
        screen = sys.stdout.fileno()
        return subprocess.run(
            [*SDTEXT, *arguments], stdout=screen, stderr=screen, check=False, timeout=60
        ).returncode

    with chdir(place):
        for line in ("FindReuse ONE TWO --format csv", "FindPairs a b EVIL"):
            check_harmless(on_terminal(*arguments_of(line), run=process))


def test_in_a_pipe_json_and_xml_are_the_same_values_escaped(place: Path) -> None:
    with chdir(place):
        first, two = arguments_of("ONE TWO")
        for form in ("json", "jsonl", "xml", "pan"):
            text = done("FindReuse", first, two, "--format", form).text
            assert not CONTROL.search(text)
        rows = done("FindReuse", first, two, "--format", "json").json["rows"]
        assert rows[0]["left"] == first
        root = etree.fromstring(done("FindReuse", first, two, "--format", "pan").out)
        assert root.get("reference", "").replace("\\x1b", "\x1b").replace("\\x07", "\x07") == first


def test_in_a_pipe_csv_quotes_lines_and_keeps_names(place: Path) -> None:
    with chdir(place):
        text = done("ShowCollection", "c.sdx", "--documents", "--format", "csv").text
        names = {row["document"] for row in csv.DictReader(io.StringIO(text, newline=""))}
        assert names == {f"{number}{NAME}" for number in range(3)}
