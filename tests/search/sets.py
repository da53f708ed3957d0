"""Collections in memory with random sets, and their similar pairs by brute force."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.collections.memory import MemoryCollection, MemoryColumns
from sdtext.collections.schema import SHINGLES
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.registry import build

Sets = Sequence[frozenset[int]]
Scored = dict[tuple[int, int], tuple[int, float]]

WORDS = RecipeSpec(
    PartSpec("words"), shingler=PartSpec("words"), fingerprint=PartSpec.of("minhash", slots=64)
)
SCAN = replace(WORDS, index=PartSpec("scan"))
OF_SETS = ("jaccard", "dice", "cosine", "containment", "overlap", "exact")

# Numbers as hashes are, so that a sketch sees nothing but chance.
_DRAW = Random(5)
VALUES = [_DRAW.randrange(1 << 64) for _ in range(400)]


@st.composite
def some_sets(draw: st.DrawFn) -> list[frozenset[int]]:
    """Sets of which many overlap, some are equal and some empty."""
    whole = st.frozensets(st.sampled_from(VALUES[:14]), max_size=14)
    kinds = draw(st.lists(whole, min_size=1, max_size=6))
    return draw(st.lists(st.sampled_from(kinds) | whole, max_size=12))


def held(sets: Sets, recipe: RecipeSpec = WORDS) -> MemoryCollection:
    """The sets as a collection in memory, called s0, s1 and so on."""
    return MemoryCollection.of(
        [sorted(item) for item in sets], [f"s{place}" for place in range(len(sets))], recipe
    )


def similar_pairs(sets: Sets, matcher: str, minimum: int) -> Scored:
    """All pairs that score `minimum` by a matcher of sets, by their places: each with each."""
    part = build("matchers", PartSpec(matcher))
    result = {}
    for left, right in combinations(range(len(sets)), 2):
        for first, other in ((left, right),) if part.symmetric else ((left, right), (right, left)):
            if sets[first] and sets[other]:
                common = len(sets[first] & sets[other])
                similarity = part(common, len(sets[first]), len(sets[other]))
                if similarity.score >= minimum:
                    result[first, other] = similarity.score, float(similarity)
    return result


@dataclass(frozen=True, eq=False)
class Segmented(MemoryCollection):
    """A collection cut into segments at `borders`; the documents in `removed` are not there."""

    borders: Sequence[int] = ()
    removed: frozenset[int] = frozenset()

    @classmethod
    def cut(
        cls, held: MemoryCollection, borders: Sequence[int], removed: frozenset[int] = frozenset()
    ) -> "Segmented":
        """The segments of a collection that is held."""
        whole = held.recipe, held.shingles, held.names, held.arrays
        return cls(*whole, borders=borders, removed=removed)

    def segments(self, over: Any = None) -> Sequence[MemoryColumns]:  # noqa: ARG002 (there are no vectors)
        ends = sorted({*(min(border, len(self.names)) for border in self.borders), len(self.names)})
        rows = [np.arange(*pair) for pair in zip([0, *ends], ends, strict=False)]
        return [self._segment(part) for part in rows if len(part)]

    def _segment(self, rows: NDArray[np.int64]) -> MemoryColumns:
        arrays = {name: array[rows] for name, array in self.arrays.items()}
        alive = np.array([row not in self.removed for row in rows.tolist()], bool)
        return Cut(rows, {SHINGLES: self.shingles.take(rows), **arrays}, present=alive)

    def ids(self, where: Any = None) -> NDArray[np.int64]:  # noqa: ARG002 (there are no facts)
        rows = range(len(self.names))
        return np.array([row for row in rows if row not in self.removed], np.int64)


@dataclass(frozen=True, eq=False)
class Cut(MemoryColumns):
    """A segment of which only some rows are `present`."""

    present: Any = None

    @property
    def alive(self) -> Any:
        return self.present
