"""Outputs appear whole or not at all and replace no input; the standard streams."""

import gc
import os
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sdtext.collections.storage import catalog
from sdtext.collections.stored_collection import StoredCollection
from tests.support.command import (
    RECORDS,
    ROOT,
    ROWS,
    WRITERS,
    Outcome,
    check_refused,
    done,
    here,
    parsed,
    prose,
    shell,
    there,
    write_texts,
)
from tests.support.commands import VERB_NAMES, command_of

from .conftest import Shelf

BAD_OUTPUTS = ("missing/out.xml", "file.txt/out.xml", "/proc/out.xml", "folder", "/dev/full")


@pytest.mark.parametrize("line", WRITERS)
@pytest.mark.parametrize("output", BAD_OUTPUTS)
def test_an_output_that_cannot_be_written_is_one_line(shelf: Shelf, line: str, output: str) -> None:
    if output == "folder" and line.startswith("Fingerprint"):
        pytest.skip("there a folder is right")
    Path("file.txt").write_text("text", "utf-8")
    Path("folder").mkdir()
    outcome = here(*[output if word == "OUT" else word for word in shelf.line(line)])
    assert outcome.code == 6, outcome.err[-1000:]
    errors = [line for line in outcome.errors if not line.startswith("keeps ")]
    assert len(errors) == 1, errors
    assert output in errors[0]
    assert sorted(path.name for path in Path().iterdir()) == ["file.txt", "folder"]
    assert list(Path("folder").iterdir()) == []


@pytest.mark.parametrize("output", ["file.txt/prints/", "/proc/prints/", "/proc/sys/"])
def test_a_folder_that_cannot_be_written_to_is_one_line(shelf: Shelf, output: str) -> None:
    Path("file.txt").write_text("text", "utf-8")
    outcome = here("Fingerprint", "-i", shelf.document, "-d", shelf.trimmed, "-o", output)
    check_refused(outcome, 6, output.rstrip("/"))


@pytest.mark.parametrize("line", ["--help", ROWS[2], RECORDS[1], *WRITERS[2:3], WRITERS[4]])
def test_a_full_device_behind_the_standard_output_is_one_line(shelf: Shelf, line: str) -> None:
    arguments = ["-" if word == "OUT" else word for word in shelf.line(line)]
    outcome = shell('"$@" > /dev/full', *arguments)
    assert outcome.code == 6, outcome.err[-1000:]
    assert "Exception" not in outcome.err
    (message,) = (line for line in outcome.errors if "standard output" in line)
    assert message.endswith(
        "no space left on device; free some, or choose a folder on another disk"
    )
    assert len(outcome.errors) <= 3


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("line", [
    "ExtractText TEXT", "ShowFingerprint PRINT --format json",
    pytest.param("FindReuse TEXTS --format html", marks=pytest.mark.deep),
    "Fingerprint TEXT -d DICT -o -", "FindReuse --help",
])  # fmt: skip
def test_a_disk_that_fills_up_cuts_no_result_silently(
    shelf: Shelf, line: str, unbuffered: str
) -> None:
    # Files of 1 KB at the most: the first write of a larger result is a short one.
    limits = f"ulimit -f 1; export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED={unbuffered}"
    outcome = shell(f'{limits}; "$@" > out', *shelf.line(line))
    assert Path("out").stat().st_size == 1024
    assert outcome.code == 6, outcome.err[-1000:]
    assert "Exception" not in outcome.err
    assert sum("standard output" in line for line in outcome.errors) == 1


