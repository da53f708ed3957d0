"""Folders, names and contents of inputs: whatever is wrong costs one clear line."""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.cli.print_results import report
from sdtext.model import Problem
from tests.support.command import (
    NOISE,
    Outcome,
    check_named,
    check_partly,
    done,
    here,
    parsed,
    prose,
    there,
    write_texts,
)

from .conftest import Shelf

_WALKERS = (
    "CreateDictionary -o OUT -c RECIPE FOLDER", "CompareDirectory -f PRINT -d DICT -p FOLDER",
    "Fingerprint -d DICT -o OUT FOLDER", "Doctor FOLDER", "AddDocuments x.sdx FOLDER",
    "Deduplicate FOLDER -o OUT", "FindReuse FOLDER TEXT", "Mangle FOLDER -m ocr -o OUT",
)  # fmt: skip
"""Command lines of the verbs that read a folder."""
_INPUTS = (
    ("CreateDictionary -o OUT -c RECIPE", "-p"),
    ("CompareDirectory -f PRINT -d DICT", "-p"),
    ("Fingerprint -d DICT -o OUT", "-i"),
    ("AddDocuments new.sdx -c near-duplicate", ""),
    ("FindReuse TEXT", ""),
)
"""The verbs that select files of a folder, and the option that names one beside a bare argument."""


_TEXTLESS = {"picture.png": b"\x89PNG\r\n\x1a\n", "program": b"\x7fELF" + bytes(99), "empty": b""}


@pytest.mark.parametrize("line", _WALKERS)
def test_files_without_text_are_no_errors_of_a_folder(
    shelf: Shelf, folder: Path, line: str
) -> None:
    texts = write_texts(folder / "texts", 3)
    for name, content in _TEXTLESS.items():
        (texts / name).write_bytes(content)
    outcome = done(*shelf.line(line, FOLDER="texts", OUT="out"))
    for name in _TEXTLESS:
        assert f"texts/{name}" in outcome.err + outcome.text
        (texts / name).rename(folder / name)
    outcome = here(*shelf.line(line, FOLDER="picture.png", OUT="out2"))
    assert outcome.code == 3
    assert "not text" in outcome.err + outcome.text


@pytest.mark.parametrize("line", _WALKERS)
def test_a_folder_without_files_or_without_text_is_an_error(
    shelf: Shelf, folder: Path, line: str
) -> None:
    (folder / "empty").mkdir()
    outcome = here(*shelf.line(line, FOLDER="empty", OUT="out.xml"))
    assert outcome.code == 3
    assert sum("empty: contains no files" in error for error in outcome.errors) == 1
    (folder / "empty/picture.png").write_bytes(_TEXTLESS["picture.png"])
    outcome = here(*shelf.line(line, FOLDER="empty", OUT="out"))
    assert outcome.code == 3, outcome.err
    assert "empty/picture.png" in outcome.err + outcome.text


