"""FindReuse: files of a folder with the folder, files that are left out, templates."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Outcome, done
from tests.support.planted import PLANTED, text

ESSAYS = ("anna-a", "anna-b", "ben-a", "ben-b", "clara-a")

pytestmark = pytest.mark.usefixtures("essays")


@pytest.fixture
def essays(folder: Path) -> None:
    """Five essays; all but the last have the same passage."""
    (folder / "essays").mkdir()
    for number, name in enumerate(ESSAYS):
        passage = PLANTED if number < 4 else ""
        Path("essays", f"{name}.txt").write_text(f"{text(chr(97 + number) * 4)} {passage}\n")


def find(line: str) -> Outcome:
    """FindReuse with the words of a line, in which patterns are expanded as by a shell."""
    words = []
    for word in shlex.split(line, posix=False):
        paths = sorted(map(str, Path().glob(word))) if "*" in word and "'" not in word else []
        words += paths or shlex.split(word)
    return done("FindReuse", *words)


def pairs(outcome: Outcome) -> list[set[str]]:
    """The essays of each row."""
    return [{Path(row["left"]).stem, Path(row["right"]).stem} for row in outcome.table]


def shares(record: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    """The share and the number of sources of each essay in the JSON of FindReuse."""
    return {
        Path(item["document"]).stem: (item["share"], len(item["sources"]))
        for item in record["coverage"]
    }


@pytest.mark.parametrize(("number", "place"), [(1, "link"), (2, "essays"), (5, "link")])
def test_files_of_a_folder_are_compared_as_in_the_folder_alone(number: int, place: str) -> None:
    """The pairs with one of these files and the shares are the same; no document is there twice."""
    Path("link").symlink_to("essays")
    names = ESSAYS[:number]
    files = [f"essays/{name}.txt" for name in names]
    listed = pairs(done("FindReuse", *files, place, "--by", "pair"))
    expected = [pair for pair in pairs(find("essays --by pair")) if pair & {*names}]
    assert sorted(map(sorted, listed)) == sorted(map(sorted, expected))
    whole = find("essays --format json").json
    some = done("FindReuse", *files, place, "--format", "json").json
    assert len(some["documents"]) == len(ESSAYS)
    assert shares(some) == {name: shares(whole)[name] for name in names}
