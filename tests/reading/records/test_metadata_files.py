"""Metadata of documents, out of CSV and JSON lines."""

from pathlib import Path

import pytest

from sdtext.errors import UnreadableError
from sdtext.model import Metadata, Problem
from sdtext.reading.records import delimited
from sdtext.reading.records.metadata_files import load_metadata


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file, written anew for each example."""
    return tmp_path_factory.mktemp("metadata") / "a.csv"


def loaded(path: Path, data: str | bytes) -> tuple[dict[str, Metadata], list[str]]:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    problems: list[Problem] = []
    result = load_metadata(path, problems.append)
    assert all(problem.message.startswith(f"{path}: line ") for problem in problems)
    return result, [problem.message.removeprefix(f"{path}: ") for problem in problems]


def test_the_column_of_the_names_is_known_by_what_it_is_called(path: Path) -> None:
    for header, name in (
        ("year,document", "document"),
        ("file,year,document", "document"),
        ("year,path,file", "file"),
        ("title,year", "title"),
    ):
        cells = {column: f"{column}-1" for column in header.split(",")}
        result, _ = loaded(path, f"{header},none\n {' , '.join(cells.values())} , \n")
        others = {key: cell for key, cell in cells.items() if key != name}
        assert result == {f"{name}-1": others}


def test_lines_that_cannot_be_used_are_reported(path: Path) -> None:
    data = 'file,x\na,2019\n,2\nb,3,4\na,5\n\nc\n"e\ne",7\nf,"7"8\n'
    result, reported = loaded(path, data)
    assert result == {"a": {"x": 2019}, "e\ne": {"x": 7}}
    places = [message.partition(":")[0] for message in reported]
    assert places == ["line 3", "line 4", "line 5", "line 7", "line 10"]


def test_a_row_beyond_all_bounds_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "MAX_LINE", 1 << 20)
    with pytest.raises(UnreadableError, match="line 2 is or begins a row"):
        loaded(path, 'file,x\n"' + "b\n" * 1_200_000 + '",1\nc,2\n')


def test_json_lines_are_read_under_any_name(path: Path) -> None:
    data = '{"x": 1, "file": "a", "tags": []}\n{"file": 3, "x": "1"}\n[]\n{"x": 2, "file": null}\n'
    result, reported = loaded(path, data)
    assert result == {"a": {"x": 1}, "3": {"x": "1"}}
    assert [message.partition(":")[0] for message in reported] == ["line 3", "line 4"]


def test_a_file_that_is_no_metadata_is_refused(path: Path) -> None:
    for reported, *every in (
        ("is neither CSV with", b"", b"[{}]", b"<xml/>", b"file\na\n"),
        ("has two columns called 'x'", b"file,x, x\na,1,2\n"),
        ("holds no metadata", b"file,x\n", b"file,x\n,1\n", b"file,x" + b"y" * 200_000),
        ("line 1: begins a quoted cell that is never closed", b'file,"x\na,1\n'),
    ):
        for data in every:
            path.write_bytes(data)
            with pytest.raises(UnreadableError, match=reported) as caught:
                load_metadata(path, lambda _: None)
            assert str(caught.value).startswith(f"{path}: ")
