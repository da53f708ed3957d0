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

from sdtext.cli.options.values import SIZE, TIMES, Fraction, MinimumScore, Quantity

from .command import SDTEXT, check_refused, check_usage, done, here, shell, words
from .conftest import Shelf
from .test_interruption import begins_to_work, interrupted, much, needs_proc

__all__ = ["much"]


@pytest.mark.parametrize("written", ["20", "20%", "0.2", ".20", " 20 ", "20 %", "=0.2"])
def test_a_score_is_understood(shelf: Shelf, written: str) -> None:
    line = ["CompareDirectory", "-f", "PRINT", "-p", "TEXTS", "-m", "cosine", "-s"]
    outcome = done(*shelf.line(" ".join(line)), written)
    assert "at or above 20" in outcome.err


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("CompareDirectory -f PRINT -p TEXTS -s 1.0", "whole number from 0 to 99"),
        ("CompareDirectory -f PRINT -p TEXTS -s 100", "write 99"),
        ("CompareDirectory -f PRINT -p TEXTS -s 100%", "write 99"),
        ("CompareDirectory -f PRINT -p TEXTS -s 1.0", "write 99"),
        ("CompareDirectory -f PRINT -p TEXTS -s 80.5", "such as 80"),
        ("CompareDirectory -f PRINT -p TEXTS -s eighty", "such as 80"),
        ("CompareDirectory -f PRINT -p TEXTS -s=", "'' is not a score: a whole number from 0"),
        ("TrimDictionary -d DICT -o out.xml -b 30 -t 80", "for 30 %, write 0.3"),
        ("TrimDictionary -d DICT -o out.xml -b 2", "from 0 to 1"),
        ("FindReuse -i TEXT -i TEXT --unit segment", "CompareDirectory --segment N"),
        ("AddDocuments TEXTS", "Write: AddDocuments NAME.sdx"),
        ("TrimDictionary -d DICT -o out.xml -b low", "0.3 or 30%"),
        ("FindReuse -i TEXT -i TEXT --similarity 80", "write 0.8 or 80%"),
        ("FindPairs x.sdx --recall 99", "write 0.99 or 99%"),
        ("FindPairs x.sdx --recall 2", "below 1."),
        ("Fingerprint TEXT -d DICT -o print.PDF", "the output is XML; name it print.xml."),
        ("CreateDictionary TEXTS -c english -o a/d.csv", "the output is XML; name it a/d.xml."),
        ("CompareDirectory TEXT TEXTS --html p.xlsx", "the output is HTML; name it p.html."),
        ("ExtractText TEXT -o text.docx", "the output is plain text; name it text.txt."),
        ("Doctor TEXT --max-bytes 1XB", "256MB or 1GB"),
        ("Doctor TEXT --max-memory 1MB", "the least is 256 MB"),
        ("Doctor TEXT --max-seconds soon", "90s or 2m"),
        ("Calibrate DICT TEXTS --sample 5", "5 is not 10 or more, or a percentage."),
        ("Calibrate DICT TEXTS --sample 0.5", "percentage, such as 10%; write 50%."),
        ("Calibrate DICT TEXTS --seed 1.5", "1.5 is not a whole number of 0 or more."),
        ("Deduplicate TEXTS -o k.txt --review x", "x is not a whole number of 1 or more."),
        (
            "CreateDictionary TEXTS -c english -o d.xml --sample 0.5",
            "percentage, such as 10%; write",
        ),
        ("CreateDictionary TEXTS -c english -o d.xml --sample 0.5", "write 50%."),
        ("CreateDictionary TEXTS -c english -o d.xml --max-terms all", "all is not a count, such"),
    ],
)
def test_what_is_not_understood_is_refused_with_what_to_write(
    shelf: Shelf, line: str, advice: str
) -> None:
    check_usage(here(*shelf.line(line)), advice)


@pytest.mark.parametrize("line", ["FindPairs x.sdx --recall 2", "FindReuse T T --similarity 1.2"])
def test_what_is_no_percentage_is_not_taken_for_one(line: str) -> None:
    outcome = here(*line.split())
    assert outcome.code == 2
    assert "write" not in outcome.err


def test_sizes_times_and_shares_have_units(shelf: Shelf) -> None:
    done(*shelf.line("Doctor TEXT --max-bytes 1GB --max-memory 512MiB --max-seconds 2m"))
    Path("a.txt.gz").write_bytes(gzip.compress(shelf.document.read_bytes()))
    assert here("Doctor", "a.txt.gz", "--max-bytes", "1KB").code == 3
    assert here("Doctor", "a.txt.gz", "--max-bytes", "1MB").code == 0
    kept = done(*shelf.line("TrimDictionary -d DICT --preview -b 30% -t 70%"))
    assert kept.err == done(*shelf.line("TrimDictionary -d DICT --preview -b .3 -t .7")).err


@pytest.mark.parametrize(
    ("written", "warned"),
    [("-s 1", 1), ("--min-score 1", 1), ("-s1", 1), ("-s 1%", 0), ("-s 2", 0)],
)
def test_a_minimum_of_1_is_explained(shelf: Shelf, written: str, warned: int) -> None:
    line = shelf.line(f"CompareDirectory -f PRINT -p TEXTS {written}")
    assert done(*line).err.count("the minimum score 1 is 1 of 99") == warned
    assert done(*line, "--quiet").err == ""


@given(st.integers(0, 99))
def test_the_spellings_of_a_score_agree(score: int) -> None:
    kind = MinimumScore()
    assert kind.parse(str(score)) == kind.parse(f"{score}%") == kind.parse(f"{score / 100:.2f}")
    assert kind.parse(str(score)) == score


@given(st.integers(1, 10**6), st.sampled_from(["KB", "mb", "GiB", "T", "", "b"]))
def test_a_size_is_a_power_of_1024(number: int, unit: str) -> None:
    power = " kmgt".index(unit[:1].lower().replace("b", "") or " ")
    assert SIZE.parse(f"{number} {unit}") == number * 1024**power


@given(st.text(max_size=8))
def test_any_text_is_a_value_or_a_usage_error(text: str) -> None:
    for kind in (MinimumScore(), Fraction(0, 1), Fraction(), SIZE, Quantity("time", TIMES)):
        with suppress(click.BadParameter):
            assert kind.convert(text, None, None) is not None


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("FindReuse -i TEXT -i TEXT -w 10 --distance 12", "--distance is 12; it must be below"),
        ("FindReuse -i TEXT -i TEXT --recall 0.9", "--recall is for sentences"),
        ("FindReuse -i TEXT -i TEXT --distance 3 --similarity .9", "--distance and --similarity"),
    ],
)
def test_messages_name_what_was_typed(shelf: Shelf, line: str, named: str) -> None:
    outcome = here(*shelf.line(line))
    check_refused(outcome, 2, named)
    assert "tau" not in outcome.err


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
    assert "temporary files cannot be written in this folder" in run.stderr
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
