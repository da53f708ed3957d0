"""Damaged collections as a user has them: refused with the file, or searched without a segment."""

from __future__ import annotations

import gc
from pathlib import Path
from shutil import copytree

import pytest

from tests.support.command import CONFIGS, ROOT, done, here

TEXTS = ROOT / "tests" / "samples" / "texts"
UNION = str(TEXTS / "union.txt")
VERBS = (
    "ShowCollection PATH",
    "ShowCollection PATH --documents",
    "FindPairs PATH -s 5",
    "FindPairs PATH OTHER -s 5",
    "FindSimilar PATH UNION -s 5",
    "Deduplicate UNION --against PATH -o OUT",
)
REUSE = ("FindReuse PATH", "FindReuse PATH UNION", "FindReuse PATH OTHER")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A collection of shingles, and one for passages, each of two segments."""
    home = tmp_path_factory.mktemp("whole")
    paths = {}
    for name in ("shingles", "reuse"):
        paths[name] = home / f"{name}.sdx"
        files = sorted(TEXTS.glob("*.txt"))
        done("AddDocuments", paths[name], *files[:4], "-c", CONFIGS / f"{name}.toml")
        done("AddDocuments", paths[name], *files[4:])
    return paths


def damaged(whole: Path, path: Path, array: str) -> Path:
    """A copy with a changed byte in an array of its second segment; the damaged file."""
    gc.collect()  # closes catalogs, whose logs would vanish while they are copied
    file = copytree(whole, path) / "segments" / "2" / f"{array}.npy"
    data = bytearray(file.read_bytes())
    data[-2] ^= 4
    file.write_bytes(data)
    return file


def words(line: str, path: Path, other: Path) -> list[str]:
    """The words of a command line."""
    names = {"PATH": str(path), "OTHER": str(other), "UNION": UNION, "OUT": str(path) + ".txt"}
    return [names.get(word, word) for word in line.split()]


@pytest.mark.parametrize("line", VERBS + REUSE)
def test_a_damaged_segment_is_an_error_or_left_out(
    whole: dict[str, Path], tmp_path: Path, line: str
) -> None:
    kind, array = ("reuse", "tokens") if line in REUSE else ("shingles", "shingles")
    file = damaged(whole[kind], tmp_path / "x.sdx", array)
    given = words(line, tmp_path / "x.sdx", whole[kind])
    if "ShowCollection" not in line:  # which read none of it
        outcome = here(*given)
        errors = [text for text in outcome.errors if not text.startswith("warning: ")]
        assert outcome.code == 5
        assert [str(file) in text for text in errors] == [True]
    if not line.startswith(("FindPairs", "FindSimilar")):
        return
    form = ("--format", "json")
    outcome = here(*given, "--skip-damaged", *form)
    assert outcome.code == 0, outcome.err
    warning = "; segment 2 with 4 documents is left out of all results"
    (warned,) = [
        text for text in outcome.errors if text.startswith("warning: ") and warning in text
    ]
    assert str(file) in warned
    (problem,) = [item for item in outcome.json["problems"] if item["category"] != "short-text"]
    assert (problem["severity"], problem["category"]) == ("warning", "skipped-segment")
    assert problem["path"] == str(file.parent)
    assert warned == f"warning: {problem['message']}"


def test_doctor_names_every_damaged_file(whole: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "x.sdx"
    files = [damaged(whole["shingles"], path, "ids"), path / "segments" / "1" / "shingles.npy"]
    files[1].write_bytes(files[1].read_bytes()[:-1])
    outcome = here("Doctor", path, "--format", "json")
    assert outcome.code == 5
    assert sorted(row["path"] for row in outcome.json["rows"]) == sorted(map(str, files))
