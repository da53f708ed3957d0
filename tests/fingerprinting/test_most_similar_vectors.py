"""The best match of many vectors is that of a comparison of every pair."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.fingerprinting import compare_fingerprints, most_similar_vectors
from sdtext.fingerprinting.compare_fingerprints import Comparer
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import Fingerprint, Origin, PartSpec, Place, RecipeSpec, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import PARTS, find
from tests.strategies import BRISK

MATCHERS = [
    name for name in PARTS["matchers"] if find("matchers", name).compares in ("sets", "vectors")
]
COUNTS = {f"w{place:02}": 1 + place * 99 // 69 for place in range(70)}
DICTIONARY = Dictionary.of(COUNTS, 100, RecipeSpec(PartSpec("words")))


def printed(places: list[list[int]]) -> Fingerprint:
    """A fingerprint with a vector of the whole document and one for each further segment."""
    vectors = [
        Vector(
            pack(row, 70), 70, DICTIONARY.guid, Place(number, number, number, 1) if number else None
        )
        for number, row in enumerate(places)
    ]
    return Fingerprint("bitvector", tuple(vectors), (DICTIONARY.reference(),), Origin(""))


@st.composite
def sides(draw: st.DrawFn) -> tuple[Fingerprint, Fingerprint]:
    """Fingerprints with vectors of all sizes, of which some are equal or nearly so."""
    random = Random(draw(st.integers(0, 2**32)))
    pool = range(70) if draw(st.booleans()) else range(draw(st.integers(1, 20)))
    rows = [
        random.sample(pool, random.randrange(len(pool) + 1))
        for _ in range(draw(st.integers(2, 4)) ** 2 * 3)
    ]
    for _ in range(draw(st.integers(0, 5))):
        row = random.choice(rows)
        rows.append([*row[:-1], random.choice(pool)])
    random.shuffle(rows)
    if draw(st.booleans()):
        rows = [[place for place in row if place < 35] for row in rows[::2]] + rows[1::2]
    half = len(rows) // 2
    return printed(rows[:half]), printed(rows[half:])


@pytest.mark.parametrize("name", MATCHERS)
def test_the_best_match_is_the_first_of_the_most_similar(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare_fingerprints, "_MANY", 1)
    monkeypatch.setattr(most_similar_vectors, "_BATCH", 2)
    comparer = Comparer(name, (DICTIONARY,))
    plain = replace(comparer, index="scan")

    @BRISK
    @given(pair=sides())
    def check(pair: tuple[Fingerprint, Fingerprint]) -> None:
        assert comparer.best(*pair) == plain.best(*pair)

    check()


def test_few_pairs_of_many_segments_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(1)
    rows = [random.sample(range(70), 20) for _ in range(80)]
    left, right = printed(rows[:40]), printed([*rows[40:79], rows[5]])
    calls: list[tuple[int, int]] = []
    whole = Comparer._match

    def counted(self: Comparer, *given: object) -> object:
        calls.append(given[2])  # type: ignore[arg-type]
        return whole(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Comparer, "_match", counted)
    assert Comparer("cosine").best(left, right).vectors == (5, 39)
    assert calls == [(5, 39)]


def test_comparisons_count_comparable_pairs() -> None:
    left, right = printed([[*range(9)], [*range(40)], [1]]), printed([[*range(40)], [*range(9)]])
    assert Comparer().comparisons(left, right) == {8: 3, 32: 1}


@BRISK
@given(sides=sides(), min_terms=st.integers(1, 40))
def test_comparisons_of_many_vectors_are_those_of_each_with_each(
    sides: tuple[Fingerprint, Fingerprint], min_terms: int
) -> None:
    comparer = Comparer(min_terms=min_terms)
    left, right = ([replace(side, vectors=(vector,)) for vector in side.vectors] for side in sides)
    single = (comparer.comparisons(one, other) for one in left for other in right)
    assert comparer.comparisons(*sides) == sum(single, Counter[int]())
