"""A file or folder may be named without an option: the result is the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .command import check_named, check_usage, done, here, prose
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
