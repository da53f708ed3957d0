"""Ctrl-C and other signals in the middle of the work, and readers that have seen enough."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from shutil import rmtree
from zipfile import ZipFile

import pytest

from sdtext.cli.main import main, sdtext
from sdtext.fingerprinting.load_and_save import load
from tests.reading.sandbox.processes import children
from tests.support.command import PATIENCE, SDTEXT, Argument, Outcome, done, shell, words
from tests.support.interruption import begins_to_work, interrupted, needs_proc, processor_seconds

from .conftest import Shelf

pytest.importorskip("fcntl", reason="signals between processes are of Unix")


def works_with_others(process: int) -> bool:
    return sum(map(processor_seconds, children(process))) > 1.0


CREATE = "CreateDictionary -p MUCH -c RECIPE --jobs 2 -o out/old.xml"
INTERRUPTED = [
    (CREATE, begins_to_work, signal.SIGINT), (CREATE, works_with_others, signal.SIGINT),
    (CREATE, begins_to_work, signal.SIGTERM), (CREATE, begins_to_work, signal.SIGHUP),
    (CREATE.replace("old", "d"), begins_to_work, signal.SIGTERM),
    ("AddDocuments out/x.sdx MUCH -c deduplicate --jobs 2", begins_to_work, signal.SIGTERM),
    *(pytest.param(line, condition, signal.SIGINT, marks=pytest.mark.deep) for line, condition in (
        (CREATE.replace("2", "1"), lambda process: processor_seconds(process) > 0.6),
        ("Fingerprint MUCH -d DICT --jobs 2 -o out/prints.xml", works_with_others),
        ("CompareDirectory -f PRINT -p MUCH --jobs 2", works_with_others),
    )),
]  # fmt: skip


@needs_proc
@pytest.mark.parametrize(("line", "condition", "kind"), INTERRUPTED)
def test_an_interrupted_command_ends_with_a_line_and_nothing_written(
    shelf: Shelf, much: Path, line: str, condition: Callable[[int], bool], kind: signal.Signals
) -> None:
    Path("out").mkdir()
    Path("out/old.xml").write_bytes(shelf.dictionary.read_bytes())
    outcome = interrupted(condition, *shelf.line(line, MUCH=much), kind=kind)
    said = f"sdtext {line.split(maxsplit=1)[0]}: interrupted"
    assert (outcome.code, outcome.errors, outcome.out) == (130, [said], b"")
    assert [path.name for path in Path("out").iterdir()] == ["old.xml"]
    assert Path("out/old.xml").read_bytes() == shelf.dictionary.read_bytes()


@needs_proc
@pytest.mark.parametrize(
    ("kind", "is_new"),
    [(signal.SIGINT, True), pytest.param(signal.SIGTERM, False, marks=pytest.mark.deep)],
)
def test_copies_that_were_written_before_an_interruption_are_removed(
    much: Path, kind: signal.Signals, *, is_new: bool
) -> None:
    if not is_new:
        Path("out").mkdir()
        Path("out/own.txt").write_text("Mine.", "utf-8")

    def has_written(_: int) -> bool:
        return Path("out").is_dir() and len(list(Path("out").glob("*.1.txt"))) > 2

    outcome = interrupted(has_written, "Mangle", much, "-m", "shuffle", "-o", "out", kind=kind)
    assert outcome.code == 130, outcome.err[-2000:]
    left = [path.name for path in Path("out").iterdir()] if Path("out").exists() else None
    assert left == (None if is_new else ["own.txt"])


@needs_proc
@pytest.mark.parametrize(
    "kind", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.deep)]
)
def test_a_signal_to_all_processes_while_they_start_ends_them(
    shelf: Shelf, much: Path, kind: signal.Signals
) -> None:
    command = ["CompareDirectory", shelf.document, much, "-d", "english", "--jobs", "2"]
    outcome = interrupted(begins_to_work, *command, kind=kind, to_group=True)
    assert (outcome.code, outcome.errors) == (130, ["sdtext CompareDirectory: interrupted"])
    assert outcome.out == b""


@pytest.mark.deep
@needs_proc
def test_interrupted_fingerprints_in_a_folder_are_counted(shelf: Shelf, much: Path) -> None:
    command = ["Fingerprint", much, "-d", shelf.dictionary, "--jobs", "2", "-o", "out/"]
    outcome = interrupted(lambda _: len([*Path().glob("out/*.xml")]) > 2, *command)
    assert outcome.code == 130, outcome.err[-2000:]
    (line,) = outcome.errors
    said = re.fullmatch(r"(.*: interrupted); written: (\d+) files; .* is (\S+)", line)
    assert said
    assert said[1] == "sdtext Fingerprint: interrupted"
    whole = [str(path) for path in Path("out").iterdir() if load(path)]
    assert len(whole) - int(said[2]) in (0, 1)  # it may come as soon as one is written
    assert said[3] in whole


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, shelf: Shelf) -> Path:
    """A folder with a text, a dictionary and fingerprints too large for any pipe."""
    folder = tmp_path_factory.mktemp("large")
    draw = "".join(f"word{number} " for number in range(15_000))
    (folder / "large.txt").write_text(draw, "utf-8")
    (folder / "words.toml").write_text('tokenizer = "words"', "utf-8")
    with ZipFile(folder / "words.zip", "w") as archive:
        archive.writestr("damaged.pdf", "%PDF-1.7")
        archive.write(folder / "large.txt", "large.txt")
    options = ["-p", folder / "large.txt", "-p", shelf.texts, "-c", folder / "words.toml"]
    done("CreateDictionary", "-o", folder / "d.xml", *options)
    many = folder / "many"
    many.mkdir()
    source = shelf.minimal.read_bytes()
    body = source[source.index(b"<fingerprint") :]
    container = b'<fingerprints xmlns="urn:sdtext:xml" version="1.0">' + body * 2000
    (many / f"{'c' * 100}.xml").write_bytes(container + b"</fingerprints>")
    return folder


@pytest.mark.parametrize(
    "line",
    [
        "ShowDictionaryTokens -d d.xml --format jsonl",
        "ExtractText -i large.txt",
        "CreateDictionary -p large.txt -c words.toml -o -",
        "CompareDirectory -f PRINT -p many -s 0 -k 2000",  # all rows: more than a pipe holds
    ],
)
def test_a_reader_that_has_seen_enough_is_left_in_silence(
    shelf: Shelf, large: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(large)
    outcome = shell('"$@" | head -c 1; exit ${PIPESTATUS[0]}', *shelf.line(line))
    assert len(outcome.out) == 1
    assert outcome.code in (0, 141), "1 is for --exit-code alone"
    output = [line for line in outcome.errors if "terms" not in line and "compared" not in line]
    assert output in ([], ["bit vectors over dictionary trimmed compared by idf-cosine"])
    assert "ipe" not in outcome.err


@pytest.mark.parametrize(("line", "reader"), [
    ("CompareDirectory -f PRINT -f absent.txt -p many -s 0 -k 1", "true"),
    pytest.param("FindReuse words.zip large.txt --all --show", "head -c 1", marks=pytest.mark.deep),
    ("Fingerprint absent.txt large.txt -d d.xml -o -", "head -c 1"),
])  # fmt: skip
def test_the_problems_of_a_run_are_reported_whose_reader_has_seen_enough(
    shelf: Shelf, large: Path, line: str, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(large)
    outcome = shell(f'"$@" | {reader}; exit ${{PIPESTATUS[0]}}', *shelf.line(line))
    assert outcome.code == 3, outcome.err
    assert any(line.startswith("error: ") for line in outcome.errors)
    assert "ipe" not in outcome.err


@pytest.mark.parametrize(
    ("method", "printed"),
    [("-s 99", "kept"), pytest.param("--unit sentence", "removed", marks=pytest.mark.deep)],
)
def test_a_reader_that_ends_early_keeps_no_file_from_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, printed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [f"The old bridge number {i // 2} was built of stone long ago." for i in range(6_000)]
    records = [
        json.dumps({"id": f"{i}-{'long' * 9}", "text": text}) for i, text in enumerate(texts)
    ]
    Path("records.jsonl").write_text("\n".join(records) + "\n")
    names = ("-", "removed.jsonl") if printed == "kept" else ("kept.jsonl", "-")
    line = f"Deduplicate records.jsonl {method} -o {names[0]} --removed {names[1]}".split()
    outcome = shell('"$@" | head -c 1; exit ${PIPESTATUS[0]}', *line)
    assert outcome.code == 0
    assert len(outcome.out) == 1
    written = next(Path(name) for name in names if name != "-")
    assert len(written.read_text().splitlines()) == (
        6_000 if "unit" in method and printed != "kept" else 3_000
    )


def test_an_end_of_file_in_a_module_is_a_defect_and_no_interruption(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def damaged(*_: object) -> None:
        raise EOFError("marshal data too short")

    monkeypatch.setattr(sdtext, "invoke", damaged)
    with pytest.raises(EOFError, match="too short"):
        main(["ListParts"])


@pytest.mark.parametrize(("module", "named"), [
    ("sdtext.cli", "sdtext"), ("click", "sdtext"),
    ("sdtext.cli.list_recipes", "sdtext ListRecipes"),
])  # fmt: skip
def test_ctrl_c_while_a_command_is_loaded_ends_it_with_a_line(module: str, named: str) -> None:
    outcome = interrupted_at_the_import_of(module)
    assert (outcome.code, outcome.out, outcome.err.strip()) == (130, b"", f"{named}: interrupted")


def test_an_ignored_ctrl_c_is_ignored_while_the_command_is_loaded() -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    outcome = interrupted_at_the_import_of("click", code)
    assert outcome.code == 0, outcome.err
    assert b"english" in outcome.out


def interrupted_at_the_import_of(module: str, before: str = "") -> Outcome:
    """The outcome of ListRecipes, interrupted in a callback where a module is first looked for."""
    code = f"""
