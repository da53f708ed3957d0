"""Scores of titles, applicants and organisations; pairs of documents with similar titles."""

from itertools import combinations, product
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from sdtext.model import Metadata
from sdtext.reuse import metadata_similarity
from sdtext.reuse.metadata_similarity import FIELDS, metadata_scores, pairs_with_similar_titles
from tests.formats.evidence import ANY_TEXT
from tests.support.strategies import BRISK

_NAMES = st.sampled_from(["title", "Title", "APPLICANT", "organisation", "organization", "year"])
_VALUES = ANY_TEXT | st.sampled_from(["Bees", "bees dance", "Dance, bees!"]) | st.integers()
METADATA = st.dictionaries(_NAMES, _VALUES | st.none() | st.floats(allow_nan=False), max_size=4)


def title(left: str, right: str) -> int | None:
    return metadata_scores({"title": left}, {"title": right}).get("title")


@given(METADATA, METADATA)
def test_scores_are_symmetric_and_of_known_fields(left: Metadata, right: Metadata) -> None:
    scores = metadata_scores(left, right)
    assert scores == metadata_scores(right, left)
    assert all(name in FIELDS and 0 <= score <= 99 for name, score in scores.items())
    assert set(metadata_scores(left, left).values()) <= {99}


@BRISK
@given(
    st.lists(st.sampled_from(["bees", "dance", "in", "spring", "a"]), min_size=1, max_size=8).map(
        " ".join
    ),
    st.data(),
)
def test_scores_of_plain_words_equal_those_of_rapidfuzz(text: str, data: st.DataObject) -> None:
    other = " ".join(data.draw(st.permutations(text.split()))) + data.draw(
        st.sampled_from(["", " again", " and again"])
    )
    wanted = max(fuzz.token_sort_ratio(text, other), fuzz.ratio(text, other))
    result = title(text, other)
    assert result is not None
    assert result <= min(99, wanted + 1e-9) < result + (2 if result == 99 else 1)


@pytest.mark.parametrize(("left", "right"), [
    ("Bees in Spring", "bees  IN\tspring"), ("Müller, Anna", "Anna MU\u0308LLER"),
    ("STRASSE", "straße"), ("Report №5: ﬁnal", "report no5 - final"),
    ("हिन्दी भाषा", "भाषा, हिन्दी"), ("蜂 の ダンス", "ダンス・の・蜂"),
    ("I\u0307zmir", "i\u0307zmir"),
])  # fmt: skip
def test_case_order_forms_and_punctuation_make_no_difference(left: str, right: str) -> None:
    assert title(left, right) == 99


def test_a_field_that_one_document_lacks_as_a_text_has_no_score() -> None:
    left: Metadata = {"title": 1984, "applicant": "…!", "organisation": "HUT", "year": 2019}
    right: Metadata = {"title": "1984", "applicant": "…!", "organisation": None, "year": 2019}
    assert metadata_scores(left, right) == {}
    assert metadata_scores({}, {}) == {}


def test_names_of_fields_ignore_case_and_have_two_spellings() -> None:
    left: Metadata = {"TITLE": "Bees", "Organization": "HUT", "Applicant": "Anna"}
    right: Metadata = {"title": "Bees", "organisation": "hut", "applicant": "Otto"}
    result = metadata_scores(left, right)
    assert list(result) == list(FIELDS)
    assert (result["title"], result["organisation"]) == (99, 99)
    assert result["applicant"] < 50


def test_only_the_beginning_of_a_hostile_text_is_compared() -> None:
    """Ten million letters, of which some stand for 18 each, cost no more than a thousand."""
    long = "\ufdfa" * 10_000_000
    assert title(long, long[:1000]) == 99
    assert title("a" * 1000 + "b" * 10_000_000, "a" * 1000) == 99


_TITLES = st.lists(
    METADATA
    | st.builds(
        lambda words: {"title": " ".join(words)},
        st.lists(
            st.sampled_from(["bees", "bee", "dances", "dance", "spring"]), min_size=1, max_size=4
        ),
    ),
    max_size=8,
)


@given(_TITLES, _TITLES, st.integers(1, 99))
def test_pairs_with_similar_titles_are_those_that_reach_the_score(
    left: list[Metadata], right: list[Metadata], least: int
) -> None:
    def score(first: Metadata, other: Metadata) -> int:
        return metadata_scores(first, other).get("title", 0)

    places = product(range(len(left)), range(len(right)))
    wanted = [(i, j) for i, j in places if score(left[i], right[j]) >= least]
    with patch.object(metadata_similarity, "MIN_TITLE_SCORE", least):
        assert list(pairs_with_similar_titles(left, right)) == wanted
    within = [(i, j) for i, j in combinations(range(len(left)), 2)]
    wanted = [(i, j) for i, j in within if score(left[i], left[j]) >= least]
    with patch.object(metadata_similarity, "MIN_TITLE_SCORE", least):
        assert list(pairs_with_similar_titles(left)) == wanted


@patch.object(metadata_similarity, "MIN_TITLE_SCORE", 99)
def test_similar_titles_are_found_among_many_documents() -> None:
    """More than are compared at once; those without a title are among them."""
    titles: list[Metadata] = [{"title": f"report {n % 300} {n % 300}"} for n in range(900)]
    documents = [{}, *titles, {"title": 7}]
    result = list(pairs_with_similar_titles(documents))
    assert result == [(i, j) for i in range(1, 901) for j in range(i + 300, 901, 300)]
    assert list(pairs_with_similar_titles(documents, documents[400:402])) == [
        (place, other)
        for place in range(100, 900)
        for other in (0, 1)
        if (place - 400 - other) % 300 == 0
    ]


def test_a_title_of_thousands_gives_ten_pairs_for_each() -> None:
    documents: list[Metadata] = [{"title": "Untitled"}] * 1500
    result = list(pairs_with_similar_titles(documents))
    assert result == [(i, j) for i in range(1500) for j in range(i + 1, min(i + 11, 1500))]
    assert list(pairs_with_similar_titles(documents[:2], documents)) == [
        (i, j) for i in (0, 1) for j in range(10)
    ]
