"""Values as people write them: understood, or refused with what to write; outputs; SIGTERM."""

from __future__ import annotations

import gzip
import os
import resource
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.cli.options.values import SIZE
from tests.support.command import SDTEXT, done, here, shell, words
from tests.support.interruption import begins_to_work, interrupted, needs_proc

from .conftest import Shelf


@pytest.mark.parametrize(
    "line",
    [
        "Calibrate DICT TEXTS --sample 0.5",
        "Calibrate DICT TEXTS --sample 5",
        "Calibrate DICT TEXTS --seed 1.5",
        "CompareDirectory --segment N",
        "CompareDirectory -f PRINT -p TEXTS -s 1.0",
        "CompareDirectory -f PRINT -p TEXTS -s 100",
        "CompareDirectory -f PRINT -p TEXTS -s 100%",
        "CompareDirectory -f PRINT -p TEXTS -s 80.5",
        "CompareDirectory -f PRINT -p TEXTS -s eighty",
        "CompareDirectory -f PRINT -p TEXTS -s=",
        "CompareDirectory TEXT TEXTS --html p.xlsx",
        "CreateDictionary TEXTS -c english -o a/d.csv",
        "CreateDictionary TEXTS -c english -o d.xml --max-terms all",
        "CreateDictionary TEXTS -c english -o d.xml --sample 0.5",
        "Deduplicate TEXTS -o k.txt --review x",
        "Doctor TEXT --max-bytes 1XB",
        "ExtractText TEXT -o text.docx",
        "FindPairs x.sdx --recall 2",
        "FindPairs x.sdx --recall 99",
        "FindReuse TEXT TEXT --similarity 80",
        "FindReuse TEXT TEXT --unit segment",
        "Fingerprint TEXT -d DICT -o print.PDF",
        "TrimDictionary -d DICT -o out.xml -b 2",
        "TrimDictionary -d DICT -o out.xml -b 30 -t 80",
        "TrimDictionary -d DICT -o out.xml -b low",
    ],
)
def test_a_value_out_of_its_range_is_refused(shelf: Shelf, line: str) -> None:
    outcome = here(*shelf.line(line))
    assert outcome.code == 2
    assert "Traceback" not in outcome.err


def test_sizes_have_units(shelf: Shelf) -> None:
    done(*shelf.line("Doctor TEXT --max-bytes 1GB"))
    Path("a.txt.gz").write_bytes(gzip.compress(shelf.document.read_bytes()))
    assert here("Doctor", "a.txt.gz", "--max-bytes", "1KB").code == 3
    assert here("Doctor", "a.txt.gz", "--max-bytes", "1MB").code == 0


@given(st.text(max_size=8))
def test_any_text_is_a_value_or_a_usage_error(text: str) -> None:
    with suppress(click.BadParameter):
        assert SIZE.convert(text, None, None) is not None


def test_no_message_names_a_hidden_working_file(shelf: Shelf) -> None:
    run = subprocess.run(
        words([*SDTEXT, "Deduplicate", shelf.texts, "-o", "kept.txt"]),
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # or bytecode is cut short
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert run.returncode == 6, run.stderr
    assert "TMPDIR" in run.stderr
    assert ".sdtext-" not in run.stderr
    assert os.listdir() == []  # noqa: PTH208


@pytest.mark.parametrize(
    "line",
    [
        "CreateDictionary -p TEXT -c RECIPE -o",
        "TrimDictionary -d DICT -b 0.2 -t 0.9 -o",
        "Fingerprint -i TEXT -d DICT -o",
        "ExtractDictionary -f PRINT -d",
        "ExtractText -i TEXT -o",
        "Deduplicate TEXTS -o",
    ],
)
@pytest.mark.parametrize("name", ["/dev/stdout", "-"])
def test_an_output_may_be_the_standard_output(shelf: Shelf, line: str, name: str) -> None:
    command = [*shelf.line(line), name]
    outcome = here(*command) if name == "-" else shell('"$@" > out', *command)
    assert outcome.code == 0, outcome.err
    if name == "-":
        Path("out").write_bytes(outcome.out)
    assert Path("out").stat().st_size > 0
    assert done(*command[:-1], "-").out[:60] == Path("out").read_bytes()[:60]
    help_text = " ".join(done(command[0], "--help").text.split())
    assert "; - prints" in help_text or "-, standard output" in help_text


@needs_proc
@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_leaves_nothing_behind(
    shelf: Shelf, much: Path, kind: signal.Signals
) -> None:
    command = ["CreateDictionary", "-p", much, "-c", shelf.recipe, "--jobs", "2", "-o", "d.xml"]
    outcome = interrupted(begins_to_work, *command, kind=kind)
    assert outcome.code == 130, outcome.err
    assert outcome.errors == ["sdtext CreateDictionary: interrupted"]
    assert os.listdir() == []  # noqa: PTH208


@needs_proc
def test_a_request_to_end_leaves_no_collection_behind(much: Path) -> None:
    command = ["AddDocuments", "x.sdx", much, "-c", "deduplicate", "--jobs", "2"]
    outcome = interrupted(begins_to_work, *command, kind=signal.SIGTERM)
    assert outcome.code == 130, outcome.err
    assert outcome.err == "sdtext AddDocuments: interrupted\n"
    assert os.listdir() == []  # noqa: PTH208
