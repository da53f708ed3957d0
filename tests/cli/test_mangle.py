"""Mangle as a user calls it: its files, its rows, and what it refuses."""

from pathlib import Path

import pytest

from tests.support.command import check_refused, done, here, write_texts

BY_LINE = "shuffle(of=lines)"


@pytest.fixture
def letters(folder: Path) -> Path:
    """Five texts of 300 words."""
    return write_texts(folder / "letters", 5)


def contents(folder: str | Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_an_existing_file_is_kept_unless_that_is_forced(letters: Path) -> None:
    path = min(letters.iterdir())
    name = f"out/{path.stem}.shuffle-lines.1.txt"
    Path("out").mkdir()
    Path(name).write_text("mine", "utf-8")
    check_refused(here("Mangle", "letters", "-m", BY_LINE, "-o", "out"), 6, name)
    assert contents("out") == {Path(name).name: b"mine"}
    done("Mangle", "letters", "-m", BY_LINE, "-o", "out", "--force")
    assert sorted(Path(name).read_text("utf-8").splitlines()) == sorted(
        path.read_text("utf-8").splitlines()
    )


def test_no_input_is_replaced(letters: Path) -> None:
    before = contents(letters)
    check_refused(
        here("Mangle", "letters", "-m", BY_LINE, "-o", "letters/new/deep", "--force"),
        *(6, "letters", "input folder"),
    )
    assert contents(letters) == before
    path = letters / "a.shuffle-lines.1.txt"
    min(letters.iterdir()).rename(letters / "a.txt")
    path.write_text("another text", "utf-8")
    outcome = here("Mangle", letters / "a.txt", path, "-m", BY_LINE, "-o", "letters", "--force")
    check_refused(outcome, 6, "a.shuffle-lines.1.txt")
    assert path.read_text("utf-8") == "another text"
    check_refused(here("Mangle", "letters", "-m", BY_LINE, "-o", letters / "a.txt"), 6)
