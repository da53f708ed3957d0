"""The stated recall is the observed recall: one joint test, fixed beforehand."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec
from sdtext.search import MemoryCollection, Question, links
from tests.search.sets import WORDS

LAYOUTS = ((25, 4), (20, 5), (10, 10))
OVERLAPS = (
    (30, 65),
    (50, 75),
    (70, 85),
    (80, 90),
)  # common, and the size of each: J .3, .5, .7, .8
TRIALS, PAIRS = 10, 100
LIMIT = 32.91  # chi² with 12 degrees of freedom exceeds it once in a thousand times


def planted(draw: np.random.Generator, common: int, size: int) -> Ragged:
    """Pairs of sets that stand side by side, and share nothing with others."""
    rows = draw.integers(0, 2**63, (PAIRS, 2 * size - common), np.uint64)
    pairs = [(row[:size], row[size - common :]) for row in rows]
    return Ragged.of([np.sort(item) for pair in pairs for item in pair])


def test_pairs_are_found_as_often_as_bands_promise() -> None:
    draw = np.random.default_rng(2017)
    total = 0.0
    for (bands, rows), (common, size) in product(LAYOUTS, OVERLAPS):
        jaccard = common / (2 * size - common)
        result = 0
        for _ in range(TRIALS):
            seed = int(draw.integers(1, 2**31))
            recipe = replace(
                WORDS,
                fingerprint=PartSpec.of("minhash", slots=100, seed=seed),
                index=PartSpec.of("bands", bands=bands, rows=rows),
            )
            held = MemoryCollection(recipe, planted(draw, common, size), [""] * (2 * PAIRS))
            output = links(held, Question(int(100 * jaccard)))
            assert (output.right == output.left + 1).all()
            assert (output.left % 2 == 0).all()
            result += len(output)
        ideal = 1 - (1 - jaccard**rows) ** bands
        number = TRIALS * PAIRS
        total += (result - number * ideal) ** 2 / max(1.0, number * ideal * (1 - ideal))
    assert total < LIMIT
