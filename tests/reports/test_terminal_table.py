"""A table for people: as wide as the terminal, without what is the same throughout."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sdtext.evaluation import EvaluationRow
from sdtext.reports.terminal_table import (
    Remark,
    distinct_names,
    fold_path,
    shorten_path,
    table_of,
)
from tests.strategies import BRISK

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


def test_columns_without_room_are_named_and_no_rows_are_no_table() -> None:
    assert lines_of(COLUMNS, []) == []
    row = {"left": "a" * 30, "right": "b" * 30, "score": 7, "verbatim": 9, "left_place": "11:222"}
    other = {"left": "c" * 30, "right": "d" * 30, "verbatim": 8, "left_place": "12:222"}
    rows = [{**row, "right_place": "33:444"}, {**row, **other}]
    lines = lines_of(tuple(row), rows)
    heads = " ".join(lines[:4])
    assert "left" in heads
    assert "verbatim" not in heads
    assert lines[-1] == "no room for: verbatim; --format tsv prints all columns"


def test_a_file_in_an_archive_keeps_the_name_of_the_archive() -> None:
    path = "Users/bob/Desktop/old stuff.zip!Documents/of/nineteen/hundred/and/twelve/leaked.txt"
    columns = ("path", "fingerprint", "score")
    rows = [
        {"path": name, "fingerprint": f"exam/fingerprints/{number}.xml", "score": number}
        for number, name in enumerate((path, "Users/alice/letters/memo.txt"))
    ]
    text = table_of(columns, rows)
    assert "old stuff.zip!" in text
    assert "leaked.txt" in text
    assert "nineteen" not in text


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
    assert cell_len(shortened) <= max(width, cell_len(name), cell_len(path) * (not folders))
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


def test_the_result_itself_stays_in_the_rows() -> None:
    row = {"score": 99, "path": "a.txt", "document": "b.txt", "similarity": 1.0}
    rows = [{**row, "fingerprint": f"{n}.xml", "a": 153} for n in range(3)]
    lines = lines_of(tuple(rows[0]), rows)
    assert lines[0] == "a: 153"
    assert [line.split() for line in lines[4:7]] == [
        ["99", "a.txt", "b.txt", "100.0", "%", f"{n}.xml"] for n in range(3)
    ]


def test_shares_are_percentages() -> None:
    row = {"similarity": 0.99999, "left_share": 0.349, "idf": 0.25, "share": 0.001}
    text = table_of(tuple(row), [row])
    assert " ".join(text.split("\n")[3].split()) == "99.9 % 34 % 0.2500 0.1 %"


def test_the_folder_of_all_files_stands_above_where_it_does_not_fit() -> None:
    folder = "/".join(["", "evidence", "case-2024-17", "disk image of the second computer", "home"])
    rows = [
        {"score": 9, "path": f"{folder}/{name}", "remark": "x" * 20}
        for name in ("anna/letter.docx", "anna/letters/1912/draft.docx", "ben/letter.docx")
    ]
    lines = lines_of(("score", "path", "remark"), rows)
    assert lines[0] == f"remark: {'x' * 20}"
    text = table_of(("path", "note"), [{**row, "note": str(n)} for n, row in enumerate(rows)])
    assert text.startswith(f"path: in {folder}/\n")
    for name in ("anna/letter.docx", "anna/letters/1912/draft.docx", "ben/letter.docx"):
        assert f" {name} " in text


def test_places_are_left_out_before_a_name_of_a_file_is_cut() -> None:
    rows = [
        {
            "left": f"{year}-George Washington.txt",
            "right": f"{year + 4}-Thomas Jefferson.txt",
            "score": score,
            "verbatim": score - 9,
            "left_place": f"{year}:317",
            "right_place": f"{year + score}:324",
            "left_share": score / 1000,
            "right_share": score / 900,
        }
        for score, year in enumerate((1789, 1793, 1797), 40)
    ]
    text = table_of(tuple(rows[0]), rows)
    for row in rows:
        assert f" {row['left']}  {row['right']} " in text
    assert "317" not in text
    assert "score" in text


def test_different_files_stay_different() -> None:
    paths = [
        f"/usr/share/doc/{'x' * length}{middle}/copyright"
        for length in (30, 60)
        for middle in ("a", "b")
    ]
    rows = [{"path": path, "right": f"/etc{path}", "score": n} for n, path in enumerate(paths)]
    folded = "".join(table_of(("path", "right", "score"), rows).split())
    for path in paths:
        assert path.removeprefix("/usr/share/doc/") in folded or path.split("/")[-2][-1] in folded


def test_files_of_the_same_name_are_folded_after_a_slash() -> None:
    names = ("texts/harbour.docx", "documents/harbour.docx", "a/documents/harbour.docx")
    rows = [{"path": name, "first": n * 10**28, "last": n * 10**24} for n, name in enumerate(names)]
    words = table_of(("path", "first", "last"), rows).split()
    assert words.count("harbour.docx") == 2
    assert {"texts/harbour.docx", "documents/", "a/documents/"} <= set(words)


@BRISK
@given(_PATHS | st.text("ab./-_ ", min_size=1, max_size=40), st.integers(5, 60))
def test_a_folded_path_is_whole_and_never_cut_in_its_extension(path: str, width: int) -> None:
    lines = fold_path(path, width)
    assert "".join(lines) == path
    extension = PurePosixPath(path).suffix
    if cell_len(extension) <= width and path.endswith(extension):
        assert lines[-1].endswith(extension)
    assert all(cell_len(line) <= width or not set(line[1:-1]) & set("/-_ ") for line in lines)


def test_files_of_one_name_have_as_few_folders_as_tell_them_apart() -> None:
    folder = "/".join(["case-2024-17", "disk image of the second computer", "home", "letters"])
    rows = [
        {"path": f"{folder}/{year}/letter to the council of the upper town.txt", "size": 10**30}
        for year in (1912, 1913)
    ]
    rows.append({"path": "harbour.txt", "size": 1})
    text = table_of(["path", "size"], rows)
    words = " ".join(line.split("   ")[0] for line in text.splitlines()).split()
    assert "disk" not in words
    assert {"1912/", "1913/", "harbour.txt"} <= {word.split("letters/")[-1] for word in words}


def test_folders_are_shortened_from_the_middle() -> None:
    path = "/home/anna/case/disk/letters/1912/a.txt"
    assert shorten_path(path, 40) == path
    assert shorten_path(path, 31) == "/home/…/disk/letters/1912/a.txt"
    assert shorten_path(path, 12) == "…/1912/a.txt"
    assert shorten_path(path, 3) == "a.txt"


@BRISK
@given(
    places=st.lists(st.integers(0, 199_999), min_size=3, max_size=6, unique=True),
    names=st.lists(st.sampled_from(["Peters_Jana.docx", "a.txt"]), min_size=6, max_size=6),
    width=st.integers(60, 130),
)
def test_no_two_rows_look_the_same(places: list[int], names: list[str], width: int) -> None:
    rows = [
        {
            "left": f"essays/{name}",
            "right": "essays/Öztürk_Karim.txt",
            "score": 99,
            "verbatim": 99,
            "left_place": f"{place}:454",
            "right_place": "2218:315",
            "left_share": 0.5,
            "right_share": 0.2,
            "excluded": "quote" if place == places[0] else None,
        }
        for place, name in zip(places, names, strict=False)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        lines = lines_of(tuple(rows[0]), rows)
    assert all(f"{place}:454" in "\n".join(lines) for place in places)
    assert len({line for line in lines if ":454" in line}) == len(rows)


def test_a_remark_is_no_path() -> None:
    """It stands in the way of no common folder, and no name is cut for it."""
    rows: list[dict[str, Any]] = [
        {
            "left": f"essays/{left}.docx",
            "right": f"essays/{right}_{'x' * 40}.txt",
            "score": score,
            "verbatim": score,
            "left_place": "1265:1178",
            "right_place": f"{score}:1178",
        }
        for score, left, right in ((99, "Peters_Jana", "a"), (98, "Peters_Jana", "b"))
    ]
    rows.append(dict(rows[0], right=Remark("stands in 40 documents"), right_place=None))
    lines = lines_of(tuple(rows[0]), rows)
    assert lines[0] == "left: essays/Peters_Jana.docx"
    assert "right: in essays/" in lines
    assert "…" not in "".join(lines)
    assert "stands in 40 documents" in "\n".join(lines)


def test_columns_in_one_folder_name_it_once() -> None:
    rows = [
        {"left": f"{'essays' * 9}/{name}.txt", "right": f"{'essays' * 9}/{name}.pdf", "score": 9}
        for name in "abc"
    ]
    assert lines_of(tuple(rows[0]), rows)[0] == f"left, right: in {'essays' * 9}/"


@BRISK
@given(
    names=st.lists(
        st.tuples(*[st.text("abc-", min_size=1, max_size=30)] * 2), min_size=1, max_size=6
    ),
    width=st.integers(40, 110),
)
def test_if_a_column_of_paths_has_no_room_none_repeats_the_common_folder(
    names: list[tuple[str, str]], width: int
) -> None:
    rows = [
        {
            "score": n,
            "left": f"essays/{left}{n}.txt",
            "right": f"essays/{right}{n}.pdf",
            "share": 0.5,
        }
        for n, (left, right) in enumerate(names)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        lines = lines_of(tuple(rows[0]), rows)
    assert "left: in essays/" not in lines
    assert "right: in essays/" not in lines
    assert "\n".join(lines).count("essays/") in (1, 2 * len(rows))


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


def test_a_column_with_one_long_value_is_narrowed_before_others() -> None:
    notes = [f"a long note that needs room {n}" for n in range(9)]
    rows = [
        {"name": f"name {n}", "note": note, "kind": "same", "more": f"some more words {n}"}
        for n, note in enumerate(notes)
    ]
    rows[3]["kind"] = "one of a quite different kind"
    text = table_of(["name", "kind", "note", "more"], rows)
    assert all(note in text for note in notes)


def test_of_one_row_files_stand_above_before_places_are_left_out() -> None:
    row = {"left": "a" * 30 + ".txt", "right": "b" * 30 + ".txt", "score": 9, "left_place": "1:2"}
    lines = table_of([*row], [row]).splitlines()
    assert lines[:2] == [f"left: {row['left']}", f"right: {row['right']}"]
    assert "1:2" in lines[-2]
    short = {**row, "left": "a.txt", "right": "b.txt"}
    assert "left: " not in table_of([*row], [short])


def test_a_column_is_left_out_before_a_header_breaks_within_a_word() -> None:
    row = dict.fromkeys(field.name for field in fields(EvaluationRow)) | {"average": "macro"}
    rows = [{name: value or 1.0 for name, value in row.items() if name != "folder"}] * 2
    table = table_of([*rows[0]], rows)
    head = next(line for line in table.splitlines() if "precision" in line)
    assert head.split() == [name for name in rows[0] if name != "detections"]
    assert "no room for: detections" in table


def test_the_members_of_a_cluster_stand_below_it_and_break_between_names() -> None:
    names = [f"essays/{n} {'of a long name ' * 3}.txt" for n in range(4)]
    rows = [{"cluster": 1, "kept": names[0], "weakest": 0.46509, "members": names}]
    lines = table_of([*rows[0]], rows).splitlines()
    members = [line.strip().removesuffix(",") for line in lines if line.startswith("    essays/")]
    assert members == names
    assert "46.5 %" in "".join(lines)


@BRISK
@given(
    words=st.lists(st.text("abc-<>", min_size=1, max_size=20), min_size=2, max_size=6),
    name=st.text("ab -", min_size=30, max_size=90),
)
def test_short_words_stay_whole_where_names_are_folded(words: list[str], name: str) -> None:
    rows = [
        {"path": f"{n}{name}.pdf", "kind": " ".join(words), "characters": 10**n, "note": word}
        for n, word in enumerate(words)
    ]
    lines = lines_of(("path", "kind", "characters", "note"), rows)
    assert max(map(cell_len, lines)) <= 80 or lines[0].startswith(("kind", "note", "path"))
    assert set(words) <= set(" ".join(lines).split())


@pytest.mark.parametrize(("width", "is_below"), [(80, True), (90, False)])
def test_a_chance_stands_below_its_row_where_it_would_be_wrapped(
    width: int, is_below: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    chances = [f"0.0{n} %, 0.41 of 58, LR 19 (Cllr 0.091), bundled" for n in range(1, 4)]
    rows = [
        {"path": f"{n}-a-letter-of.txt", "score": n, "similarity": n / 9, "chance": chance}
        for n, chance in enumerate(chances)
    ]
    lines = table_of([*rows[0]], rows).splitlines()
    below = [line for line in lines if line.startswith("    chance: ")]
    assert [line.strip().removeprefix("chance: ") for line in below] == chances * is_below
    assert all(sum(chance in line for line in lines) == 1 for chance in chances)
    assert ("chance" in lines[1].split()) is not is_below


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


def test_one_long_name_is_folded_before_many_short_ones() -> None:
    long = "a very long name that goes on and on until nobody can read it any more.txt"
    rows = [
        {"left": f"{n}-long-winded.txt", "right": right, "score": n, "similarity": n / 9}
        for n in range(8)
        for right in (long, "union.txt")
    ]
    lines = table_of([*rows[0]], rows).splitlines()
    assert all(sum(f" {n}-long-winded.txt " in line for line in lines) == 2 for n in range(8))
    assert max(map(len, lines)) <= 80


def test_a_long_text_that_all_rows_share_is_wrapped_between_words() -> None:
    note = " ".join(f"word{n}" for n in range(40))
    path = "/".join(["folder"] * 20)
    rows = [{"document": f"{n}.txt", "note": note, "query": path} for n in range(3)]
    lines = table_of([*rows[0]], rows).splitlines()
    rule = next(place for place, line in enumerate(lines) if "─" in line)
    assert f"query: {path}" in lines
    assert f"note: {note}" in " ".join(map(str.strip, lines[:rule]))
    assert max(len(line) for line in lines if not line.startswith("query")) <= 80


def test_options_of_parts_stand_below_them() -> None:
    rows = [{"name": n, "options": n * 30 * (n != "a"), "does": f"Words {n}."} for n in ("a", "b ")]
    lines = table_of([*rows[0]], rows).splitlines()
    assert lines[1].split() == ["name", "does"]
    assert [line.split()[0] for line in lines[3:6]] == ["a", "b", "options:"]


def test_metadata_are_listed_and_none_is_an_empty_cell() -> None:
    metadata: list[dict[str, Any]] = [{"author": "Eva Bridge", "year": 2019}, {}]
    rows = [{"document": f"{n}.txt", "metadata": each} for n, each in enumerate(metadata)]
    first, second = table_of([*rows[0]], rows).splitlines()[3:5]
    assert (first.split(None, 1)[1].strip(), second.strip()) == (
        "author: Eva Bridge, year: 2019",
        "1.txt",
    )


def test_a_wide_name_without_a_place_to_break_keeps_its_extension() -> None:
    name = "非常非常长的文件名称用来测试表格"
    assert fold_path(f"{name}.txt", 20) == [name[:10], f"{name[10:]}.txt"]


def test_long_shared_pieces_are_wrapped_below_their_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    piece = {"term": "bees dance to show the others the way to the flowers", "share": 0.5}
    table = table_of(["score", "shared_terms"], [{"score": 9, "shared_terms": [piece, piece]}])
    assert max(map(len, table.splitlines())) <= 40
    assert table.count("flowers") == 2
