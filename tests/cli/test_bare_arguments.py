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
    check_usage(here(*shelf.line(f"{verb} {named} other")), "is given twice", "other")
    check_usage(here(*shelf.line(verb)))


@pytest.mark.parametrize(
    "line",
    [
        "PRINT TEXTS",
        "-f PRINT TEXTS",
        "PRINT -p TEXTS DICT",
        "-f PRINT -p TEXTS DICT",
        "-d DICT TEXTS PRINT",
        "DICT PRINT TEXTS",
    ],
)
def test_compare_directory_sorts_bare_arguments(shelf: Shelf, line: str) -> None:
    expected = done(*shelf.line("CompareDirectory -f PRINT -p TEXTS -d DICT")).out
    assert done(*shelf.line(f"CompareDirectory {line}")).out == expected


def test_compare_directory_takes_the_name_of_a_dictionary(shelf: Shelf) -> None:
    shutil.copy(shelf.document, "copy.txt")
    expected = done(*shelf.line("CompareDirectory -f copy.txt -p TEXTS -d english -s 0")).out
    assert done(*shelf.line("CompareDirectory copy.txt -p TEXTS english -s 0")).out == expected
    assert done(*shelf.line("CompareDirectory copy.txt TEXTS english -s 0")).out == expected


@pytest.mark.parametrize("dictionary", ["english", "DICT"])
def test_a_document_takes_a_bare_dictionary(shelf: Shelf, dictionary: str) -> None:
    shown = done(*shelf.line(f"ShowFingerprint TEXT -d {dictionary}")).out
    for line in (f"TEXT {dictionary}", f"{dictionary} TEXT", f"-f TEXT {dictionary}"):
        assert done(*shelf.line(f"ShowFingerprint {line}")).out == shown
    made = []
    for line in (f"TEXT -d {dictionary}", f"{dictionary} TEXT", f"-i TEXT {dictionary}"):
        done(*shelf.line(f"Fingerprint {line} -o made.xml --force"))
        made.append(done(*shelf.line("ScoreFingerprints made.xml TEXT", OUT="made.xml")).out)
    assert made[1:] == made[:1] * 2


def test_calibrate_takes_a_bare_dictionary(folder: Path) -> None:
    (folder / "few").mkdir()
    for number in range(12):
        (folder / "few" / f"{number}.txt").write_text(prose(number), "utf-8")
    expected = done("Calibrate", "-d", "english", "few", "-o", "a.xml")
    outcome = done("Calibrate", "english", "few", "-o", "b.xml")
    assert outcome.out == expected.out
    assert done("Calibrate", "few", "b.xml").out == expected.out
    check_usage(here("Calibrate", "few"), "name the dictionary with -d, or a collection NAME.sdx")


def test_a_file_with_the_name_of_a_dictionary_is_a_document(shelf: Shelf, folder: Path) -> None:
    shutil.copy(shelf.document, folder / "english")
    check_usage(here("Fingerprint", "english", "-o", "a.xml"), "Missing option '-d'")
    check_usage(here(*shelf.line("ShowFingerprint TEXT english")), "english is given, too")
    done("Fingerprint", "english", "-d", "english", "-o", "a.xml")


def test_a_folder_called_like_a_dictionary_is_searched_if_there_is_no_other(folder: Path) -> None:
    (folder / "english").mkdir()
    for number in range(9):
        (folder / "english" / f"{number}.txt").write_text(prose(number), "utf-8")
    said = "english is read as the folder; the dictionary of this name is -d english"
    outcome = done("CompareDirectory", "english/0.txt", "english", "--all")
    assert said in outcome.errors
    assert (
        outcome.table == done("CompareDirectory", "english/0.txt", "-p", "english", "--all").table
    )
    assert len(done("CompareDirectory", "english", "english", "--all").table) == 9 * 8
    shutil.copy("english/0.txt", "copy.txt")
    outcome = done("CompareDirectory", "copy.txt", "./english", "english", "--all")
    assert said not in outcome.errors
    assert len(outcome.table) == 9


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
    both = here(*shelf.line("CompareDirectory -p TEXTS case/a.txt case"))
    check_usage(both, "-p case; to search for what is in it, write -f case")


def test_compare_directory_names_what_is_missing(shelf: Shelf) -> None:
    check_usage(here(*shelf.line("CompareDirectory TEXTS")), "no fingerprint is given")
    check_usage(here(*shelf.line("CompareDirectory PRINT")), "no folder to search", "-p")
    check_usage(here("CompareDirectory"), "no fingerprint is given")
    check_named(here(*shelf.line("CompareDirectory PRINT nowhere")), 3, "nowhere")


@pytest.mark.parametrize("options", ["-d DICT A B", "A B DICT", "-d DICT -f A -f B", "A PRINT"])
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
    check_named(minimal, 4, "name one with -d")
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


def test_compare_directory_says_that_of_several_files_the_last_is_searched(shelf: Shelf) -> None:
    first, second, last = sorted(shelf.texts.iterdir())[:3]
    note = (
        f"only {last} is searched, for what is in the 2 other files; to search several files, name "
        "their folder, or each with -p"
    )
    files = {"A": first, "B": second, "C": last}
    for line in ("A B C -d DICT", "PRINT A C", "-f PRINT A C", "DICT A PRINT C"):
        assert note in done(*shelf.line(f"CompareDirectory {line}", **files)).errors
    for line in ("PRINT C", "PRINT A TEXTS", "PRINT A -p C"):
        assert "only" not in done(*shelf.line(f"CompareDirectory {line}", **files)).err


def test_compare_directory_says_which_file_it_took_as_the_dictionary(shelf: Shelf) -> None:
    outcome = here(*shelf.line("CompareDirectory DICT TEXTS"))
    check_usage(outcome, f"{shelf.trimmed} is a dictionary (-d), and no fingerprint is given")
