"""What is kept by dates and numbers, what is compared by fields: beside plain comparisons."""

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sdtext
from sdtext.deduplication.order_and_scope import times_of
from sdtext.errors import OptionError
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates import buckets, exact_join
from tests.support.command import prose
from tests.support.deduplication import (
    NO_JOIN,
    Row,
    edited,
    lines_of,
    mixture,
    rows_of,
    run_of,
    similarity,
    sliding,
    stored_with,
    write_lines,
)

Counts = Callable[[Row, Row], bool]


def deduplicated(
    rows: Sequence[Row], folder: Path, run: Run | None = None, **options: Any
) -> sdtext.Deduplication:
    path = write_lines(folder / "a.jsonl", lines_of(map(dict, rows)))
    return sdtext.deduplicate(path, **options, recall=0.99999, run=run or run_of())


def removed_in(done: sdtext.Deduplication) -> set[str]:
    return {row.document for row in done.removed}


def within(left: Row, right: Row) -> bool:
    return "lang" in left and str(left["lang"]) == str(right.get("lang"))


def across(left: Row, right: Row) -> bool:
    return "lang" in left and "lang" in right and left["lang"] != right["lang"]


def everywhere(left: Row, right: Row) -> bool:  # noqa: ARG001 (as the others)
    return True


SCOPES: Mapping[str, Counts] = {"": everywhere, "within:lang": within, "across:lang": across}


def are_duplicates(left: Row, right: Row, counts: Counts, least: int = 80) -> bool:
    alike = 100 * similarity(left["text"], right["text"]) >= least
    return alike and counts(left, right)


def greedy(rows: Sequence[Row], counts: Counts) -> set[str]:
    kept: list[Row] = []
    for row in rows:
        if not any(are_duplicates(row, other, counts) for other in kept):
            kept.append(row)
    return {row["id"] for row in rows} - {row["id"] for row in kept}


def components(rows: Sequence[Row], counts: Counts) -> list[set[str]]:
    groups: list[list[Row]] = []
    for row in rows:
        near = [group for group in groups if any(are_duplicates(row, o, counts) for o in group)]
        groups = [group for group in groups if group not in near]
        groups.append([row, *(other for group in near for other in group)])
    return [{row["id"] for row in group} for group in groups if len(group) > 1]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("crowded", [False, True])
