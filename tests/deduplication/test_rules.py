"""Rules, orders and scopes: what is kept is what a plain greedy choice keeps."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.deduplication.choose_documents import greedy_choice
from sdtext.deduplication.order_and_scope import times_of
from sdtext.deduplication.rule_names import KEEP
from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates import buckets, exact_join
from sdtext.search.candidates.buckets import Rows
from sdtext.search.candidates.exact_join import JoinLimits
from sdtext.search.results import Links
from tests.support.command import chance, prose
from tests.support.deduplication import (
    DEFAULT_RECIPE,
    NO_JOIN,
    Removal,
    Row,
    deduplicated,
    edited,
    lines_of,
    mixture,
    removals_of,
    rows_of,
    run_of,
    shingles,
    similarity,
    sliding,
    stored_with,
    write_lines,
)


def plain_removals(texts: Sequence[str], keep: str = "first", least: int = 80) -> list[Removal]:
    """The removals by comparing each text with all that are kept before it.

    Texts with equal shingles share the fate of the first of them.
    """
    sign = {"first": 0, "longest": -1, "shortest": 1}[keep]
    kept: list[int] = []
    removals = []
    equal: dict[frozenset[tuple[str, ...]], tuple[str, int]] = {}
    for place in sorted(range(len(texts)), key=lambda n: (sign * len(texts[n]), n)):
        if shingles(texts[place]) in equal:
            removals.append((f"t{place}", *equal[shingles(texts[place])]))
            continue
        similarities = [similarity(texts[place], texts[other]) for other in kept]
        best = max(similarities, default=Fraction(0))
        if 100 * best >= least and shingles(texts[place]):
            other = kept[similarities.index(best)]
            equal[shingles(texts[place])] = f"t{other}", min(99, int(100 * best))
            removals.append((f"t{place}", *equal[shingles(texts[place])]))
        else:
            kept.append(place)
            if shingles(texts[place]):
                equal[shingles(texts[place])] = f"t{place}", 99
    return sorted(removals, key=lambda row: int(row[0][1:]))


@pytest.mark.parametrize("keep", KEEP)
@pytest.mark.parametrize("seed", range(4))
def test_the_removals_are_those_of_a_plain_greedy_choice(
    keep: str, seed: int, tmp_path: Path
) -> None:
    texts = mixture(seed)
    done = deduplicated(texts, tmp_path, keep=keep)
    assert removals_of(done) == plain_removals(texts, keep)
    removed = {row.document for row in done.removed}
    for row in done.removed:
        exact = similarity(texts[int(row.document[1:])], texts[int(row.kept[1:])])
        assert row.score == min(99, int(100 * exact)) >= 80
        assert row.similarity == pytest.approx(float(exact))
        assert row.kept not in removed


@pytest.mark.parametrize("keep", KEEP)
def test_pairs_that_oversized_buckets_leave_out_are_compared_after_all(
    keep: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_join, "LITTLE", NO_JOIN)
    draw = chance(8)
    texts = [edited(prose(1, 160), draw.randint(0, 5), seed) for seed in range(150)]
    texts += draw.choices(texts, k=70) + sliding(40, 6)
    draw.shuffle(texts)
    complete = deduplicated(texts, tmp_path, keep=keep)
    monkeypatch.setattr(buckets, "PAIR_BUDGET", 50)
    done = deduplicated(texts, tmp_path, keep=keep)
    assert "only enough pairs" in done.how
    assert removals_of(done) == removals_of(complete)


@pytest.mark.parametrize("keep", KEEP)
def test_of_many_equal_documents_one_is_kept_whatever_its_place(keep: str, tmp_path: Path) -> None:
    text = prose(1, 60)
    texts = [text + " " * (place * 7 % 200) for place in range(200)] + [edited(text, 1)] * 70
    done = deduplicated(texts, tmp_path, keep=keep)
    assert removals_of(done) == plain_removals(texts, keep)
    recipe = replace(DEFAULT_RECIPE, matcher=PartSpec("edit"))
    by_edits = deduplicated(texts, tmp_path, recipe=recipe, keep=keep)
    assert len(by_edits.removed) == len(texts) - 1


def test_documents_equal_to_a_removed_one_share_its_fate(tmp_path: Path) -> None:
    against = stored_with(tmp_path / "old.sdx", {"id": "s", "text": prose(1, 80)})
    near = edited(prose(1, 80), 1)
    texts = [near, prose(2, 80), near, edited(prose(2, 80), 1), near]
    done = deduplicated(texts, tmp_path, against=against)
    rows = [(row.document, row.kept, row.cluster) for row in done.removed]
    assert rows[:2] == [("t0", "s", None), ("t2", "s", None)]
    assert rows[2:] == [("t3", "t1", 1), ("t4", "s", None)]
    for row in done.removed[:2]:
        assert row.similarity == pytest.approx(float(similarity(near, prose(1, 80))))


edges_ = st.lists(
    st.tuples(st.integers(0, 14), st.integers(0, 14), st.sampled_from([80, 81, 90])).filter(
        lambda edge: edge[0] != edge[1]
    ),
    unique_by=lambda edge: frozenset(edge[:2]),
)


class MissingEdges:
    """Links that are given when asked for."""

    def __init__(self, places: set[int], score: dict[frozenset[int], int]) -> None:
        self.places = np.array(sorted(places), np.int64)
        self._score = score

    def edges_of(self, places: Rows) -> Iterator[tuple[int, Callable[[], Links]]]:
        for place in places.tolist():
            yield place, partial(self._later, place, places.tolist())

    def _later(self, place: int, places: list[int]) -> Links:
        pairs = ((place, other) for other in places if other > place)
        return edges_of(
            [(*pair, self._score[key]) for pair in pairs if (key := frozenset(pair)) in self._score]
        )


def edges_of(rows: list[tuple[int, int, int]]) -> Links:
    left, right, scores = (np.array([row[part] for row in rows], np.int64) for part in range(3))
    return Links(left, right, scores, scores / 100)


@given(edges=edges_, incomplete=st.sets(st.integers(0, 14)))
def test_missing_edges_are_asked_for(
    edges: list[tuple[int, int, int]], incomplete: set[int]
) -> None:
    """Without edges that connect nothing new, the choice is the same."""
    score = {frozenset(edge[:2]): edge[2] for edge in edges}
    connects: list[set[int]] = []
    known = []
    for edge in edges:
        touched = [group for group in connects if group & set(edge[:2])]
        if len(touched) == 1 and set(edge[:2]) <= incomplete & touched[0]:
            continue  # it may be left out
        known.append(edge)
        connects = [group for group in connects if group not in touched]
        connects.append(set(edge[:2]).union(*touched))
    missing: Any = MissingEdges(incomplete, score)
    kept, best_edges = greedy_choice(15, edges_of(known), missing)
    expected: dict[int, tuple[int, int]] = {}
    for place in range(15):
        near = [other for other in range(place) if other not in expected]
        near = [other for other in near if frozenset((place, other)) in score]
        if near:
            best = max(near, key=lambda other: (score[frozenset((place, other))], -other))
            expected[place] = best, score[frozenset((place, best))]
    named = zip(best_edges.left.tolist(), best_edges.score.tolist(), strict=True)
    assert dict(zip(best_edges.right.tolist(), named, strict=True)) == expected
    assert np.flatnonzero(~kept).tolist() == sorted(expected)


def containment(inner: str, outer: str) -> Fraction:
    return Fraction(len(shingles(inner) & shingles(outer)), len(shingles(inner)) or 1)


def parts(seed: int) -> list[str]:
    """Texts, parts of these, parts with a word of their own, and texts that share parts."""
    draw = chance(seed)
    texts = mixture(seed)
    for place in range(25):
        words = draw.choice(texts).split()
        start = draw.randrange(max(1, len(words) - 20))
        part = " ".join(words[start : start + draw.randint(8, 60)])
        texts.append(part if place % 3 else edited(part, 1, place))
    texts += [f"{texts[place]} {prose(place, 30)}" for place in range(6)]
    draw.shuffle(texts)
    return texts


def plain_contained(texts: Sequence[str], least: int) -> list[Removal]:
    """The removals by comparing each text with all kept ones that have as many shingles."""
    kept: list[int] = []
    removals = []
    for place in sorted(range(len(texts)), key=lambda n: (-len(shingles(texts[n])), n)):
        shares = [containment(texts[place], texts[other]) for other in kept]
        best = max(shares, default=Fraction(0))
        if shingles(texts[place]) and 100 * best >= least:
            other = kept[shares.index(best)]
            removals.append((f"t{place}", f"t{other}", min(99, int(100 * best))))
        else:
            kept.append(place)
    for left in kept:
        assert all(
            100 * containment(texts[left], texts[other]) < least
            for other in kept
            if other != left and shingles(texts[left])
        )
    return sorted(removals, key=lambda row: int(row[0][1:]))


@pytest.mark.parametrize(
    ("minimum", "seed"), [(None, 1), (80, 3), pytest.param(50, 4, marks=pytest.mark.deep)]
)
def test_only_what_is_in_a_kept_document_is_removed(
    minimum: int | None, seed: int, tmp_path: Path
) -> None:
    texts = parts(seed)
    done = deduplicated(texts, tmp_path, similarity=minimum and minimum / 100, rule="contained")
    assert removals_of(done) == plain_contained(texts, minimum or 99)
    removed = {row.document for row in done.removed}
    assert len(removed) > 15
    for row in done.removed:
        share = containment(*(texts[int(name[1:])] for name in (row.document, row.kept)))
        assert row.similarity == pytest.approx(float(share))
        assert 100 * share >= (minimum or 99)
        assert row.kept not in removed


def test_a_scope_and_stored_documents_count_for_contained_ones(tmp_path: Path) -> None:
    text = prose(1, 80)
    part = " ".join(text.split()[10:50])
    rows = [
        {"id": "whole", "lang": "de", "text": text},
        {"id": "part", "lang": "en", "text": part},
        {"id": "more", "lang": "de", "text": f"{part} {prose(2, 30)}"},
    ]
    result = sdtext.deduplicate(rows, rule="contained")
    assert [(row.document, row.kept, row.score) for row in result.removed] == [
        ("part", "whole", 99)
    ]
    assert not sdtext.deduplicate(rows, rule="contained", scope="within:lang").removed
    copies = [{**rows[1], "lang": f"l{n}", "id": str(n)} for n in range(90)]
    across = sdtext.deduplicate(copies, rule="contained", scope="across:lang")
    assert len(across.removed) == 89
    against = stored_with(tmp_path / "x.sdx", rows[0])
    new = sdtext.deduplicate(rows[1:], rule="contained", against=against)
    assert [row["id"] for row in new.kept] == ["more"]


def test_what_the_rule_cannot_do_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"text": prose(1)}, {"text": prose(2)}]
    with pytest.raises(OptionError, match="the document is kept that holds the others"):
        sdtext.deduplicate(rows, rule="contained", keep="none")
    monkeypatch.setattr(exact_join, "MOST", JoinLimits(10, 10, 10))
    with pytest.raises(OptionError, match="more than 10"):
        sdtext.deduplicate(rows, rule="contained")


Counts = Callable[[Row, Row], bool]


def decided(
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
    direct = decided(rows, tmp_path, run := run_of(), scope=scope)
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
    none = decided(rows, folder, scope=scope, keep="none")
    assert removed_in(none) == {name for group in groups for name in group}
    for row in none.removed:
        pair = by_id[row.document], by_id[str(row.duplicate)]
        assert are_duplicates(*pair, SCOPES[scope])
        assert row.kept == ""
    cluster = decided(rows, folder, scope=scope, rule="cluster")
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
    done = decided(rows, tmp_path, run := run_of(), keep=keep, rule=rule)
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


@pytest.mark.parametrize(("option", "message"), [
    ({"keep": "best"}, "keep is 'best'; it must be one of first, .*, best:FIELD, none"),
    ({"keep": "first:x"}, "keep is 'first:x'"), ({"keep": "newest:"}, "keep is 'newest:'"),
    ({"scope": "lang"}, "scope is 'lang'; it must be one of within:FIELD, across:FIELD"),
    ({"keep": "best:size"}, "no record has a field 'size'.*; the first has text, lang"),
    ({"scope": "within:size"}, "no record has a field 'size'.*; the first has text, lang"),
])  # fmt: skip
def test_bad_choices_are_refused(option: dict[str, Any], message: str) -> None:
    records = [{"text": prose(1), "lang": None}]
    for documents in (records, pa.Table.from_pylist(records)):
        with pytest.raises(OptionError, match=message):
            sdtext.deduplicate(documents, **option)
