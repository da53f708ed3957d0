"""Pairs: those that are found are right, and all are found where all are looked at."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import MismatchError, OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.indexes import Bands
from sdtext.search import searchable
from sdtext.search.candidates import exact_join
from sdtext.search.candidates.exact_join import JoinLimits
from sdtext.search.find import links, search_pairs
from sdtext.search.results import Links
from sdtext.search.search_plan import Question
from sdtext.search.searchable import Derivation, Table, segment_views
from tests.search.sets import (
    OF_SETS,
    SCAN,
    VALUES,
    WORDS,
    Scored,
    Segmented,
    Sets,
    held,
    similar_pairs,
)
from tests.search.sets import some_sets as sets_
from tests.support.strategies import BRISK

MINIMA = st.integers(1, 99)
every = pytest.mark.parametrize("name", OF_SETS)


def scored(actual: Links) -> Scored:
    """The links by their pair, each of which is there once."""
    rows = zip(
        actual.left.tolist(),
        actual.right.tolist(),
        actual.score.tolist(),
        actual.similarity.tolist(),
        strict=True,
    )
    result = {(left, right): (score, similarity) for left, right, score, similarity in rows}
    assert len(result) == len(actual)
    return result


@every
@BRISK
@given(sets=sets_(), minimum=MINIMA)
def test_a_scan_and_a_join_find_all_pairs_with_their_scores(
    name: str, sets: Sets, minimum: int
) -> None:
    right = similar_pairs(sets, name, minimum)
    assert scored(links(held(sets, SCAN), Question(minimum, name))) == right
    result = links(held(sets), Question(minimum, name))
    assert scored(result) == right
    assert result.how.startswith("all shingles compared; verified exactly")
    assert result.curve == ()


@every
@BRISK
@given(sets=sets_(), minimum=MINIMA)
def test_bands_find_right_pairs_and_all_that_are_equal(name: str, sets: Sets, minimum: int) -> None:
    question = Question(minimum, name, recall=0.99)
    result, right = scored(links(held(sets), question)), similar_pairs(sets, name, minimum)
    assert result == {pair: right[pair] for pair in result}
    equal = {pair for pair in right if sets[pair[0]] == sets[pair[1]]}
    assert equal <= result.keys()


@every
@BRISK
@given(sets=sets_(), minimum=MINIMA, pick=st.data())
def test_segments_and_removed_documents_change_nothing_else(
    name: str, sets: Sets, minimum: int, pick: st.DataObject
) -> None:
    recipe = pick.draw(st.sampled_from([WORDS, SCAN]))
    places = st.integers(0, len(sets))
    removed = pick.draw(st.frozensets(places))
    cut = Segmented.cut(held(sets, recipe), pick.draw(st.lists(places, max_size=4)), removed)
    left = [frozenset() if place in removed else first for place, first in enumerate(sets)]
    question = Question(minimum, name, recall=pick.draw(st.sampled_from([None, 0.99])))
    assert scored(links(cut, question)) == scored(links(held(left, recipe), question))


@every
@BRISK
@given(ours=sets_(), theirs=sets_(), minimum=MINIMA, scans=st.booleans())
def test_between_finds_every_pair_of_sets(
    name: str, ours: Sets, theirs: Sets, minimum: int, *, scans: bool
) -> None:
    recipe = SCAN if scans else WORDS
    question = Question(minimum, name, recall=0.99)
    result = scored(links(held(ours, recipe), question, held(theirs, recipe)))
    together = similar_pairs([*ours, *theirs], name, minimum)
    right = {
        (first, other - len(ours)): score
        for (first, other), score in together.items()
        if first < len(ours) <= other
    }
    assert result == {pair: right[pair] for pair in result}
    missing = right.keys() - result.keys()
    assert not missing or not scans
    assert all(ours[first] != theirs[other] for first, other in missing)


def near(size: int, common: int, number: int, seed: int = 1) -> list[frozenset[int]]:
    """`number` sets of `size`, of which any two share `common` or a little more."""
    draw = np.random.default_rng(seed)
    shared = VALUES[:common]
    rows = draw.integers(0, 2**63, (number, size - common)).tolist()
    return [frozenset((*shared, *row)) for row in rows]


def test_ten_thousand_duplicates_give_few_pairs_and_hide_none() -> None:
    same, other = frozenset(VALUES[:30]), frozenset(VALUES[:29])
    sets = [other, *[same] * 10_000, other, frozenset(VALUES[100:130])]
    result = links(held(sets), Question(90, "jaccard"))
    wanted = {(item, place) for item in (0, 1) for place in range(1, 10_001) if item < place}
    assert scored(result).keys() == wanted | {(1, 10_001), (0, 10_001)}
    assert result.oversized == (0, 0, 1)
    problems = search_pairs(held(sets), Question(90, "jaccard")).problems
    assert [problem.category for problem in problems] == ["equal-documents"]


def test_up_to_64_duplicates_give_all_pairs_and_empty_sets_none() -> None:
    sets = [frozenset(VALUES[:30])] * 64 + [frozenset(VALUES[:29])] * 3
    result = links(held(sets), Question(90, "jaccard"))
    assert len(result) == 67 * 66 // 2
    assert not any(result.oversized)
    for name in OF_SETS:
        assert search_pairs(held([], SCAN), Question(50, name)).rows == ()
        assert search_pairs(held([frozenset()], WORDS), Question(50, name)).rows == ()
    assert search_pairs(held([]), Question(50), held([])).rows == ()


def test_rows_have_names_and_descend_by_similarity() -> None:
    sets = [frozenset(VALUES[:10]), frozenset(VALUES[:9]), frozenset(VALUES[:10])]
    result = search_pairs(held(sets), Question(80))
    rows = [(row.left, row.right, row.score) for row in result.rows]
    assert rows == [("s0", "s2", 99), ("s0", "s1", 90), ("s1", "s2", 90)]
    assert search_pairs(held(sets), Question(80, top=1)).rows == result.rows[:1]


@pytest.mark.parametrize("place", range(3))
def test_bands_replace_a_large_join(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = near(100, 97, 12)  # 1,200 shingles, 66 pairs
    whole = links(held(sets), Question(80))
    assert whole.how.startswith("all shingles")
    # Of the 21 rarest shingles of each, one of which another has to have, it has 3 alone.
    bounds = [1200, 12 * 18 * 12, 66]
    for less, how in ((0, "all shingles"), (1, "bands: ")):
        limits = [bound - less * (number == place) for number, bound in enumerate(bounds)]
        monkeypatch.setattr(exact_join, "LITTLE", JoinLimits(*limits))
        result = links(held(sets), Question(80))
        assert result.how.startswith(how)
        assert scored(result) == scored(whole)


def test_bands_of_the_recipe_itself_are_kept_unless_a_recall_is_asked_for() -> None:
    recipe = replace(WORDS, index=PartSpec.of("bands", bands=4, rows=5))
    assert search_pairs(held([], recipe), Question(80)).how.startswith("bands: 4 of 5 rows")
    asked = Question(80, recall=0.9)
    assert search_pairs(held([], recipe), asked).how == search_pairs(held([]), asked).how
    assert search_pairs(held([], recipe), asked).how.startswith("bands: ")


def test_the_default_minimum_is_that_of_the_index() -> None:
    sets = [frozenset(VALUES[:10]), frozenset(VALUES[:8]), frozenset(VALUES[:7])]
    assert len(search_pairs(held(sets, SCAN)).rows) == 2
    recipe = replace(WORDS, index=PartSpec.of("bands", similarity=0.7))
    assert len(search_pairs(held(sets, recipe)).rows) == 3


def test_too_much_work_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for limits in (JoinLimits(10, 10**9, 9), JoinLimits(10**9, 10, 9)):
        monkeypatch.setattr(exact_join, "MOST", limits)
        with pytest.raises(OptionError, match="containment"):
            links(held(near(20, 10, 5)), Question(40, "containment"))


def test_impossible_questions_are_refused() -> None:
    where: Any = 1
    others = replace(WORDS, tokenizer=PartSpec("characters"))
    bare = RecipeSpec(PartSpec("words"))
    for recipe, question, kind, message in (
        (WORDS, Question(80, "containment", estimate=True), OptionError, "containment"),
        (WORDS, Question(80, "edit", estimate=True), OptionError, "edit"),
        (WORDS, Question(80, where=where), OptionError, "no metadata"),
        (WORDS, Question(80, "jacard"), OptionError, "no matcher 'jacard'"),
        (WORDS, Question(80, "idf-cosine"), MismatchError, "idf-cosine compares bit vectors"),
        (bare, Question(80), MismatchError, "neither shingles nor bit vectors"),
        (WORDS, Question(recipe=others), MismatchError, "tokenizer is words, .* characters"),
    ):
        with pytest.raises(kind, match=message):
            links(held([], recipe), question)
    lowercase = replace(WORDS, filters=(PartSpec("lowercase"),))
    with pytest.raises(MismatchError, match=r"filter 1 is lowercase, .* none"):
        links(held([]), Question(80), held([], lowercase))
    wrong: list[Any] = [("minimum", 101), ("minimum", -1), ("top", 0), ("recall", 0), ("recall", 1)]
    for name, value in wrong:
        with pytest.raises(OptionError, match=name):
            Question(**{name: value})


def test_sketches_of_the_second_collection_are_made_as_those_of_the_first() -> None:
    sets = near(100, 97, 40)
    narrow = replace(WORDS, fingerprint=PartSpec.of("minhash", slots=32))
    packed = replace(WORDS, fingerprint=PartSpec.of("bbit", slots=64, bits=1))
    for recipe in (narrow, packed, replace(WORDS, fingerprint=PartSpec("shingles"))):
        result = links(held(sets[:20]), Question(80), held(sets[20:], recipe))
        assert len(result) == 400


@BRISK
@given(sets=sets_())
def test_most_documents_with_a_single_shingle_give_a_warning(sets: Sets) -> None:
    sizes = [len(item) for item in sets if item]
    problems = search_pairs(held(sets, SCAN)).problems
    few = [problem for problem in problems if problem.category == "few-shingles"]
    assert bool(few) == (len(sizes) > 1 and 2 * sizes.count(1) > len(sizes))
    assert not few or few[0].message.startswith(f"{sizes.count(1)} of {len(sizes)} documents have")


SETS = [frozenset(VALUES[place : place + 12]) for place in range(300)] * 2 + [
    frozenset(VALUES[:12])
] * 90
BANDS = Bands(bands=16, rows=4)
ONE, SEVERAL = (Segmented.cut(held(SETS), borders) for borders in ((), (70, 71, 300, 640)))


def table_of(documents: Segmented) -> Table:
    derivation = Derivation(WORDS, WORDS)
    return Table(segment_views(documents, derivation), derivation)


@pytest.fixture(params=[1, 50, 400, 1 << 20])
def rows_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    rows: int = request.param
    monkeypatch.setattr(searchable, "_ROWS_AT_ONCE", rows)
    monkeypatch.setattr(searchable, "_STEP", 3)
    return rows


def test_parts_are_the_band_in_order(rows_at_once: int) -> None:
    empty = Table([], Derivation(WORDS, WORDS)).band(BANDS, 0)
    assert [len(column) for column in empty] == [0, 0]
    for documents in (ONE, SEVERAL):
        table = table_of(documents)
        sketches = table.sketches(np.arange(len(SETS)))
        for number in range(3):
            wanted = BANDS.keys(sketches)[:, number]
            order = np.argsort(wanted, kind="stable")
            keys, rows = table.band(BANDS, number)
            assert keys.tolist() == wanted[order].tolist()
            assert rows.tolist() == order.tolist()
            parts = [keys for keys, _ in table.band_parts(BANDS, number)]
            assert (len(parts) > 1) == (rows_at_once < len(SETS))
            full = [part for part in parts if len(part)]
            assert all(ones[-1] < others[0] for ones, others in pairwise(full))