import os, signal, sys, weakref
{before}
class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            sys.meta_path.remove(self)
            weakref.finalize(set(), os.kill, os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from sdtext.__main__ import run
sys.argv = ["sdtext", "ListRecipes"]
run()
"""
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, timeout=PATIENCE
    )
    return Outcome(process.returncode, process.stdout, process.stderr.decode())


CREATIONS = {
    "dictionary": "CreateDictionary -p TEXTS -c RECIPE -o out/x.xml",
    "fingerprints": "Fingerprint TEXTS -d DICT -o out/x.xml",
    "evidence": "FindReuse TEXT TEXTS --html out/x.html",
    "collection": "AddDocuments out/x.sdx TEXTS",
}


@pytest.mark.parametrize("kind", CREATIONS)
def test_nothing_is_left_of_a_creation_that_is_killed(shelf: Shelf, kind: str) -> None:
    command = shelf.line(CREATIONS[kind])
    began = time.monotonic()
    Path("out").mkdir()
    done(*command)
    seconds, draw = time.monotonic() - began, Random(kind)
    whole = names_in(Path("out"))
    for signal_number in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT):
        rmtree("out")
        Path("out").mkdir()
        process = quiet([*SDTEXT, *command])
        time.sleep(draw.uniform(0.3, 1) * seconds)
        process.send_signal(signal_number)
        process.communicate(timeout=PATIENCE)
        left = names_in(Path("out"))
        if kind == "collection" and signal_number == signal.SIGKILL:
            left -= {".x.sdx.part"}  # which the next one takes over
        assert left <= whole
    done(*command)
    assert names_in(Path("out")) == whole


@pytest.mark.parametrize("begin", [0.3, 0.6, 0.9, 1.2])
def test_a_storm_of_ctrl_c_gives_a_line_and_leaves_nothing(shelf: Shelf, begin: float) -> None:
    Path("out").mkdir()
    command = shelf.line(CREATIONS["dictionary"])
    process = quiet([*SDTEXT, *command])
    time.sleep(begin)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.002)
    _, reported = process.communicate()
    # Before Python itself has begun.
    early = rb"line \d+, in <module>|Fatal Python error|failed to set __main__"
    if not re.search(early, reported):
        assert process.returncode in (0, 130, -signal.SIGINT)
        assert b"Traceback" not in reported
    assert names_in(Path("out")) <= {"x.xml"}


def quiet(command: Sequence[Argument]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        words(command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
