"""The pictures of the documentation can be taken again."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT
from tools import report_pictures

COPIED = {"Bielak", "Farah", "Kaya", "Moreau", "Novak", "Petrov", "Sato", "Torres", "Wagner"}


def test_a_class_has_sixty_essays_that_are_the_same_each_time(tmp_path: Path) -> None:
    for name in ("once", "again"):
        report_pictures.write_essays(tmp_path / name)
    essays = {path.stem: path.read_text("utf-8") for path in (tmp_path / "once").iterdir()}
    assert len(essays) == 60 + 1
    assert sum(text.startswith(report_pictures.ASSIGNMENT) for text in essays.values()) == 60
    assert essays.keys() > COPIED
    again = {path.stem: path.read_text("utf-8") for path in (tmp_path / "again").iterdir()}
    assert essays == again


@pytest.mark.deep
@pytest.mark.usefixtures("browser")
def test_the_pictures_of_the_pages_are_taken(tmp_path: Path) -> None:
    subprocess.run(
        (sys.executable, "-m", "tools.report_pictures", tmp_path / "pictures"), cwd=ROOT, check=True
    )
    taken = {path.name for path in (tmp_path / "pictures").iterdir()}
    shown = ROOT / "docs" / "pictures"
    assert taken == {path.name for path in shown.glob("*.png")}