@pytest.mark.parametrize(("line", "kilobytes", "named"), [
    (WRITERS[0].replace("OUT", "out.xml --force"), 4, "out.xml"),
    (WRITERS[2].replace("OUT", "out.xml --force"), 4, "out.xml"),
    ("Fingerprint TEXT -d DICT -o fp/", 4, "file too large"),
    ("Deduplicate r.jsonl -o k.jsonl", 40, "TMPDIR"),
])  # fmt: skip
def test_a_disk_that_fills_up_leaves_what_was_there(
    shelf: Shelf, line: str, kilobytes: int, named: str
) -> None:
    Path("out.xml").write_text("what was there", "utf-8")
    texts = (" ".join(str(1000 * seed + word) for word in range(200)) for seed in range(150))
    records = (f'{{"id": {seed}, "text": "{text}"}}\n' for seed, text in enumerate(texts))
    Path("r.jsonl").write_text("".join(records), "utf-8")
    # Python would cut byte code short, too, and read it later.
    limits = f"ulimit -f {kilobytes}; export PYTHONDONTWRITEBYTECODE=1"
    outcome = shell(f'{limits}; "$@"', *shelf.line(line))
    assert outcome.code == 6, outcome.err
    assert named in outcome.errors[-1]
    assert ".sdtext-" not in outcome.err
    assert sorted(path.name for path in Path().iterdir()) == ["out.xml", "r.jsonl"]
    assert Path("out.xml").read_text("utf-8") == "what was there"


def test_disk_space_held_by_a_reader_is_reported(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "_SHORT", 1)
    reader = StoredCollection.open(stored)
    outcome = here("RemoveDocuments", stored, "c.txt", "--purge")
    assert outcome.code == 6
    assert outcome.errors[0] == "1 document removed from x.sdx, which has 2 documents"
    assert "another process is reading it" in outcome.errors[1]
    del reader, outcome
    gc.collect()  # the command ran in this process
    assert done("RemoveDocuments", stored, "--purge").errors[-1].startswith("no data of removed")


def test_a_link_as_output_stays_a_link_to_what_is_written(shelf: Shelf) -> None:
    Path("store").mkdir()
    Path("link.xml").symlink_to("store/real.xml")
    command = ["TrimDictionary", "-d", shelf.dictionary, "-b", "0.2", "-t", "0.9", "-o"]
    for _ in range(2):
        done(*command, "link.xml")
        assert Path("link.xml").is_symlink()
        assert len(parsed("store/real.xml").findall(".//{*}term")) > 100


def test_packed_results_are_the_same_files_packed(shelf: Shelf) -> None:
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.2", "-t", "0.9", "-o", "t.xml.gz")
    done("Fingerprint", "-i", shelf.document, "-d", "t.xml.gz", "-o", "f.xml.gz")
    assert Path("t.xml.gz").read_bytes()[:2] == b"\x1f\x8b"
    terms = [term.text for term in parsed("t.xml.gz").iterfind(".//{*}term")]
    assert terms == [term.text for term in parsed(shelf.trimmed).iterfind(".//{*}term")]
    scored = done("ScoreFingerprints", "-f", "f.xml.gz", "-f", shelf.full, "--format", "json").json
    assert scored["score"] == 99


def test_two_runs_of_a_minimal_fingerprint_give_the_same_bytes(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())
    for name, jobs in (("a.xml.gz", "1"), ("b.xml.gz", "2")):
        done("Fingerprint", "-d", shelf.trimmed, "--profile", "minimal", "-o", name,
             "--jobs", jobs, *files)  # fmt: skip
    assert Path("a.xml.gz").read_bytes() == Path("b.xml.gz").read_bytes()


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


@pytest.mark.parametrize(("line", "piped"), [
    ("ExtractText -i -", "document"), ("TokenizeFile -i - -c RECIPE", "document"),
    ("TokenizeFile -i TEXT -c -", "dictionary"), ("ShowDictionaryTokens -d -", "trimmed"),
    ("ShowDictionaryStatistics -d -", "trimmed"), ("ScoreFingerprints -f - -f PRINT", "full"),
    ("CompareDirectory -f PRINT -p TEXTS -d -", "trimmed"),
])  # fmt: skip
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


LINES = (
    *WRITERS, "Deduplicate TEXT -o OUT", "Decontaminate TEXT --benchmark README -o OUT",
    "Deduplicate TEXT -o - --removed OUT.csv", "Deduplicate TEXT -o - --clusters OUT.jsonl",
)  # fmt: skip
"""A command line for each option that names an output file."""

