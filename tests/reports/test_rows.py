"""Rows of results: of evidence in all formats, as Digital Forensics XML, on a terminal."""

import csv
import io
import json
import os
import re
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from rich.cells import cell_len

from sdtext.formats.hardened_xml import unescaped_text
from sdtext.model import Evidence, Examined, Passage, Shared, Similarity, Span
from sdtext.reports.readable_values import distinct_names, percent, shorten_path
from sdtext.reports.reuse_report import (
    COLUMNS,
    DOCUMENT_COLUMNS,
    LISTS,
    PAIR_COLUMNS,
    by_weight,
    document_rows,
    listed_passages,
    pair_rows,
    passage_rows,
    record_of,
    summary_of,
)
from sdtext.reports.row_formats import FORMATS, write_rows
from sdtext.reports.terminal_table import table_of
from tests.formats.evidence import evidences, example
from tests.support.command import ROOT, done, prose
from tests.support.strategies import BRISK


def printed(form: str, evidence: Evidence) -> bytes:
    file = io.BytesIO()
    whole = {"schema": LISTS["passage"][1], **record_of(evidence)}
    write_rows(file, form, COLUMNS, passage_rows(evidence), whole)
    return file.getvalue()


@BRISK
@given(evidences())
def test_every_evidence_is_printed_in_every_format(evidence: Evidence) -> None:
    rows = list(passage_rows(evidence))
    assert [tuple(row) for row in rows] == [COLUMNS] * len(rows)
    every = list(passage_rows(evidence, unfolded=True))
    assert len(every) == sum(
        len(shared.passages) or bool(shared.likeness) for shared in evidence.shared
    )
    pairs = list(pair_rows(evidence, unfolded=True))
    assert len(pairs) == sum(bool(pair.passages or pair.likeness) for pair in evidence.shared)
    are_listed, are_all = (
        [row for row in some if row["left_offset"] is not None and not row["excluded"]]
        for some in (rows, every)
    )  # a pair whose passages are all in one row with others may have a row of its metadata
    assert are_listed == are_all
    for form in FORMATS:
        printed(form, evidence)
    json.loads(printed("json", evidence))
    assert len(printed("tsv", evidence).splitlines()) == 1 + len(rows)
    assert all(line.isprintable() for line in summary_of(evidence))


def test_formulas_in_csv_are_neutralised() -> None:
    names = ["=cmd|' /C calc'!A0", "+1-1", "-2+3", "@sum(a)"]
    documents = tuple(Examined(name, 1) for name in names)
    passage = Passage(Span(0, 1), Span(0, 1), Similarity(1, 1), excluded="=1+1")
    pairs = [(0, 1), (2, 3)]
    shared = tuple(Shared(left, right, (passage,), 1.0, 1.0) for left, right in pairs)
    lines = printed("csv", Evidence(documents, shared, ())).decode().splitlines()
    _, *rows = csv.reader(lines)
    cells = [cell for row in rows for cell in (row[0], row[1], row[-3])]
    assert [cell[:1] for cell in cells] == ["'"] * 6


def test_a_whole_percentage_is_printed_exactly_and_no_share_is_rounded_up() -> None:
    assert [percent(whole / 100) for whole in range(101)] == [f"{n} %" for n in range(101)]
    assert percent(0.9999) == "99 %"


def test_of_equal_shares_the_most_similar_passage_comes_first() -> None:
    evidence = example()
    pair = evidence.shared[0]
    copied = replace(pair.passages[0], similarity=Similarity(1, 1))
    copy = replace(pair, right=2, passages=(pair.passages[1], copied))
    ordered = by_weight(replace(evidence, shared=(pair, copy)))
    assert [shared.right for shared in ordered.shared] == [2, pair.right]


@BRISK
@given(evidences())
def test_verbatim_passages_come_first_and_weak_ones_last(evidence: Evidence) -> None:
    passages = [item for item in listed_passages(evidence, unfolded=True) if item.passage]
    rows = [item.row for item in passages]
    assert all(row["weak"] == (row["verbatim"] in range(20)) for row in rows)
    for is_weak in (False, True):
        verbatim = [
            row["verbatim"] * max(row["left_length"], row["right_length"])
            for row in rows
            if row["weak"] is is_weak and row["verbatim"] is not None
        ]
        assert verbatim == sorted(verbatim, reverse=True)
    assert [row["weak"] for row in rows] == sorted(row["weak"] for row in rows)


@BRISK
@given(evidences())
def test_weight_orders_pairs_and_passages_and_loses_none(evidence: Evidence) -> None:
    weighty = by_weight(evidence)
    shares = [max(pair.left_share, pair.right_share) for pair in weighty.shared]
    assert shares == sorted(shares, reverse=True)
    keys = sorted((pair.left, pair.right, len(pair.passages)) for pair in evidence.shared)
    assert sorted((pair.left, pair.right, len(pair.passages)) for pair in weighty.shared) == keys
    assert len(list(passage_rows(weighty))) == len(list(passage_rows(evidence)))
    for columns, rows in (
        (PAIR_COLUMNS, pair_rows(weighty)),
        (DOCUMENT_COLUMNS, document_rows(weighty)),
    ):
        assert all(tuple(row) == columns and 0 <= row["score"] <= 99 for row in rows)


