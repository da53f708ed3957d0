"""A result never takes the place of what it is made from, not even by a slip."""

from itertools import product
from pathlib import Path

import pytest

from tests.support.command import (
    ROOT,
    WRITERS,
    Outcome,
    check_refused,
    done,
    here,
    prose,
    write_texts,
)
from tests.support.commands import VERB_NAMES, command_of

from .conftest import Shelf

LINES = (
    *WRITERS,
    "Deduplicate TEXT -o OUT",
    "Decontaminate TEXT --benchmark README -o OUT",
    "Deduplicate TEXT -o - --removed OUT.csv",
    "Deduplicate TEXT -o - --clusters OUT.jsonl",
)
"""A command line for each option that names an output file."""

OF_OURS = (
    "CreateDictionary",
    "TrimDictionary",
    "KeyDictionary",
    "Fingerprint",
    "ExtractDictionary",
)


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
    ("TrimDictionary -d BAD -b 0.2 -o OUT", "DICT"),
    ("KeyDictionary -d BAD -o OUT", "DICT"),
    ("Fingerprint -i BAD -d DICT -o OUT", "TEXT"),
    ("Fingerprint -i TEXT -d BAD -o OUT", "DICT"),
    ("ExtractDictionary -f BAD -o OUT", "PRINT"),
    ("ExtractText -i BAD -o OUT", "TEXT"),
    ("Deduplicate BAD -o OUT", "TEXT"),
    ("Deduplicate BAD -o k --removed OUT.csv", "TEXT"),
    ("Deduplicate BAD -o k --clusters OUT.csv", "TEXT"),
)


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
