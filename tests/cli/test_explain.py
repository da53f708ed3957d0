"""--explain: the shared terms that weigh most, in every format."""

from __future__ import annotations

import shutil

import pytest

from tests.support.command import done

from .conftest import Shelf


@pytest.mark.parametrize("verb", ["ScoreFingerprints -f PRINT -f", "CompareDirectory -p PRINT -f"])
def test_without_the_dictionary_there_are_counts_and_a_warning(shelf: Shelf, verb: str) -> None:
    copy = shutil.copy(shelf.minimal, "print.xml")  # its dictionary is not beside it
    line = shelf.line(verb, PRINT=copy)
    outcome = done(*line, copy, "-m", "cosine", "--explain", "--format", "table")
    assert "common" in outcome.text
    assert "warning: the shared terms of 1 result are not listed" in outcome.err
    assert "-d" in outcome.err
    quiet = done(*line, copy, "-m", "cosine", "--explain", "--quiet")
    assert quiet.err == ""
