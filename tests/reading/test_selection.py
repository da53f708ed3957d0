"""Which files of a folder are read."""

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import Problem
from sdtext.reading.options import Selection
from sdtext.reading.walk import walk

_NAMES = ("a.txt", "b.md", "sub/a.txt", "sub/deep/b.md", "drafts/a.txt", "#a#", "x y.txt")


def _write(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("text")
    return folder


def _walked(folder: Path, selection: Selection) -> tuple[list[str], list[Problem]]:
    problems: list[Problem] = []
    paths = [
        path.relative_to(folder).as_posix() for path in walk(folder, problems.append, selection)
    ]
    return paths, problems


def test_patterns_select_files(tmp_path: Path) -> None:
    folder = _write(tmp_path, *_NAMES)
    for include, exclude, read in (
        ("*.txt", "", {"a.txt", "sub/a.txt", "drafts/a.txt", "x y.txt"}),
        ("/*.txt", "", {"a.txt", "x y.txt"}), ("sub/", "", {"sub/a.txt", "sub/deep/b.md"}),
        ("sub/**/b.md", "", {"sub/deep/b.md"}), ("", "*.txt", {"b.md", "sub/deep/b.md", "#a#"}),
        ("", "drafts", {"a.txt", "b.md", "sub/a.txt", "sub/deep/b.md", "#a#", "x y.txt"}),
        ("*.txt", "sub/", {"a.txt", "drafts/a.txt", "x y.txt"}), ("#a#", "", {"#a#"}),
    ):  # fmt: skip
        selection = Selection((include,) if include else (), (exclude,) if exclude else ())
        paths, problems = _walked(folder, selection)
        assert set(paths) == read == {name for name in _NAMES if selection.selects(name)}
        assert not problems


@given(st.sets(st.sampled_from(_NAMES), min_size=1))
def test_include_and_exclude_are_complements(chosen: set[str]) -> None:
    patterns = tuple(f"/{name}" for name in sorted(chosen))
    kept = {name for name in _NAMES if Selection(include=patterns).selects(name)}
    dropped = {name for name in _NAMES if not Selection(exclude=patterns).selects(name)}
    assert kept == dropped == chosen


def test_a_named_file_is_always_read(tmp_path: Path) -> None:
    file = _write(tmp_path, ".git/a.txt") / ".git" / "a.txt"
    problems: list[Problem] = []
    assert list(walk(file, problems.append, Selection(exclude=("*.txt",)))) == [file]
    assert list(walk(file.parent, problems.append)) == [file]
    assert not problems


def test_what_nobody_asks_for_is_left_out_and_counted(tmp_path: Path) -> None:
    folders = (".git/config", "sub/.hg/x", "__pycache__/a.pyc", "sub/__pycache__/x.txt")
    unasked = (*folders, ".DS_Store", "._a.txt", "~$a.docx", "Thumbs.db")
    folder = _write(tmp_path, "a.txt", ".profile", "CVSa/a.txt", "sub/b.txt", *unasked)
    paths, [problem] = _walked(folder, Selection())
    assert sorted(paths) == [".profile", "CVSa/a.txt", "a.txt", "sub/b.txt"]
    assert (problem.severity, problem.category) == ("warning", "passed-over")
    assert "2 version control folders" in problem.message
    assert "2 caches" in problem.message
    assert "4 system files" in problem.message
    paths, problems = _walked(folder, Selection(all_files=True))
    assert len(paths) == 4 + len(unasked)
    assert not problems


def test_files_come_in_order_and_links_and_pipes_are_counted(tmp_path: Path) -> None:
    folder = _write(tmp_path / "texts", "b/2.txt", "b/1.txt", "a.txt", "c/deep/3.txt")
    (folder / "link.txt").symlink_to("a.txt")
    (folder / "b" / "folder").symlink_to(tmp_path)
    (folder / "nowhere").symlink_to("missing")
    os.mkfifo(folder / "pipe")
    paths, [problem] = _walked(folder, Selection(all_files=True))
    assert paths == ["a.txt", "b/1.txt", "b/2.txt", "c/deep/3.txt"]
    assert problem.message.startswith(f"{folder}: 3 symbolic links, 1 named pipe")


def test_a_folder_or_a_pattern_without_files_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for names in ((), ("sub/.git/x",)):
        paths, problems = _walked(_write(tmp_path, *names), Selection())
        assert not paths
        assert problems[-1].severity == "error"
        assert problems[-1].message.startswith(f"{tmp_path}: ")
    _, [*_, problem] = _walked(_write(tmp_path, "a.txt"), Selection(include=("*.doc",)))
    assert (problem.category, problem.severity) == ("empty", "error")
