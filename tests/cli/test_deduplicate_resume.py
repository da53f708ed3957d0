"""Deduplicate --resume: a run that was killed goes on, with the result of one that was not."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from sdtext.deduplication.progress_file import ProgressFile
from tests.languages import SAMPLES

from .command import check_refused, here

UNITS = pytest.mark.parametrize("unit", ["document", "passage"])


@pytest.fixture
def records(folder: Path) -> Path:
    """Records in batches, with copies of earlier ones, and a line that is none."""
    chance = random.Random(5)
    texts = list[str]()
    for number in range(1600):
        words = (f"w{chance.randrange(4000)}" for _ in range(60))
        new = " ".join(words).capitalize() + "."
        texts.append(chance.choice(texts) + f" N{number}." if number % 7 == 6 else new)
    lines = [json.dumps({"id": number, "text": text}) for number, text in enumerate(texts)]
    path = folder / "pages.jsonl"
    path.write_text("\n".join([*lines[:700], "no record", *lines[700:]]))
    return path


RESUMED = ("--resume", "progress")


def line(unit: str, name: str, *more: str) -> list[str]:
    return [
        *("Deduplicate", "pages.jsonl", "--unit", unit, "-o", f"{name}.jsonl"),
        *("--removed", f"{name}.removed.jsonl", "--force", *more),
    ]


def unfinished(unit: str) -> bytes:
    """The progress of a run that reads everything, but cannot write."""
    command = ("Deduplicate", "pages.jsonl", "--unit", unit, *RESUMED, "--force")
    assert here(*command, "-o", "/dev/full").code == 6
    return Path("progress").read_bytes()


def results(name: str) -> list[bytes]:
    return [Path(f"{name}{ending}").read_bytes() for ending in (".jsonl", ".removed.jsonl")]


@UNITS
@pytest.mark.usefixtures("records")
def test_a_run_goes_on_from_any_byte(unit: str) -> None:
    whole = here(*line(unit, "whole"))
    progress = unfinished(unit)
    chance = random.Random(7)
    for size in (0, 5, len(progress), *(chance.randrange(len(progress)) for _ in range(4))):
        Path("progress").write_bytes(progress[:size])
        again = here(*line(unit, "kept", *RESUMED))
        assert (again.code, again.errors) == (whole.code, whole.errors)
        assert results("kept") == results("whole")
        assert not Path("progress").exists()


@UNITS
@pytest.mark.usefixtures("records")
def test_a_killed_run_goes_on(unit: str) -> None:
    here(*line(unit, "whole"))
    command = [sys.executable, "-m", "sdtext", *line(unit, "kept", *RESUMED)]
    process = subprocess.Popen([*command, "--jobs", "1"], stderr=subprocess.DEVNULL)
    progress = Path("progress")
    while process.poll() is None and not (progress.exists() and progress.stat().st_size > 100):
        time.sleep(0.002)
    process.kill()
    process.wait()
    here(*line(unit, "kept", *RESUMED))
    assert results("kept") == results("whole")


def test_what_was_read_is_not_read_again(records: Path) -> None:
    """The file is changed behind its back: its old texts are compared, the new ones written."""
    here(*line("document", "whole"))
    unfinished("document")
    status = records.stat()
    records.write_bytes(records.read_bytes().replace(b"w1", b"v1"))
    os.utime(records, ns=(status.st_atime_ns, status.st_mtime_ns))
    here(*line("document", "kept", *RESUMED))
    assert results("kept")[1] == results("whole")[1]


def test_other_progress_is_refused(records: Path) -> None:
    resumed, progress = line("document", "kept", *RESUMED), unfinished("document")
    check_refused(
        here(*resumed, "-c", "deduplicate-idf"), 2, "progress: has the progress of another"
    )
    check_refused(here(*line("passage", "kept", *RESUMED)), 2, "progress: has the")
    for wrong, message in (
        (progress[:-9] + b"x" + progress[-8:], "progress: is damaged; delete it"),
        (b"a list of things\n", "progress: is not the progress of a deduplication"),
    ):
        Path("progress").write_bytes(wrong)
        check_refused(here(*resumed), 5, message)
        assert Path("progress").read_bytes() == wrong
        assert not Path("kept.jsonl").exists()
    Path("progress").write_bytes(progress)
    records.write_bytes(records.read_bytes() + b"\n")
    check_refused(here(*resumed), 2, "its inputs or its options have changed")
    check_refused(here(*line("document", "kept", "--resume", "pages.jsonl")), 6, "pages.jsonl")


@pytest.mark.usefixtures("folder")
def test_a_resumed_run_warns_of_texts_in_another_language_as_well() -> None:
    rows = [{"text": f"{SAMPLES['french'].text * 9} {number}"} for number in range(3)]
    Path("r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    command = ("Deduplicate", "r.jsonl", "-c", "near-duplicate", *RESUMED)
    assert here(*command, "-o", "/dev/full").code == 6
    (warning,) = [line for line in here(*command, "-o", "k.jsonl").errors if "seems" in line]
    assert warning.startswith("warning: r.jsonl: line 1: seems to be French; the recipe is for E")
    assert warning.endswith("recipe deduplicate fits (and 2 more documents)")


def test_standard_input_cannot_be_resumed() -> None:
    outcome = here("Deduplicate", "-", "-o", "k.jsonl", "--resume", "p", stdin=b'{"text": ""}\n')
    check_refused(outcome, 2, "--resume is for files: standard input cannot be read a second time")


@pytest.mark.usefixtures("folder")
def test_progress_by_another_recipe_or_of_a_changed_archive_is_refused() -> None:
    rows = [f'{{"text": "{text}"}}\n' for text in ("one two three", "four five six")]
    recipe = 'tokenizer = "words"\nfilters = [{}]\nshingler = "words"\n'
    filters = ['"lowercase"', '"porter"', '{name = "stop-words", language = "english"}']
    for name, extra in (("a", []), ("b", ['"no-tokens-with-numbers"'])):
        Path(f"{name}.toml").write_text(recipe.format(", ".join(filters + extra)))
    for content in (rows, [*rows, *rows]):
        with zipfile.ZipFile("c.zip", "w") as archive:
            archive.writestr("r.jsonl", "".join(content))
        if content == rows:
            full = ("-o", "/dev/full", "--force", *RESUMED)
            assert here("Deduplicate", "c.zip!r.jsonl", "-c", "a.toml", *full).code == 6
            refused = here(
                "Deduplicate", "c.zip!r.jsonl", "-c", "b.toml", "-o", "k.jsonl", *RESUMED
            )
            check_refused(refused, 2, "another run")
    refused = here("Deduplicate", "c.zip!r.jsonl", "-c", "a.toml", "-o", "k.jsonl", *RESUMED)
    check_refused(refused, 2, "another run")


@pytest.mark.parametrize("verb", ["Deduplicate", "Decontaminate"])
@pytest.mark.usefixtures("folder")
def test_progress_is_for_one_run_at_a_time(verb: str) -> None:
    Path("r.jsonl").write_text('{"text": "one two three four five six seven eight"}\n')
    Path("items.jsonl").write_text('{"question": "one two three four five six seven eight"}\n')
    more = ("--benchmark", "items.jsonl") if verb == "Decontaminate" else ()
    command = (verb, "r.jsonl", "-o", "k.jsonl", *more, "--resume")
    with ProgressFile("progress", "deduplication", "a1"):
        before = Path("progress").read_bytes()
        check_refused(here(*command, "progress"), 6, "progress: is the progress of a run that has")
    assert Path("progress").read_bytes() == before
    check_refused(here(*command, ""), 2, "--resume: names no file")
    Path("empty").touch()
    assert here(*command, "empty").code == 0


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_no_progress_is_left_alone() -> None:
    Path("thesis.txt").write_text("thesis")
    Path("r.jsonl").write_text('{"text": "one two three"}\n')
    command = ("Deduplicate", "r.jsonl", "-o", "k.jsonl", "--resume", "thesis.txt")
    check_refused(here(*command), 5, "thesis.txt")
    restored = here(*command, "--unit", "passage", "--restore", "r.jsonl", "--force")
    assert restored.code == 2
    assert Path("thesis.txt").read_text() == "thesis"
