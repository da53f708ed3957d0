"""Searches by columns give every pair with its score, as plain whole numbers give them."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels import bit_columns
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import PartSpec, Similarity
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.registry import PARTS, find
from sdtext.reading.parallel_run import Run
from sdtext.search import bit_vector_search
from sdtext.search.bit_vector_scoring import Vectors, Weighting
from sdtext.search.bit_vector_search import similar_by_columns
from sdtext.search.scoring import Scorer
from tests.support.strategies import FEW

NAMES = [name for name in PARTS["matchers"] if find("matchers", name).compares == "sets"]
NUMBERS = [1, 2, 63, 64, 65, 127, 128, 129]  # of vectors, and of terms
Pairs = dict[tuple[int, int], Similarity]
Terms = frozenset[int]


@dataclass(frozen=True)
class Sample:
    """Vectors as sets of terms, of which the others may be the same, and the weights of terms."""

    rows: list[Terms]
    others: list[Terms]
    terms: int
    weighting: Weighting

    @cached_property
    def pairs(self) -> Pairs:
        """The similarity of each pair that has one above 0, by Python's sets and integers."""
        places = range(len(self.rows)), range(len(self.others))
        ways = combinations if self.weighting.symmetric else permutations
        both = [*(ways(places[0], 2) if self.others is self.rows else product(*places))]
        found = {(row, other): self._similarity(row, other) for row, other in both}
        return {pair: similarity for pair, similarity in found.items() if similarity.top}

    def _similarity(self, row: int, other: int) -> Similarity:
        left, right = self.rows[row], self.others[other]
        if left == right and left and self.weighting.symmetric:
            return Similarity(1, 1)
        weights = self.weighting.numbers or (1,) * self.terms
        sums = [sum(weights[term] for term in terms) for terms in (left & right, left, right)]
        if min(len(left), len(right)) < MIN_TERMS or not sums[0]:
            return Similarity(0, 1)
        return self.weighting.scorer.part(*sums)

    @property
    def sides(self) -> tuple[Vectors, Vectors]:
        left = vectors(self.rows, self.terms, self.weighting)
        is_same = self.others is self.rows
        return left, left if is_same else vectors(self.others, self.terms, self.weighting)


def vectors(rows: list[Terms], terms: int, weighting: Weighting) -> Vectors:
    packed = b"".join(pack(sorted(row), terms) for row in rows)
    return Vectors.of(np.frombuffer(packed, np.uint8).reshape(len(rows), -1), weighting)


@st.composite
def samples(draw: st.DrawFn, name: str) -> Sample:
    """Empty, full, small, equal and nearly equal vectors among random ones of all densities."""
    random = Random(draw(st.integers(0, 2**32)))
    number, terms = draw(st.sampled_from(NUMBERS)), draw(st.sampled_from(NUMBERS))
    kinds = ["empty", "full", "few", "few", "equal", "near", "near", "", "", ""]
    rows: list[Terms] = [frozenset(range(min(terms, MIN_TERMS)))]
    while len(rows) < number:
        kind, known = random.choice(kinds), random.choice(rows)
        share = {"empty": 0.0, "full": 1.0}.get(kind, random.random() ** 2)
        row = frozenset(term for term in range(terms) if random.random() < share)
        if kind == "few":
            row = frozenset(random.sample(range(terms), min(terms, random.randrange(1, 13))))
        elif kind in ("equal", "near"):
            row = known ^ {random.randrange(terms)} if kind == "near" else known
        rows.append(row)
    needs_weights = find("matchers", name).needs_dictionary
    weights = {
        "random": [random.randrange(1 << 40) for _ in range(terms)],
        "alike": [random.choice([0, 3 << 20]) for _ in range(terms)],
        "none": [0] * terms,
    }[draw(st.sampled_from(["random", "alike", "alike", "none"]))]
    weighting = Weighting(Scorer(PartSpec(name)), tuple(weights) if needs_weights else None)
    others = rows if draw(st.booleans()) else random.sample(rows, random.randint(1, number))
    return Sample(rows, others, terms, weighting)


@pytest.fixture(params=["small", "usual"])
def _limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks, and those of large collections."""
    if request.param == "small":
        monkeypatch.setattr(bit_columns, "_ROWS", 64)
        monkeypatch.setattr(bit_vector_search, "_BATCH", 5)


def scored(pairs: Pairs, minimum: int) -> dict[tuple[int, int], int]:
    """The scores that reach the minimum."""
    scores = {pair: similarity.score for pair, similarity in pairs.items()}
    return {pair: score for pair, score in scores.items() if score >= minimum}


def minimum_of(sample: Sample, place: int) -> int:
    """A score that a pair has exactly."""
    scores = sorted(set(scored(sample.pairs, 1).values()))
    return scores[place % len(scores)] if scores else 50


@pytest.mark.usefixtures("_limits")
@pytest.mark.parametrize("name", NAMES)
def test_all_pairs(name: str) -> None:
    @FEW
    @given(sample=samples(name), place=st.integers(0, 99), jobs=st.sampled_from([1, 3]))
    def check(sample: Sample, place: int, jobs: int) -> None:
        minimum = minimum_of(sample, place)
        expected = scored(sample.pairs, minimum)
        blocks = similar_by_columns(*sample.sides, sample.weighting, lambda: minimum, Run(jobs))
        columns = map(np.concatenate, zip(*blocks, strict=True))
        lefts, rights, scores, similarities = (column.tolist() for column in columns)
        pairs = [*zip(lefts, rights, strict=True)]
        if sample.others is sample.rows and sample.weighting.symmetric:
            pairs = [(min(pair), max(pair)) for pair in pairs]
        assert len({*pairs}) == len(pairs)
        assert dict(zip(pairs, scores, strict=True)) == expected
        assert similarities == pytest.approx([float(sample.pairs[pair]) for pair in pairs])

    check()
