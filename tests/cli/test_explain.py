"""--explain: the shared terms that weigh most, in every format."""

from __future__ import annotations

import io
import shutil

import pytest

from sdtext.reports.row_formats import write_rows
from tests.support.command import done
from tests.support.commands import CONTROL, EVIL

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


@pytest.mark.parametrize("form", ["table", "tsv", "csv", "json", "jsonl"])
def test_terms_of_strangers_do_not_control_the_terminal(form: str) -> None:
    class Terminal(io.BytesIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    terms = [{"term": EVIL, "idf": 1.0, "share": 0.5}]
    columns = ["path", "shared_terms"]
    write_rows(screen, form, columns, [{"path": "a", "shared_terms": terms}], {})
    text = screen.getvalue().decode()
    assert "owned" in text
    assert not CONTROL.search(text.replace("\n", ""))
    assert "\nfake" not in text
