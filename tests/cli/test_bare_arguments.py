"""A file or folder may be named without an option: the result is the same."""

from __future__ import annotations

import pytest

from .command import check_usage, done, here
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