OF_OURS = (
    "CreateDictionary", "TrimDictionary", "KeyDictionary", "Fingerprint", "ExtractDictionary",
)  # fmt: skip


def test_every_verb_with_an_output_file_is_tried_here() -> None:
    outputs = {"output", "kept", "removed", "clusters"}
    writing = {
        verb for verb in VERB_NAMES if outputs & {each.name for each in command_of(verb).params}
    }
    # Calibrate needs many documents, and has a test of its own.
    assert {*(line.split()[0] for line in LINES), "Calibrate"} == writing
    for verb in writing:
        assert "--force" in done(verb, "--help").text


def run(shelf: Shelf, line: str, output: str, *more: str, **others: object) -> Outcome:
    """The outcome of the line with `output` in place of OUT."""
    text = " ".join(word.replace("OUT", output) for word in line.split())
    return here(*shelf.line(text, README=ROOT / "README.md", **others), *more)


@pytest.mark.parametrize("line", LINES)
def test_a_file_of_another_kind_is_replaced_only_by_force(shelf: Shelf, line: str) -> None:
    ending = next((word[3:] for word in line.split() if word.startswith("OUT")), "")
    name = f"letter{ending}"
    for content in (shelf.document.read_bytes(), shelf.recipe.read_bytes(), b"a letter"):
        Path(name).write_bytes(content)
        for _ in range(2):
            check_refused(run(shelf, line, "letter"), 6, name)
        assert Path(name).read_bytes() == content
    outcome = run(shelf, line, "letter", "--force")
    assert outcome.code == 0, outcome.err
    assert Path(name).read_bytes() != content
    again = run(shelf, line, "letter")
    if line.startswith(OF_OURS) or ending:  # recognised as an earlier result
        assert again.code == 0, again.err
    else:
        check_refused(again, 6, name)
    Path(name).write_bytes(b"")  # nothing is lost with an empty file
    assert run(shelf, line, "letter").code == 0


INPUTS = (
    ("CreateDictionary -p BAD -c RECIPE -o OUT", "TEXT"),
    ("CreateDictionary -p TEXTS -c BAD -o OUT", "RECIPE"),
    ("TrimDictionary -d BAD -b 0.2 -o OUT", "DICT"), ("KeyDictionary -d BAD -o OUT", "DICT"),
    ("Fingerprint -i BAD -d DICT -o OUT", "TEXT"), ("Fingerprint -i TEXT -d BAD -o OUT", "DICT"),
    ("ExtractDictionary -f BAD -o OUT", "PRINT"), ("ExtractText -i BAD -o OUT", "TEXT"),
    ("Deduplicate BAD -o OUT", "TEXT"), ("Deduplicate BAD -o k --removed OUT.csv", "TEXT"),
    ("Deduplicate BAD -o k --clusters OUT.csv", "TEXT"),
)  # fmt: skip


@pytest.mark.parametrize(("line", "kind"), INPUTS)
def test_an_input_is_not_even_replaced_by_force_under_any_name(
    shelf: Shelf, line: str, kind: str
) -> None:
    (source,) = map(str, shelf.line(kind))
    put = "put.csv" if ".csv" in line else "put.out"
    Path("in").mkdir()
    content = Path(source).read_bytes()
    Path(f"in/{put}").write_bytes(content)
    Path(f"soft{put}").symlink_to(f"in/{put}")
    before = sorted(Path().rglob("*"))
    for name in (f"in/{put}", f"soft{put}"):
        output = name.removesuffix(".csv")
        check_refused(run(shelf, line, output, "--force", BAD=f"in/{put}"), 6)
    assert sorted(Path().rglob("*")) == before
    assert Path(f"in/{put}").read_bytes() == content