NAMESPACE = "http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML"
NAMES = {"d": NAMESPACE, "s": "urn:sdtext:xml"}
SCHEMA = etree.XMLSchema(etree.parse(ROOT / "tests" / "samples" / "dfxml.xsd"))
"""The elements that are used, in the order and of the types of dfxml.xsd 2.0.0-beta.0."""


def parsed(data: bytes) -> etree._Element:
    root = etree.fromstring(data)
    SCHEMA.assertValid(root)
    return root


def test_hits_of_a_file_with_any_name_are_valid_and_complete(tmp_path: Path) -> None:
    names = [b"a\x01\x1b[31m&<b>.txt", b"not \xff utf-8.txt", b"100%25\n\xe2\x80\xae.txt"]
    texts, queries = tmp_path / os.fsdecode(b"te\xffxts"), tmp_path / "queries"
    for folder in (texts, queries):
        folder.mkdir()
    for number, each in enumerate(names):
        (texts / os.fsdecode(each)).write_text(prose(number) + prose(9), "utf-8")
    (queries / "one").write_text(prose(0), "utf-8")
    (queries / "nine").write_text(prose(9), "utf-8")
    root = parsed(done("CompareDirectory", queries, texts, "--format", "dfxml").out)
    rows = done("CompareDirectory", queries, texts, "--format", "json").json["rows"]
    assert len(rows) == 4
    hits = []
    for file in root.iterfind("d:fileobject", NAMES):
        name = unescaped_text(file.findtext("d:filename", "", NAMES))
        data = (texts / name).read_bytes()
        assert file.findtext("d:filesize", "", NAMES) == str(len(data))
        assert file.findtext("d:hashdigest", "", NAMES) == sha256(data).hexdigest()
        for hit in file.iterfind("s:hit", NAMES):
            query = unescaped_text(hit.findtext("s:fingerprint", "", NAMES))
            hits.append((name, query, hit.findtext("s:score", "", NAMES)))
    wanted = sorted((row["path"], row["fingerprint"], str(row["score"])) for row in rows)
    assert sorted(hits) == wanted
    assert unescaped_text(root.findtext("d:source/d:image_filename", "", NAMES)) == str(texts)


@given(st.text(st.characters()), st.text(st.characters()), st.text(st.characters()))
def test_any_text_is_valid_and_can_be_read_back(path: str, reason: str, folder: str) -> None:
    file, row = io.BytesIO(), {"score": None, "path": path, "reason": reason}
    write_rows(file, "dfxml", [*row], [row], {"folders": [folder, folder]})
    root = parsed(file.getvalue())
    assert unescaped_text(root.findtext(".//d:filename", "", NAMES)) == path
    assert unescaped_text(root.findtext(".//s:reason", "", NAMES)) == reason
    assert root.find(".//s:score", NAMES) is None


@pytest.mark.parametrize("searched", ["texts", "texts/1.txt", "texts.zip"])
def test_only_what_is_a_file_has_a_digest(tmp_path: Path, searched: str) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1.txt").write_text(prose(1), "utf-8")
    (tmp_path / "query.txt").write_text(prose(1), "utf-8")
    shutil.make_archive(str(tmp_path / "texts"), "zip", tmp_path / "texts")
    files = tmp_path / "query.txt", tmp_path / searched
    outcome = done("CompareDirectory", *files, "--format", "dfxml")
    digests = parsed(outcome.out).findall(".//d:hashdigest", NAMES)
    assert [item.text for item in digests] == [
        sha256((tmp_path / "texts" / "1.txt").read_bytes()).hexdigest()
    ] * (searched != "texts.zip")


SHOWN = ("path", "right", "score", "similarity", "left_share", "right_place", "note", "excluded")
_NAMES = st.text("abcxyz-é語.", min_size=1, max_size=14)
_PATHS = st.lists(_NAMES, min_size=1, max_size=6).map("/".join)
_ROWS = st.fixed_dictionaries({
    "path": _PATHS, "right": _PATHS, "score": st.none() | st.integers(0, 99),
    "similarity": st.none() | st.floats(0, 1), "left_share": st.floats(0, 1),
    "right_place": st.none() | st.sampled_from(["0:99", "195513:188664"]),
    "note": st.none() | st.text("word 語", max_size=300),
    "excluded": st.none() | st.just("boilerplate"),
})  # fmt: skip


@pytest.fixture(autouse=True)
def _eighty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def lines_of(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> list[str]:
    return table_of(columns, rows).splitlines()


@BRISK
@given(st.lists(_ROWS, min_size=1, max_size=6))
def test_a_table_fits_the_terminal_with_whole_words_in_its_head(rows: list[dict[str, Any]]) -> None:
    lines = lines_of(SHOWN, rows)
    rule = next(place for place, line in enumerate(lines) if "─" in line)
    assert all(cell_len(line) <= 80 for line in lines[rule:])
    pieces = {f"{part}_" for name in SHOWN for part in name.split("_")[:-1]}
    pieces |= {name.split("_")[-1] for name in SHOWN} | set(SHOWN)
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