def test_the_scope_says_which_pairs_count(
    scope: str, crowded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [text for text in mixture(2) if len(text) > 20]
    if crowded:  # pairs are left out that the scope needs
        monkeypatch.setattr(exact_join, "LITTLE", NO_JOIN)
        monkeypatch.setattr(buckets, "PAIR_BUDGET", 0)
        monkeypatch.setattr(buckets, "PAIRWISE", 2)
        texts = [edited(prose(1, 160), 1 + number % 2, number) for number in range(40)]
        texts += sliding(12, 6)
        texts += [texts[0]] * 20
    rows = rows_of(texts)
    direct = deduplicated(rows, tmp_path, run := run_of(), scope=scope)
    assert removed_in(direct) == greedy(rows, SCOPES[scope])
    by_id = {row["id"]: row for row in rows}
    for row in direct.removed:
        pair = by_id[row.document], by_id[row.kept]
        assert are_duplicates(*pair, SCOPES[scope])
        assert row.similarity == pytest.approx(float(similarity(*(r["text"] for r in pair))))
    assert_clusters(rows, scope, tmp_path)
    missing = sum("lang" not in row for row in rows)
    expected = f"{missing} of {len(rows)} records have no value in the field 'lang'"
    noted = [each.message for each in run.problems or () if each.category == "missing-value"]
    assert [message.startswith(expected) for message in noted] == [True] * bool(scope)


def assert_clusters(rows: Sequence[Row], scope: str, folder: Path) -> None:
    """What is removed if none is kept, and the clusters, are the components of plain pairs."""
    by_id = {row["id"]: row for row in rows}
    groups = components(rows, SCOPES[scope])
    none = deduplicated(rows, folder, scope=scope, keep="none")
    assert removed_in(none) == {name for group in groups for name in group}
    for row in none.removed:
        pair = by_id[row.document], by_id[str(row.duplicate)]
        assert are_duplicates(*pair, SCOPES[scope])
        assert row.kept == ""
    cluster = deduplicated(rows, folder, scope=scope, rule="cluster")
    for done in (none, cluster):
        assert sorted(sorted(item.members) for item in done.clusters) == sorted(map(sorted, groups))


ORDERS: Mapping[str, Callable[[Row], float]] = {
    "newest": lambda row: {
        "2019": 1546300800,
        "2019-07": 1561939200,
        "20190701": 1561939200,
        "2019-07-01T10:00:00+02:00": 1561968000,
        0: 0,
    }.get(row.get("date", ""), -(10**20)),
    "best:quality": lambda row: {1: 1.0, 2.5: 2.5, "2.5": 2.5, -3: -3.0}.get(
        row.get("quality", ""), -(10**20)
    ),
}


@pytest.mark.parametrize("keep", ORDERS)
@pytest.mark.parametrize("rule", ["direct", "cluster"])
def test_the_newest_or_best_is_kept(rule: str, keep: str, tmp_path: Path) -> None:
    rows = rows_of([text for text in mixture(3) if len(text) > 20], seed=5)
    done = deduplicated(rows, tmp_path, run := run_of(), keep=keep, rule=rule)
    in_order = sorted(rows, key=lambda row: -ORDERS[keep](row))
    expected = greedy(in_order, everywhere)
    if rule == "cluster":
        ranks = {row["id"]: rank for rank, row in enumerate(in_order)}
        groups = components(rows, everywhere)
        expected = {n for group in groups for n in group if n != min(group, key=ranks.__getitem__)}
    assert removed_in(done) == expected
    (problem,) = (p for p in run.problems or () if p.category == "missing-value")
    missing = sum(ORDERS[keep](row) == -(10**20) for row in rows)
    assert problem.message.startswith(f"{missing} of {len(rows)} records have no ")


def test_dates_and_numbers_are_ordered() -> None:
    assert times_of(["10000", 9, 2019, None])[:3] == [10000, 9, 2019]
    mixed = ["1999-12-31", "20000101", 2000, "2000-01-01T00:00:01", 946684802, "2000-01-01 01:00"]
    assert times_of(mixed) == sorted(times_of(mixed))
    assert times_of(["2000-01-01T00:00:00+01:00", "x"])[0] == 946684800 - 3600
    assert str(times_of(["x", "nan", "", True][:3])) == "[nan, nan, nan]"


def test_the_newest_file_is_kept(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.txt" for name in "abc"]
    for path, time in zip(paths, (20, 30, 10), strict=True):
        path.write_text(prose(1))
        os.utime(path, (time, time))
    result = sdtext.deduplicate([*paths], keep="newest")
    assert result.kept == (paths[1],)
    assert not result.problems
    for option in ({"keep": "newest:date"}, {"keep": "best:x"}, {"scope": "within:lang"}):
        with pytest.raises(OptionError, match="documents are files; only records have fields"):
            sdtext.deduplicate([*paths], **option)  # type: ignore[arg-type]


def test_fields_of_records_in_memory_and_in_collections(tmp_path: Path) -> None:
    texts = {"a": "de", "b": "en", "c": "en"}
    rows = [{"id": name, "lang": lang, "text": prose(1)} for name, lang in texts.items()]
    assert [r["id"] for r in sdtext.deduplicate(rows, scope="within:lang").kept] == ["a", "b"]
    assert [r["id"] for r in sdtext.deduplicate(rows, scope="across:lang").kept] == ["a"]
    against = stored_with(tmp_path / "x.sdx", {**rows[1], "id": "s"})
    inside = sdtext.deduplicate(rows, scope="within:lang", against=against)
    assert [(r.document, r.kept) for r in inside.removed] == [("b", "s"), ("c", "s")]
    other = sdtext.deduplicate(rows, scope="across:lang", against=against)
    assert [(r.document, r.kept) for r in other.removed] == [("a", "s")]
    none = sdtext.deduplicate([*rows, {"id": "d", "text": prose(2)}], keep="none", against=against)
    assert [row["id"] for row in none.kept] == ["d"]
    assert {(row.kept, row.duplicate) for row in none.removed} == {("s", "s")}


def test_none_also_removes_the_duplicates_of_what_is_stored(tmp_path: Path) -> None:
    text, step, further = sliding(3, 10)
    assert similarity(text, further) < Fraction(8, 10) < similarity(text, step)
    against = stored_with(tmp_path / "x.sdx", {"id": "old", "text": text})
    rows = [{"id": "step", "text": step}, {"id": "further", "text": further}]
    result = sdtext.deduplicate(rows, keep="none", against=against)
    pairs = [(row.document, row.duplicate) for row in result.removed]
    assert pairs == [("step", "old"), ("further", "step")]
    assert [row["id"] for row in sdtext.deduplicate(rows, against=against).kept] == ["further"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"keep": "best"}, "keep is 'best'; it must be one of first, .*, best:FIELD, none"),
        ({"keep": "first:x"}, "keep is 'first:x'"),
        ({"keep": "newest:"}, "keep is 'newest:'"),
        ({"scope": "lang"}, "scope is 'lang'; it must be one of within:FIELD, across:FIELD"),
        ({"keep": "best:size"}, "no record has a field 'size'.*; the first has text, lang"),
        ({"scope": "within:size"}, "no record has a field 'size'.*; the first has text, lang"),
    ],
)
def test_bad_choices_are_refused(option: dict[str, Any], message: str) -> None:
    records = [{"text": prose(1), "lang": None}]
    for documents in (records, pa.Table.from_pylist(records)):
        with pytest.raises(OptionError, match=message):
            sdtext.deduplicate(documents, **option)
