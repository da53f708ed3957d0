"""EvaluateReuse: measures over folders, warnings about unmatched files, damage."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.support.command import Outcome, check_partly, here

FIGURES = ("precision", "recall", "granularity", "plagdet")


def pan(*cases: tuple[int, int, int], name: str = "plagiarism", of: str = "a.txt") -> str:
    """PAN's XML of cases: offset, length and offset in the source, of that length, too."""
    features = "".join(
        f'<feature name="{name}" this_offset="{start}" this_length="{size}" '
        f'source_reference="b.txt" source_offset="{source}" source_length="{size}"/>'
        for start, size, source in cases
    )
    return f'<document reference="{of}">{features}</document>'


def write(folder: str, **files: str) -> Path:
    """A folder of files; __ in a name stands for /."""
    for name, content in files.items():
        path = Path(folder) / f"{name.replace('__', '/')}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return Path(folder)


def evaluated(*more: str) -> Outcome:
    return here("EvaluateReuse", "truth", "found", *more)


def figures(outcome: Outcome, average: str = "macro", folder: str = "") -> list[float]:
    [row] = [
        row for row in outcome.json["rows"] if (row["folder"], row["average"]) == (folder, average)
    ]
    return [round(row[name], 6) for name in FIGURES]


@pytest.fixture(autouse=True)
def truth() -> None:
    """Two pairs with cases, in two folders, and one without any."""
    write(
        "truth",
        none__1=pan((0, 100, 0)),
        replaced__2=pan((0, 100, 0), (500, 20, 500), name="artificial-plagiarism"),
        replaced__3=pan(of="c.txt"),
    )


@pytest.mark.parametrize("side", ["truth", "found"])
def test_damaged_files_are_a_line_each_and_the_rest_is_done(side: str) -> None:
    write("found", none__1=pan((0, 100, 0)), replaced__2=pan(), replaced__3=pan())
    Path(side, "replaced", "2.xml").write_text("<!DOCTYPE document><document/>", "utf-8")
    Path(side, "replaced", "3.xml").write_bytes(gzip.compress(pan().encode())[:-9])
    outcome = evaluated("--format", "json")
    check_partly(outcome, 5, "2.xml", "3.xml")
    assert figures(outcome) == [1, 1, 1, 1]
    assert len(outcome.json["problems"]) == 2
