"""What is like a document is what comparing it with all texts finds, also when asked again."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, UnreadableError
from sdtext.io.platform import IS_UNIX
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec, Problem
from sdtext.parts.registry import build
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run
from sdtext.search import set_search, similar_documents
from sdtext.search.candidates.intersections import PostingLists, common_counts
from sdtext.search.find import links
from sdtext.search.results import Hits
from sdtext.search.search_plan import Question, plan_search
from sdtext.search.similar_documents import PreparedSearch, similar
from tests.search.stored import RECIPE, document, shingles_of, stored, texts_of

TEXTS = texts_of(1)
YEARS = [{"year": 2000 + place} for place in range(len(TEXTS))]
COMPARED, HIT = ["number", "shingles"], ("query", "document", "similarity")
Found = dict[str, tuple[int, float]]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> StoredCollection:
    return stored(tmp_path_factory.mktemp("similar") / "texts.sdx", TEXTS, facts=YEARS)


def expected(query: str, matcher: str, minimum: int) -> Found:
    """The texts that score `minimum` with the query, by their names."""
    part, mine = build("matchers", PartSpec(matcher)), shingles_of(query)
    result = {}
    for place, text in enumerate(TEXTS):
        theirs = shingles_of(text)
        if mine and theirs:
            similarity = part(len(mine & theirs), len(mine), len(theirs))
            if similarity.score >= minimum:
                result[f"t{place}"] = similarity.score, float(similarity)
    return result


def by_name(hits: Hits) -> Found:
    return {row.document: (row.score, row.similarity) for row in hits.rows}


def test_bands_find_what_is_right_and_all_that_is_equal(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(set_search, "MOST_SCANNED", 0)  # none is so small that all is looked at
    actual, missing = 0, 0
    for text in TEXTS[:-1]:
        hits = similar(collection, [document(text)], Question(80, "jaccard"))
        assert hits.how.startswith("bands: 21 of 6 rows")
        right = expected(text, "jaccard", 80)
        assert by_name(hits).items() <= right.items()
        equal = {name for name, (_, similarity) in right.items() if similarity == 1}
        assert equal <= by_name(hits).keys()
        actual += len(hits.rows)
        missing += len(right) - len(hits.rows)
    assert missing <= 0.02 * actual  # 0.0017 is expected at the least similarity


@pytest.mark.parametrize("question", [Question(30, recall=0.3), Question(top=4)])
@pytest.mark.parametrize("most", [1 << 23, 0])
def test_parts_have_the_hits_of_the_whole(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch, question: Question, most: int
) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.compute")
    from sdtext.reading.records.arrow_frames import schema_of
    from sdtext.search import search_in_parts as in_parts

    monkeypatch.setattr(set_search, "MOST_SCANNED", most)
    names, empty = [f"t{place}" for place in range(len(TEXTS))], [None] * len(TEXTS)
    columns = [range(len(TEXTS)), names, empty, empty, TEXTS, empty]
    texts = pa.record_batch([*columns], schema=schema_of(in_parts.TEXTS))
    rows = pa.Table.from_batches(in_parts.encoded(iter([texts]), collection.recipe))
    rows, total = rows.filter(pa.compute.field("size") > 0), sum(rows["size"].to_pylist())
    parts = rows.select(["name", *COMPARED]).to_batches(max_chunksize=7)
    plan = plan_search(collection, question)
    found = list[tuple[str, str, float]]()
    for part in in_parts.hits_in(iter(parts), rows, plan, total):
        found += zip(*(part[name].to_pylist() for name in HIT), strict=True)
    for text, name in zip(TEXTS, names, strict=True):
        hits = similar(collection, [document(text)], question).rows
        best = sorted((-score, other) for query, other, score in found if query == name)
        assert best[: question.top] == [(-row.similarity, row.document) for row in hits]


def test_the_best_come_first_and_no_more_than_asked_for(collection: StoredCollection) -> None:
    whole = similar(collection, [document(TEXTS[0])], Question(1, "jaccard")).rows
    order = sorted(whole, key=lambda row: (-row.similarity, row.document))
    assert list(whole) == order
    assert {row.document for row in whole[:2]} == {"t0", f"t{len(TEXTS) - 2}"}
    for top in (1, 2, 3, 1000):
        hits = similar(collection, [document(TEXTS[0])], Question(1, "jaccard", top=top))
        assert hits.rows == whole[:top]


def test_the_default_is_the_best_ten_from_one_up(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(set_search, "MOST_SCANNED", 0)
    for text in TEXTS[:8]:
        every = similar(collection, [document(text)], Question(1, "jaccard", rare=True))
        hits = similar(collection, [document(text)])
        assert hits.rows == every.rows[:10]
        assert hits.how.startswith("all shingles compared")
        assert ("only the best 10" in hits.how) == (len(every.rows) > 10)
        listed = similar(collection, [document(text)], Question(1)).rows
        assert {row.id for row in every.rows} <= {row.id for row in listed}
        whole = similar(collection, [document(text)], Question(1, "jaccard")).rows
        assert similar(collection, [document(text)], Question(top=5)).rows == whole[:5]
    asked = Question(recall=0.9)  # of pairs at the similarity that the bands are made for
    assert "bands" in similar(collection, [document(TEXTS[0])], asked).how


def test_a_query_without_shingles_gives_a_warning(collection: StoredCollection) -> None:
    queries = document("...", "dots.txt"), document("bee", "one.txt"), document(TEXTS[3])
    hits = similar(collection, queries)
    assert [(problem.category, problem.path) for problem in hits.problems] == [
        ("no-shingles", "dots.txt"),
        ("too-few-terms", "one.txt"),
    ]
    assert {row.query for row in hits.rows} == {"query"}


def test_tokens_without_words_are_damage(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for segment in collection.segments():
        whole = segment.ragged

        def damaged(name: str, whole: Callable[[str], Ragged] = whole) -> Ragged:
            return Ragged.of([], "uint8") if name == "words" else whole(name)

        monkeypatch.setattr(segment, "ragged", damaged)
    other = replace(RECIPE, shingler=PartSpec.of("words", length=9))
    edits = Question(70, "edit"), Question(70, "edit(of=characters)")
    for question in (*edits, Question(70, recipe=other)):
        with pytest.raises(FormatError, match="do not fit its words"):
            links(collection, question)


SETS = st.sets(st.integers(0, 12), max_size=8).map(sorted)


@given(st.lists(SETS, max_size=6), SETS)
def test_posting_lists_count_as_a_scan_does(rows: list[list[int]], query: list[int]) -> None:
    stored_rows, wanted = Ragged.of(rows, "uint64"), np.array(query, np.uint64)
    counts = PostingLists.of(stored_rows).common_counts(wanted)
    assert counts.tolist() == common_counts(wanted, stored_rows).tolist()


def test_rare_and_frequent_values_are_counted() -> None:
    draw = np.random.default_rng(1)
    shares = np.where(np.arange(400) < 280, 0.9, 0.004)  # of the rows that have each value
    stored_rows = Ragged.of([np.flatnonzero(draw.random(400) < shares) for _ in range(99)])
    wanted = np.sort(draw.choice(np.arange(500, dtype=np.uint64), 300, replace=False))
    counts = PostingLists.of(stored_rows).common_counts(wanted)
    assert counts.tolist() == common_counts(wanted, stored_rows).tolist()


def test_queries_in_one_call_are_answered_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    texts = texts_of(9)
    collection = stored(tmp_path / "texts.sdx", texts)
    queries = [document(text) for text in (*texts[:7], "", *texts[7:12])]
    for question in (Question(), Question(40), Question(30, "edit")):
        singly = [similar(collection, [query], question) for query in queries]
        rows = tuple(row for hits in singly for row in hits.rows)
        for batch in (2, 256):
            monkeypatch.setattr(similar_documents, "_BATCH", batch)
            hits = similar(collection, queries, question)
            assert hits.rows == rows
            problems = (problem for hits in singly for problem in hits.problems)
            assert hits.problems == tuple(dict.fromkeys(problems))


@pytest.mark.skipif(not IS_UNIX, reason="only Unix limits its own process")
def test_a_query_over_the_limits_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def shingle_sets(encoder: Encoder, texts: Sequence[str]) -> Ragged:
        while any(len(text) > 9999 for text in texts):
            sum(range(1000))
        return encoder.sets(encoder.block(texts))

    monkeypatch.setattr(Encoder, "shingle_sets", shingle_sets)
    texts = texts_of(9)
    collection = stored(tmp_path / "texts.sdx", texts)
    long = document("x y " * 3000)
    queries = [document(texts[0]), long, document(texts[1])]
    problems: list[Problem] = []
    run = Run(reading=Reading(max_seconds=0.1), problems=problems)
    rows = similar(collection, queries, Question(90), run).rows
    assert len(rows) == sum(
        len(similar(collection, [query], Question(90)).rows) for query in queries[::2]
    )
    assert [problem.category for problem in problems] == ["unreadable"]
    with pytest.raises(UnreadableError, match="takes more than"):
        similar(collection, queries, Question(90), replace(run, problems=None))


def test_later_queries_are_answered_as_the_first(tmp_path: Path) -> None:
    texts = texts_of(9)
    collection = stored(tmp_path / "texts.sdx", texts)
    for question in (Question(), Question(40), Question(top=5), Question(10, "containment")):
        search = PreparedSearch.of(collection, question)
        for text in texts[:12]:
            hits = similar(collection, [document(text)], question)
            assert replace(search([document(text)], Run()), problems=hits.problems) == hits
