"""What is like a document: what comparing it with all texts, one by one, finds."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec
from sdtext.parts.registry import build
from sdtext.search import set_search
from sdtext.search.find import links
from sdtext.search.results import Hits
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar
from tests.search.stored import RECIPE, document, shingles_of, stored, texts_of

TEXTS = texts_of(1)
YEARS = [{"year": 2000 + place} for place in range(len(TEXTS))]
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
    hits = similar(collection, [document("...", "dots.txt"), document(TEXTS[3])])
    assert [problem.category for problem in hits.problems] == ["no-shingles"]
    assert hits.problems[0].path == "dots.txt"
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
