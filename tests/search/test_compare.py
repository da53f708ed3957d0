"""Rows of a comparison of many fingerprints: those of every pair, by whole numbers alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import (
    DataSource,
    Fingerprint,
    Origin,
    PartSpec,
    Place,
    RecipeSpec,
    Similarity,
    Vector,
)
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import PARTS, build, find, parse
from sdtext.search import fingerprint_scores, shingles_or_bits
from sdtext.search.compare import compare
from tests.support.strategies import FEW

MATCHERS = [
    name for name in PARTS["matchers"] if find("matchers", name).compares in ("sets", "vectors")
]
COUNTS = {f"w{place:02}": 1 + place * 99 // 69 for place in range(70)}
PLAIN = Dictionary.of(COUNTS, 100, RecipeSpec(PartSpec("words")))
OTHER = Dictionary.of(COUNTS, 101, RecipeSpec(PartSpec("words")))


def fingerprints(random: Random, number: int) -> Iterator[Fingerprint]:
    """Fingerprints of all kinds: small, empty and full ones, equal ones, of several vectors."""
    pool = random.choice([range(70), range(12)])
    known: list[bytes] = [bytes(9), pack(range(70), 70)]
    for place in range(number):
        size = random.choice([0, 3, 7, 8, 9, 20, 40, 70])
        row = pack(sorted(random.sample(pool, min(size, len(pool)))), 70)
        known.append(row if random.random() < 0.7 else random.choice(known))
        dictionary = OTHER if random.random() < 0.1 else PLAIN
        vector = Vector(known[-1], 70, dictionary.guid)
        vectors: tuple[Vector, ...] = (vector,)
        if random.random() < 0.1:
            vectors = (vector, replace(vector, packed=row, place=Place(0, 9, 0, 9)))
        kind = "other" if random.random() < 0.05 else "bitvector"
        engine = random.choice([(), (("pypdf", "1"),), (("pypdf", "2"),)])
        name = random.choice([f"{place}.txt", "same.txt", ""])
        yield Fingerprint(
            kind,
            vectors,
            (PLAIN.reference(), OTHER.reference()),
            Origin(f"00000000-0000-0000-0000-{place:012}" if random.random() < 0.5 else ""),
            DataSource(name) if name else None,
            libraries=engine,
        )


def similarity_of(matcher: str, left: Vector, right: Vector) -> Similarity | None:
    """The similarity by whole numbers alone; None where two vectors have none."""
    ours, theirs = left.number, right.number
    is_placed = bool(left.place or right.place)
    part: Any = build("matchers", parse(matcher))
    if ours == theirs and part.symmetric and ours.bit_count() >= (8 if is_placed else 1):
        return Similarity(1, 1)
    if min(ours.bit_count(), theirs.bit_count()) < 8:
        return None
    dictionary = PLAIN if left.dictionary == PLAIN.guid else OTHER
    weights = part.weights(dictionary) or [1] * 70
    sums = [sum(weights[place] for place in range(70) if bits >> place & 1)
            for bits in (ours & theirs, ours, theirs)]  # fmt: skip
    if not (sums[1] and sums[2]):
        return None
    if part.compares == "vectors":
        part = part.over(dictionary)
        similarity: Similarity = part.similarity(sums[0], left.packed, right.packed)
        return similarity
    of_sets: Similarity = part(*sums)
    return of_sets


def naive_rows(
    matcher: str, queries: Sequence[tuple[str, Fingerprint]], named: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """All rows with a score, best first, by comparing every vector with every other."""
    rows = []
    for query, item in queries:
        for path, other in named:
            pairs = [
                (similarity_of(matcher, left, right), left, right)
                for left in item.vectors
                for right in other.vectors
                if item.kind == other.kind and left.dictionary == right.dictionary
            ]
            scored = [pair for pair in pairs if pair[0] is not None]
            if scored:
                best, left, right = max(scored, key=lambda pair: float(pair[0] or 0))
                assert best is not None
                counts = (left.number & right.number).bit_count(), left.count, right.count
                rows.append((best.score, float(best), path, query, *counts))
    return sorted(rows, key=lambda row: (-row[0], -row[1], row[2], row[3]))


@pytest.mark.parametrize("name", MATCHERS)
@pytest.mark.parametrize("index", [None, "scan", "columns"])
def test_rows_are_those_of_all_pairs_by_whole_numbers(
    name: str, index: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shingles_or_bits, "_PART", 50)
    monkeypatch.setattr(fingerprint_scores, "_MANY", 2)

    @FEW
    @given(
        random=st.randoms(use_true_random=False),
        least=st.sampled_from([0, 1, 10, 25, 50, 71, 99]),
        top=st.sampled_from([None, 1, 2, 5]),
    )
    def check(random: Random, least: int, top: int | None) -> None:
        queries, folder = (
            [replace(item, document=f"{side}{place:02}", source=None)
             for place, item in enumerate(fingerprints(random, number))]
            for side, number in (("q", 5), ("d", random.choice([1, 4, 30])))
        )  # fmt: skip
        asked: dict[str, Any] = {"matcher": name, "similarity": least / 100, "index": index}
        try:
            found = compare(queries, folder, dictionary=[PLAIN, OTHER], top=top, **asked)
        except OptionError:
            assert index == "columns"
            return
        named = [[(item.document, item) for item in side] for side in (queries, folder)]
        every = naive_rows(name, named[0], named[1])
        wanted = [row for row in every if row[0] >= least]
        if top is not None and least:
            ranks: Counter[str] = Counter()
            kept = []
            for row in wanted:
                ranks[row[3]] += 1
                kept += [row] if ranks[row[3]] <= top else []
            wanted = kept
        rows = [row for row in found.rows if row.score is not None]
        shown = [
            (row.score, row.similarity, row.path, row.fingerprint, row.common, row.a, row.b)
            for row in rows
        ]
        assert shown == wanted or least == 0
        assert found.compared == len(every)
        assert found.compared + sum(number for _, number in found.reasons) == 5 * len(folder)
        if least:
            assert found.reaching == sum(row[0] >= least for row in every)
            whole = compare(queries, folder, dictionary=[PLAIN, OTHER], matcher=name, similarity=0)
            part = whole.restricted(least / 100, top)
            assert (part.rows, part.reaching) == (tuple(rows), found.reaching)
            assert part.minimum == found.minimum

    check()