def test_a_folder_is_the_same_however_it_is_named(
    shelf: Shelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = write_texts(folder / "texts", 2, 60)
    write_texts(texts / "drafts", 1, 60)
    write_texts(texts / "node_modules", 1, 60)
    selected = ("--include", "*.txt", "--exclude", "drafts/")
    for line, option in _INPUTS:
        ways = [["../texts"], *([[option, "../texts"]] if option else [])]
        seen = []
        for number, way in enumerate(ways):
            place = folder / f"{line.split()[0]}{number}"
            place.mkdir()
            monkeypatch.chdir(place)
            outcome = here(*shelf.line(line, OUT="out"), *way, *selected)
            assert outcome.code == 0, (line, way, outcome.err)
            seen.append((outcome.out, outcome.err, sorted(path.name for path in place.iterdir())))
        assert all(item == seen[0] for item in seen), (line, seen)


def test_a_file_of_sdtext_among_documents_is_a_warning_named_itself_an_error(shelf: Shelf) -> None:
    Path("in").mkdir()
    shutil.copy(shelf.minimal, "in/print.xml")
    for number in range(2):  # short ones, which also differ from those of the dictionary
        Path(f"in/{number}.txt").write_text(prose(number, 40), "utf-8")
    outcome = done(*shelf.line("Fingerprint in -d DICT -o out.xml"))
    what = "in/print.xml: is a <fingerprint> file of sdtext, not a document; skipped"
    assert f"warning: {what}" in outcome.errors
    assert all(line.startswith(("warning: ", "out.xml: ")) for line in outcome.errors)
    outcome = here(*shelf.line("Fingerprint in/0.txt in/print.xml -d DICT -o out.xml"))
    assert outcome.code == 3
    assert f"error: {what}" in outcome.errors


NAMES: tuple[bytes, ...] = (
    b"two\nlines.txt", b'it\'s "quoted".txt', b"a\ttab and \\ .txt", b"\x1b[31mred\r.txt",
    b"not \xff\xfe utf-8.txt", "Übergröße \u2028 \u202e 漢字.txt".encode(), b"100% & <b>.txt",
    b" .txt ",
)  # fmt: skip


@pytest.fixture(params=NAMES, ids=repr)
def name(request: pytest.FixtureRequest) -> str:
    return os.fsdecode(request.param)


def test_a_document_with_an_odd_name_goes_all_the_way(shelf: Shelf, name: str) -> None:
    odd = Path("odd") / name
    odd.parent.mkdir()
    odd.write_text(prose(7), "utf-8")
    made = ("CreateDictionary", "-o", "d.xml", "-p", "odd", "-p", shelf.texts, "-c", shelf.recipe)
    assert len(done(*made).errors) == 1
    done("Fingerprint", "-i", odd, "-d", shelf.trimmed, "-o", "prints/")
    (made_print,) = Path("prints").iterdir()
    assert made_print.name == f"{name}.xml"

    tsv = done("CompareDirectory", "-f", made_print, "-p", "odd")
    assert tsv.text.count("\n") == 2
    assert "\x1b" not in tsv.text
    (row,) = done("CompareDirectory", "-f", made_print, "-p", "odd", "--format", "json").json[
        "rows"
    ]
    assert (row["score"], row["path"]) == (99, name)
    assert row["fingerprint"] == f"prints/{name}.xml"
    table = done("CompareDirectory", "-f", made_print, "-p", "odd", "--format", "table")
    assert "\x1b" not in table.text


def test_a_bad_document_with_an_odd_name_is_one_printable_line(shelf: Shelf, name: str) -> None:
    odd = Path("odd") / name
    odd.parent.mkdir()
    odd.write_bytes(b"%PDF-1.4\n" + NOISE[:50])
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", "odd")
    check_partly(outcome, 3, ".txt")


def test_a_result_with_an_odd_name_is_written_and_can_be_read(shelf: Shelf, name: str) -> None:
    (line,) = done("CreateDictionary", "-o", name, "-p", shelf.texts, "-c", shelf.recipe).errors
    assert line.isprintable()
    Path("trimmed").mkdir()
    trimmed = Path("trimmed") / name
    done("TrimDictionary", "-d", name, "-o", trimmed, "-b", "0.2")
    for outcome in (
        done("Fingerprint", "-i", shelf.document, "-d", trimmed, "-o", "f.xml"),
        done("ExtractDictionary", "-f", "f.xml", "-d", "e.xml"),
    ):
        (line,) = outcome.errors
        assert line.isprintable()
    done("ShowDictionaryStatistics", "-d", name)


@pytest.mark.parametrize("label", ["\x01", "two\nlines", "\x1b[31mred", "\ufffe", ""])
def test_a_dictionary_may_be_called_anything_or_is_refused_in_a_line(
    shelf: Shelf, label: str
) -> None:
    result = here(
        "CreateDictionary", "-o", "d.xml", "-p", shelf.texts, "-c", shelf.recipe, "--name", label
    )
    if result.code == 0:
        shown = done("ShowDictionaryStatistics", "-d", "d.xml", "--format", "json").json
        assert shown["name"] == (label or "d")
    else:
        assert result.code == 2
        assert result.errors[-1].isprintable()


DOCUMENTS = (
    "TokenizeFile -i BAD -c RECIPE", "ExtractText -i BAD",
    "CreateDictionary -o out.xml -p BAD -c RECIPE", "Fingerprint -i BAD -d DICT -o out.xml",
    "CompareDirectory -f BAD -d DICT -p TEXTS", "ScoreFingerprints -f BAD -f PRINT",
    "ScoreFingerprints -f PRINT -f BAD",
)  # fmt: skip
RECIPES = (
    "TokenizeFile -i TEXT -c BAD",
    "CreateDictionary -o out.xml -p TEXTS -c BAD",
    "Fingerprint -i TEXT -d DICT -o out.xml -c BAD",
)
ARTEFACTS = (
    "TrimDictionary -d BAD -o out.xml", "ShowDictionaryTokens -d BAD",
    "ShowDictionaryStatistics -d BAD", "Fingerprint -i TEXT -d BAD -o out.xml",
    "ExtractDictionary -f BAD -o out.xml", "ScoreFingerprints -f PRINT -f PRINT -d BAD",
    "CompareDirectory -f PRINT -p TEXTS -d BAD",
)  # fmt: skip


def check_bad(run: Callable[..., Outcome], shelf: Shelf, line: str, code: int) -> None:
    check_named(run(*shelf.line(line, BAD="bad.file")), code, "bad.file")
    assert not Path("out.xml").exists()


EVERY = (*DOCUMENTS, *RECIPES, *ARTEFACTS)
CONTENTS = (
    *product(EVERY, (None,), (3,)),
    *product([line for line in EVERY if "-p BAD" not in line], ("folder",), (3,)),
    *product(DOCUMENTS, (b"", b" \n\n\t ", NOISE), (3,)),
    *product(ARTEFACTS, (b"", b"<html></html>"), (5,)),
    *product(RECIPES, (NOISE, b"A letter.\n", b"a = [1,"), (5,)),
)
"""A line, what is there of BAD (nothing, a folder, a file with that content), the exit code."""


@pytest.mark.parametrize(("line", "content", "code"), CONTENTS)
def test_what_is_not_there_or_has_other_content_is_named(
    shelf: Shelf, line: str, content: bytes | str | None, code: int
) -> None:
    if isinstance(content, bytes):
        Path("bad.file").write_bytes(content)
    elif content:
        Path("bad.file").mkdir()
    check_bad(here, shelf, line, code)


def test_a_process_ends_without_a_traceback(shelf: Shelf) -> None:
    check_bad(there, shelf, DOCUMENTS[2], 3)
    Path("bad.file").write_bytes(NOISE)
    check_bad(there, shelf, ARTEFACTS[5], 5)


@pytest.mark.parametrize("line", [DOCUMENTS[0], RECIPES[0], ARTEFACTS[0]])
def test_a_name_that_no_file_can_have_is_named(shelf: Shelf, line: str) -> None:
    check_named(here(*shelf.line(line, BAD="n" * 300)), 3, "n" * 300)


def test_an_encoding_named_wrongly_costs_one_line_and_the_rest_is_done(shelf: Shelf) -> None:
    Path("old.txt").write_bytes(b"caf\xe9 " * 99)
    outcome = here(
        "CreateDictionary",
        *("-o", "d.xml", "-p", "old.txt", "-p", shelf.texts, "-c", shelf.recipe),
        *("--encoding", "utf-8"),
    )
    check_partly(outcome, 3, "old.txt")
    assert parsed("d.xml").findtext("{*}documents") == "30"


@pytest.fixture
def disk(folder: Path) -> Path:
    """A folder with a text, seven RAR archives and one damaged document."""
    place = folder / "disk"
    place.mkdir()
    (place / "a.txt").write_text(prose(1), "utf-8")
    for number in range(7):
        (place / f"n{number}.bin").write_bytes(b"Rar!" + NOISE)
    (place / "z.pdf").write_bytes(b"%PDF-1.4\n" + NOISE[:50])
    return place


def listed(outcome: Outcome) -> list[str]:
    return [line for line in outcome.errors if line.startswith("error: ")]


def create(disk: Path, *options: str) -> Outcome:
    return here("CreateDictionary", "-o", "d.xml", "-p", disk, "-c", "english", *options)


def test_quiet_leaves_errors_alone(disk: Path) -> None:
    loud, quiet = create(disk), create(disk, "--quiet", "--force")
    assert quiet.code == 3
    assert quiet.errors == listed(loud)
    assert len(loud.errors) > len(quiet.errors)


def test_json_keeps_every_problem(shelf: Shelf, disk: Path) -> None:
    arguments = ["CompareDirectory", "-f", shelf.full, "-p", disk, "--format", "json"]
    outcome = here(*arguments, "--quiet")
    assert len([item for item in outcome.json["problems"] if item["severity"] == "error"]) == 8
    assert len(listed(outcome)) == 5
    assert outcome.code == here(*arguments).code == 3


PROBLEMS = st.lists(
    st.builds(
        lambda severity, wording, number: Problem(
            severity, "unreadable", f"f{number}: {wording} {number}", f"f{number}"
        ),
        st.sampled_from(["warning", "error"]),
        st.sampled_from(["is empty at", "is locked by 'x' for"]),
        st.integers(0, 99),
    ),
    max_size=30,
)


@given(problems=PROBLEMS)
def test_listed_and_counted_make_up_all(problems: list[Problem]) -> None:
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sdtext.cli.print_results.say", lambda line, **_options: lines.append(line))
        code = report(problems)
    kinds: dict[str, list[str]] = {}
    for problem in problems:
        kinds.setdefault(problem.severity, []).append(problem.what)
    shown = [sum(min(3, n) for n in Counter(kind).values()) for kind in kinds.values()]
    most = {"error": 10, "warning": 3}
    hidden = [
        len(each) - min(most[kind], n) for (kind, each), n in zip(kinds.items(), shown, strict=True)
    ]
    rest = [int(line.split()[1]) for line in lines if "more of this kind" in line]
    assert sum(rest) + len(lines) - len(rest) == len(problems)
    assert sorted(rest) == sorted(filter(None, hidden))
    assert code == (3 if any(problem.severity == "error" for problem in problems) else 0)
