"""Collections in memory with random sets, and their similar pairs by brute force."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.parts.registry import build
from sdtext.search import MemoryCollection
from sdtext.search.derived_columns import Columns

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


class Chosen(list[int]):
    """A condition that is true of these documents."""

    def metadata(self) -> list[str]:
        """None is asked about."""
        return []


@dataclass(frozen=True, eq=False)
class Segmented:
    """What is held, cut into segments at `borders`; the documents in `removed` are not there."""

    held: MemoryCollection
    borders: Sequence[int]
    removed: frozenset[int] = frozenset()
    problems: tuple[Problem, ...] = ()

    @property
    def recipe(self) -> RecipeSpec:
        return self.held.recipe

    @property
    def dictionaries(self) -> Any:
        return self.held.dictionaries

    @property
    def references(self) -> Any:
        return self.held.references

    def segments(self, over: Any = None) -> Sequence[Columns]:  # noqa: ARG002 (there are no vectors)
        whole = len(self.held.names)
        ends = sorted({*(min(border, whole) for border in self.borders), whole} - {0})
        return [self._cut(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    def _cut(self, start: int, end: int) -> Columns:
        rows = np.arange(start, end)
        part = MemoryCollection(
            self.recipe,
            self.held.shingles.take(rows),
            self.held.names[start:end],
            {name: array[start:end] for name, array in self.held.arrays.items()},
        )
        alive = np.array([row not in self.removed for row in rows.tolist()], bool)
        return Cut(part.segments()[0], rows, alive)

    def ids(self, where: Any = None) -> NDArray[np.int64]:
        chosen = range(len(self.held.names)) if where is None else where
        return np.array([row for row in chosen if row not in self.removed], np.int64)

    def take(self, ids: Any) -> Any:
        return self.held.take(ids)


@dataclass(frozen=True, eq=False)
class Cut:
    """A segment with its own numbers."""

    whole: Columns
    ids: NDArray[np.int64]
    alive: NDArray[np.bool_]
    name: str = ""

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        return self.whole.arrays

    def ragged(self, name: str) -> Ragged:
        return self.whole.ragged(name)

    def derived(self, key: str, make: Any, _like: Any = None) -> NDArray[Any]:
        return self.whole.derived(key, make)