def test_a_fingerprint_replaces_no_letter_in_a_folder_of_results(shelf: Shelf) -> None:
    line = "Fingerprint -d DICT -o out/ TEXT BAD"
    Path("b.txt").write_text(prose(5), "utf-8")
    for _ in range(2):
        done(*shelf.line(line, BAD="b.txt"))
    before = Path("out", f"{shelf.document.name}.xml").read_bytes()
    Path("out/b.txt.xml").write_text("a letter", "utf-8")
    check_refused(here(*shelf.line(line, BAD="b.txt")), 6, "out/b.txt.xml")
    assert Path("out", f"{shelf.document.name}.xml").read_bytes() == before  # not begun
    assert Path("out/b.txt.xml").read_text("utf-8") == "a letter"
    assert here(*shelf.line(line, BAD="b.txt"), "--force").code == 0
    assert "<fingerprint" in Path("out/b.txt.xml").read_text("utf-8")


def test_a_copy_replaces_a_file_only_by_force_and_never_an_input(folder: Path) -> None:
    letters, line = write_texts(folder / "letters", 2), ("Mangle", "-m", "shuffle(of=lines)")
    copy = Path("out/000.shuffle-lines.1.txt")
    copy.parent.mkdir()
    copy.write_text("mine", "utf-8")
    check_refused(here(*line, "letters", "-o", "out"), 6, str(copy))
    assert [path.read_text("utf-8") for path in copy.parent.iterdir()] == ["mine"]
    done(*line, "letters", "-o", "out", "--force")
    lines = (letters / "000.txt").read_text("utf-8").splitlines()
    assert sorted(copy.read_text("utf-8").splitlines()) == sorted(lines)
    mine = Path(copy).rename(letters / copy.name)
    before = {path: path.read_bytes() for path in letters.iterdir()}
    for given, output in (
        (["letters"], "letters/new/deep"),
        ([letters / "000.txt", mine], "letters"),
        (["letters"], mine),
    ):
        check_refused(here(*line, *given, "-o", output, "--force"), 6)
    assert {path: path.read_bytes() for path in letters.iterdir()} == before


def test_what_an_interrupted_command_leaves_is_no_document(shelf: Shelf) -> None:
    Path("in/.sdtext-deduplicate-x").mkdir(parents=True)
    for name in ("a.txt", ".sdtext-0123456789abcdef.part", ".sdtext-deduplicate-x/lock"):
        Path("in", name).write_text(prose(1), "utf-8")
    outcome = done(*shelf.line("CreateDictionary -c RECIPE -p in -o d.xml"))
    assert "of 1 document in" in outcome.errors[0]
    assert sum("unfinished result of sdtext; skipped" in line for line in outcome.errors) == 2


def test_no_input_is_overwritten_in_a_folder_of_results(shelf: Shelf) -> None:
    text = shelf.document.read_bytes()
    Path("d.xml").write_bytes(shelf.dictionary.read_bytes())
    Path("in").mkdir()
    for name in ("in/d", "in/e", "in/e.xml"):
        Path(name).write_bytes(text)
    Path("e.xml").hardlink_to("in/e.xml")
    assert here("Fingerprint", "-d", "d.xml", "-o", "./", "in/d", "in/e", "in/e.xml").code == 0
    assert Path("d.xml").read_bytes() == shelf.dictionary.read_bytes()
    assert Path("e.xml").read_bytes() == text
    assert {path.name for path in Path().glob("*-2.xml")} == {"d-2.xml", "e-2.xml"}


@pytest.mark.parametrize(
    ("given", "output"),
    [
        *product(["in"], ["in", "in/", "in/new/", "in/prints.xml", "link", "link/x.xml"]),
        *product(["in/0.txt in/1.txt"], ["in", "in/", "link"]),
    ],
)
def test_fingerprints_are_not_left_among_the_documents(
    shelf: Shelf, given: str, output: str
) -> None:
    """CompareDirectory would list each document and its fingerprint."""
    Path("in").mkdir()
    Path("link").symlink_to("in")
    for number in range(2):
        Path(f"in/{number}.txt").write_text(prose(number), "utf-8")
    line = shelf.line(f"Fingerprint {given} -d DICT --force -o OUT", OUT=output)
    check_refused(here(*line), 6, f"{output}: ")
    assert sorted(path.name for path in Path("in").iterdir()) == ["0.txt", "1.txt"]
    done(*shelf.line(f"Fingerprint {given} -d DICT -o out/"))
