"""A file or folder may be named without an option: the result is the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .command import ROOT, check_named, check_usage, done, here, prose
from .conftest import Shelf

_SINGLE = (
    ("ExtractText", "-i TEXT"),
    ("TokenizeFile -c RECIPE", "-i TEXT"),
    ("ShowFingerprint", "-f PRINT"),
    ("ExtractDictionary -d OUT --force", "-f PRINT"),
    ("TrimDictionary -o OUT", "-d DICT"),
    ("ShowDictionaryTokens --limit 9", "-d DICT"),
    ("ShowDictionaryStatistics", "-d DICT"),
)
"""Command lines of verbs with one input, and how an option names it."""


@pytest.mark.parametrize(("verb", "named"), _SINGLE)
def test_a_single_file_needs_no_option(shelf: Shelf, verb: str, named: str) -> None:
    by_option = done(*shelf.line(f"{verb} {named}", OUT="a.xml"))
    _, value = named.split()
    assert done(*shelf.line(f"{verb} {value}", OUT="b.xml")).out == by_option.out


@pytest.mark.parametrize(("verb", "named"), _SINGLE)
def test_a_single_file_is_named_once(shelf: Shelf, verb: str, named: str) -> None:
    check_usage(here(*shelf.line(f"{verb} {named} other")), "other")
    check_usage(here(*shelf.line(verb)))


@pytest.mark.parametrize(
    "line",
    [
        "PRINT TEXTS",
        "-f PRINT TEXTS",
        "-d DICT TEXTS PRINT",
    ],
)
def test_compare_directory_sorts_bare_arguments(shelf: Shelf, line: str) -> None:
    expected = done(*shelf.line("CompareDirectory -f PRINT -p TEXTS -d DICT")).out
    assert done(*shelf.line(f"CompareDirectory {line}")).out == expected


def test_calibrate_takes_a_bare_dictionary(folder: Path) -> None:
    (folder / "few").mkdir()
    for number in range(12):
        (folder / "few" / f"{number}.txt").write_text(prose(number), "utf-8")
    expected = done("Calibrate", "-d", "english", "few", "-o", "a.xml")
    outcome = done("Calibrate", "english", "few", "-o", "b.xml")
    assert outcome.out == expected.out
    check_usage(here("Calibrate", "few"), "DIR")


def test_compare_directory_searches_a_last_file(shelf: Shelf) -> None:
    expected = done(*shelf.line("CompareDirectory -f PRINT -p TEXT")).out
    assert done(*shelf.line("CompareDirectory PRINT TEXT")).out == expected


@pytest.mark.parametrize("line", ["case TEXTS", "-f case TEXTS", "-p TEXTS case"])
def test_the_files_of_a_first_folder_are_the_queries(shelf: Shelf, folder: Path, line: str) -> None:
    (folder / "case").mkdir()
    for name in ("a.txt", "b.txt"):
        shutil.copy(shelf.document, folder / "case" / name)
    expected = done(*shelf.line("CompareDirectory case/a.txt case/b.txt TEXTS")).out
    outcome = done(*shelf.line(f"CompareDirectory {line}"))
    assert outcome.out == expected
    assert outcome.errors[0] == "queries: 2 fingerprints, also of case"


def test_compare_directory_names_what_is_missing(shelf: Shelf) -> None:
    check_usage(here(*shelf.line("CompareDirectory TEXTS")), "FINGERPRINT")
    check_usage(here(*shelf.line("CompareDirectory PRINT")), "DIR")
    check_usage(here("CompareDirectory"), "FINGERPRINT")
    check_named(here(*shelf.line("CompareDirectory PRINT nowhere")), 3, "nowhere")


@pytest.mark.parametrize("options", ["-d DICT A B", "-d DICT -f A -f B", "A PRINT"])
def test_documents_are_scored_as_their_fingerprints(shelf: Shelf, options: str) -> None:
    left, right = shelf.texts / "003.txt", shelf.document
    done("Fingerprint", "-d", shelf.trimmed, "-o", "left.xml", left)
    expected = done(*shelf.line("ScoreFingerprints left.xml PRINT")).out
    line = shelf.line(f"ScoreFingerprints {options}", A=left, B=right)
    assert done(*line).out == expected


def test_documents_are_scored_by_the_dictionary_of_their_language() -> None:
    texts = ROOT / "tests" / "samples" / "texts"
    pair = (texts / "union-edited.txt", texts / "union.txt")
    scored = done("ScoreFingerprints", *pair)
    assert scored.out == done("ScoreFingerprints", *pair, "-d", "english").out
    assert scored.errors[0] == "dictionary: english, which comes with sdtext"
    compared = done("CompareDirectory", pair[1], pair[0], "--format", "json").json["rows"]
    assert compared[0]["score"] == int(scored.table[1]["value"])


def test_a_document_without_a_dictionary_is_not_scored(shelf: Shelf) -> None:
    copy = shutil.copy(shelf.minimal, "print.xml")  # its dictionary is not beside it
    minimal = here(*shelf.line("ScoreFingerprints TEXT MINIMAL", MINIMAL=copy))
    check_named(minimal, 4)
    Path("numbers.txt").write_text("1 2 3 4 5 6 7 8 9\n" * 40)
    check_named(here("ScoreFingerprints", "numbers.txt", "numbers.txt"), 4, "numbers.txt")


def test_find_reuse_says_that_several_files_are_not_compared_with_each_other(shelf: Shelf) -> None:
    texts = sorted(shelf.texts.iterdir())[:3]
    *_, last = done("FindReuse", *texts).errors
    assert last == (
        f"only {texts[0]} is compared with the 2 other files; to compare all with each other, name "
        f"their folder, {shelf.texts}"
    )
    shutil.copy(texts[0], "copy.txt")
    assert done("FindReuse", "copy.txt", *texts[:2]).errors[-1].endswith("name their folder")
    assert "only" not in done("FindReuse", *texts[:2]).err
    again = done("FindReuse", "--short", *texts[:2], texts[0])
    assert again.out == done("FindReuse", "--short", *texts[:2]).out
    assert again.errors[-1] == "a file or folder that is named twice counts where it is named first"
    assert "only" not in done("FindReuse", shelf.texts).err


def test_find_reuse_says_that_two_folders_are_not_compared_within(
    shelf: Shelf, folder: Path
) -> None:
    texts = sorted(shelf.texts.iterdir())[:5]
    for name, files in {"left": texts[:2], "one": texts[:1], "right": texts[2:]}.items():
        (folder / name).mkdir()
        for file in files:
            shutil.copy(file, folder / name)
    note = (
        "the documents of left are compared with those of right, not with each other; to compare "
        "all with each other, name one folder that holds both, or add both to a collection"
    )
    assert done("FindReuse", "left", "right").errors[-1] == note
    for sides in (["one", "right"], ["left"], [texts[0], texts[1]]):
        assert "with each other; to" not in done("FindReuse", *sides).err
    done("AddDocuments", "c.sdx", "right")
    assert "with each other; to" not in done("FindReuse", "c.sdx", "left").err
