"""A table for people: as wide as the terminal, without what is the same throughout."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sdtext.reports.readable_values import distinct_names, shorten_path
from sdtext.reports.terminal_table import table_of
from tests.support.strategies import BRISK

COLUMNS = ("path", "right", "score", "similarity", "left_share", "right_place", "note", "excluded")
_NAMES = st.text("abcxyz-é語.", min_size=1, max_size=14)
_PATHS = st.lists(_NAMES, min_size=1, max_size=6).map("/".join)
_ROWS = st.fixed_dictionaries(
    {
        "path": _PATHS,
        "right": _PATHS,
        "score": st.none() | st.integers(0, 99),
        "similarity": st.none() | st.floats(0, 1),
        "left_share": st.floats(0, 1),
        "right_place": st.none() | st.sampled_from(["0:99", "195513:188664"]),
        "note": st.none() | st.text("word 語", max_size=300),
        "excluded": st.none() | st.just("boilerplate"),
    }
)


@pytest.fixture(autouse=True)
def _eighty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def lines_of(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> list[str]:
    return table_of(columns, rows).splitlines()


@BRISK
@given(st.lists(_ROWS, min_size=1, max_size=6))
def test_a_table_fits_the_terminal_with_whole_words_in_its_head(rows: list[dict[str, Any]]) -> None:
    lines = lines_of(COLUMNS, rows)
    rule = next(place for place, line in enumerate(lines) if "─" in line)
    assert all(cell_len(line) <= 80 for line in lines[rule:])
    pieces = {f"{part}_" for name in COLUMNS for part in name.split("_")[:-1]}
    pieces |= {name.split("_")[-1] for name in COLUMNS} | set(COLUMNS)
    start = next(place for place, line in enumerate(lines) if not line.strip())
    assert set(" ".join(lines[start:rule]).split()) <= pieces


@BRISK
@given(_PATHS, st.integers(1, 60))
def test_a_shortened_path_keeps_the_name_and_whole_folders(path: str, width: int) -> None:
    shortened = shorten_path(path, width)
    *folders, name = path.split("/")
    assert shortened.split("/")[-1] == name
    assert cell_len(shortened) <= max(width, cell_len(f"…/{name}" if folders else path))
    if shortened != path and "/" in shortened:
        head, _, tail = shortened.partition("…")
        assert path.startswith(head)
        assert path.endswith(tail)


def test_a_column_that_is_the_same_throughout_stands_once_above() -> None:
    rows = [{"score": n, "path": f"{n}.txt", "fingerprint": "union.xml", "a": 153} for n in (3, 2)]
    columns = ("score", "path", "fingerprint", "a")
    assert "fingerprint:" not in table_of(columns, rows[:1])
    for some in (rows, [*rows, {**rows[0], "score": 1}]):
        text = table_of(columns, some)
        assert text.startswith("fingerprint: union.xml\na: 153\n")
        assert (text.count("union.xml"), text.count("153")) == (1, 1)


def test_shares_are_percentages() -> None:
    row = {"similarity": 0.99999, "left_share": 0.349, "idf": 0.25, "share": 0.001}
    text = table_of(tuple(row), [row])
    assert " ".join(text.split("\n")[3].split()) == "99.9 % 34 % 0.2500 0.1 %"


@BRISK
@given(
    order=st.permutations([("verbatim",), ("left_share", "right_share"), ("left_place",)]),
    lengths=st.lists(st.integers(1, 30), min_size=2, max_size=5),
    width=st.integers(50, 130),
)
def test_columns_are_left_out_in_the_order_of_the_kind_of_rows(
    order: list[tuple[str, ...]], lengths: list[int], width: int
) -> None:
    rows = [
        {"left": f"{'n' * length}{n}.txt", "right": f"{'m' * length}{n}.txt", "score": 90 + n,
         "verbatim": 80 + n, "left_place": f"{n}01:202", "left_share": n / 9, "right_share": n / 8}
        for n, length in enumerate(lengths)
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        text = table_of(tuple(rows[0]), rows, order)
    left_out = re.findall(r"no room for: (.*); --format", " ".join(text.split()))
    names = set(left_out[0].split(", ")) if left_out else set()
    groups = [names.issuperset(group) for group in order]
    assert groups == sorted(groups, reverse=True)
    assert names == {name for group in order[: sum(groups)] for name in group}


_SAME_NAMES = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join)


@BRISK
@given(st.lists(_SAME_NAMES, max_size=8))
def test_files_have_as_few_folders_as_tell_their_names_apart(paths: list[str]) -> None:
    names = distinct_names(paths)
    assert len(dict(zip(names, paths, strict=True))) == len(set(paths))
    for path, name in zip(paths, names, strict=True):
        assert f"/{path}".endswith(f"/{name}")
        shorter = name.partition("/")[2]
        others = [other for other in paths if other != path]
        assert not shorter or any(f"/{other}".endswith(f"/{shorter}") for other in others)


def test_texts_stand_below_their_row_at_the_width_of_the_terminal() -> None:
    rows = [
        {
            "document": f"{n}.txt",
            "score": 60 + n,
            "text": 9 * f"word{n} ",
            "kept_text": 30 * "語言 ",
        }
        for n in range(2)
    ]
    lines = table_of(["document", "score", "text", "kept_text"], rows).splitlines()
    places = [n for n, line in enumerate(lines) if line.startswith((" 0.txt", " 1.txt"))]
    assert [lines[place + 1].startswith("    text: word") for place in places] == [True, True]
    assert all(lines[place + 2].startswith("    kept_text: 語言") for place in places)
    assert max(map(cell_len, lines)) <= 80


def test_files_of_one_name_in_two_columns_keep_the_folders_that_tell_them_apart() -> None:
    folders = [f"classes/group-{group}-of-the-year-2024/essays" for group in "ab"]
    names = [f"essay-about-the-five-towns-along-the-river-{n}.txt" for n in range(4)]
    rows = [
        {"left": f"{folders[n % 2]}/{name}", "right": f"{folders[1 - n % 2]}/{name}", "score": n}
        for n, name in enumerate(names)
    ]
    table = table_of([*rows[0]], rows)
    assert (table.count("group-a-"), table.count("group-b-")) == (4, 4)
    assert max(map(len, table.splitlines())) <= 80
