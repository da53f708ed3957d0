"""Passages from similar sentences or other units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from sdtext.model import Passage, Similarity, Span
from sdtext.parts.option_values import Within

Numbers = NDArray[np.integer[Any]]
Places = tuple[Numbers, Numbers]


@dataclass(frozen=True)
class SentencePassages:
    """Similar sentences, joined where they are neighbours on both sides.

    Two matches belong together if at most `gap` sentences without a match lie between them on
    each side; they may stand in the other order there. A passage goes from the beginning of the
    first to the end of the last sentence, on both sides. Its similarity is that of its sentences
    by the mean of their distances, each to the one that is nearest to it.

    A sentence may be similar to several. Passages with the most sentences are chosen first, and
    passages without a sentence in common with the chosen ones before others; a further one is kept
    if it adds a sentence on either side.

    >>> left = np.array([0, 50, 100]), np.array([49, 99, 149])
    >>> matches = np.array([[0, 0, 4], [1, 1, 6], [2, 0, 9]])
    >>> for found in SentencePassages(gap=0)(matches, left, left, bits=100):
    ...     print(found.left.start, found.left.end, found.right.end, found.similarity.score)
    0 149 99 87
    """

    gap: Annotated[int, Within(0)] = 2

    def __call__(
        self, matches: NDArray[np.int64], left: Places, right: Places, bits: int
    ) -> list[Passage]:
        """The passages of two documents in the order of their places, without their edits.

        `matches` has the shape (n, 3): the number of a sentence on the left, of one on the right,
        and in how many of `bits` their codes differ. `left` and `right` are where the sentences
        of each side start, and where they end.
        """
        nearest: dict[tuple[int, int], int] = {}
        for first, second, apart in matches.tolist():
            nearest[first, second] = min(apart, nearest.get((first, second), apart))
        groups = [_Group.of(pairs, nearest) for pairs in _joined(nearest, self.gap + 1)]
        ranked = sorted(groups, key=attrgetter("rank"))
        known, other_known, passages = set[int](), set[int](), list[Passage]()
        for has_all_new in (True, False):  # its sentences, or only some
            for group in ranked:
                new = group.left - known, group.right - other_known
                if new == (group.left, group.right) if has_all_new else any(new):
                    known |= group.left
                    other_known |= group.right
                    whole = bits * len(group.distances)
                    similarity = Similarity.of_codes(sum(group.distances), whole)
                    spans = _span(group.left, left), _span(group.right, right)
                    passages.append(Passage(*spans, similarity))
        sides = attrgetter("left.start", "left.end", "right.start", "right.end")
        return sorted(passages, key=sides)


@dataclass(frozen=True)
class _Group:
    """A group of matches: the sentences of both sides, and the distances of the left ones."""

    left: frozenset[int]
    right: frozenset[int]
    distances: tuple[int, ...]

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]], nearest: dict[tuple[int, int], int]) -> _Group:
        best: dict[int, int] = {}
        others = set()
        for first, second in pairs:
            apart = nearest[first, second]
            best[first] = min(apart, best.get(first, apart))
            others.add(second)
        return cls(frozenset(best), frozenset(others), tuple(best.values()))

    @property
    def rank(self) -> tuple[int, float, int, int]:
        """The sort key: most sentences first, then least distance, then first place."""
        few = min(len(self.left), len(self.right))
        mean = sum(self.distances) / len(self.distances)
        return -few, mean, min(self.left), min(self.right)


def _joined(pairs: Iterable[tuple[int, int]], reach: int) -> Iterator[list[tuple[int, int]]]:
    """Connected components of matches, linked by steps of at most `reach` on both sides."""
    steps = [
        (down, across) for down in range(-reach, reach + 1) for across in range(-reach, reach + 1)
    ]
    left_over = dict.fromkeys(pairs)
    while left_over:
        waiting, group = [left_over.popitem()[0]], list[tuple[int, int]]()
        while waiting:
            first, second = waiting.pop()
            group.append((first, second))
            near = ((first + down, second + across) for down, across in steps)
            for pair in near:
                if pair in left_over:
                    del left_over[pair]
                    waiting.append(pair)
        yield group


def _span(units: frozenset[int], places: Places) -> Span:
    starts, ends = places
    return Span(int(starts[min(units)]), int(ends[max(units)]))
