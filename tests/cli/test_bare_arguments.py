"""A file or folder may be named without an option: the result is the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command import done

from .conftest import Shelf


@pytest.mark.parametrize("line", ["case TEXTS", "-f case TEXTS", "-p TEXTS case"])
def test_the_files_of_a_first_folder_are_the_queries(shelf: Shelf, folder: Path, line: str) -> None:
    (folder / "case").mkdir()
    for name in ("a.txt", "b.txt"):
        shutil.copy(shelf.document, folder / "case" / name)
    expected = done(*shelf.line("CompareDirectory case/a.txt case/b.txt TEXTS")).out
    outcome = done(*shelf.line(f"CompareDirectory {line}"))
    assert outcome.out == expected
