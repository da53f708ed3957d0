"""LSH candidates: pairs with an equal band whose sizes and sketches allow the least score."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.connected_components import linked
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.reading.parallel_run import COMPARING
from sdtext.search.candidates.buckets import (
    PAIRWISE,
    Rows,
    exceed_budget,
    pairs_and_oversized,
    spanning,
    split,
)
from sdtext.search.candidates.intersections import AllIntersections
from sdtext.search.scoring import Scorer, least_equal_slots
from sdtext.search.searchable import KeysOfRows, Table

CountedPairs = tuple[Rows, Rows, Rows]
"""Left rows, right rows, and the sizes of their intersections; -1 where it was not counted."""

MOST_WORK = 1 << 40
"""The most products of two numbers in all oversized buckets: some half a minute."""

_CHUNK = 1 << 13  # pairs whose sketches are compared at once
_VALUES = 1 << 22  # of the sets of an oversized bucket that are in memory at once
_LEAST_PART = 4 * PAIRWISE
_NEAR = 1e-6  # in points of the score


@dataclass(frozen=True)
class ScoreBound:
    """The least score of pairs, and `jaccard`, the least Jaccard similarity that it requires."""

    scorer: Scorer
    minimum: int
    jaccard: float
    estimate: bool = False

    def allows(self, table: Table, left: Rows, right: Rows) -> NDArray[np.bool_]:
        """Which pairs of rows have sizes and sketches that allow the score."""
        kept = self.scorer.can_reach(self.minimum, table.sizes[left], table.sizes[right])
        places = np.flatnonzero(kept)
        least = least_equal_slots(table.slots, self.jaccard)
        for start in range(0, len(places), _CHUNK):
            some = places[start : start + _CHUNK]
            equal = table.sketches(left[some]) == table.sketches(right[some])
            kept[some] = np.count_nonzero(equal, axis=1) >= least
        return kept

    def pairs(self, table: Table, rows: Rows, groups: Rows) -> Iterator[CountedPairs]:
        """The pairs of ascending `rows` that reach the score, by exact intersections.

        For an estimate the intersections are those of slots of sketches. Rows of one group are
        not paired; `groups` may change meanwhile.
        """
        if self.estimate:  # sets of pairs of a slot and its value
            slots = np.arange(table.slots, dtype=np.uint64) << np.uint64(32)
            sets = Ragged.of([*(slots | table.sketches(rows))])
        else:
            sets = table.shingles(rows)
        sizes = sets.lengths
        for start, shared in AllIntersections(sets).blocks():
            if self.estimate:
                near = shared >= least_equal_slots(table.slots, self.jaccard)
            else:
                own = sizes[start : start + len(shared), None]
                similarity = self.scorer.similarity(shared, own, sizes[start:])
                near = 100 * similarity >= self.minimum - _NEAR
            group = groups[rows[start:]]
            left, right = np.nonzero(near & (group[: len(shared), None] != group))
            later = left < right
            left, right = left[later], right[later]
            common = shared[left, right].astype(np.int64)
            left, right = rows[left + start], rows[right + start]
            if self.estimate:
                scores = self.scorer.of_estimates(table.estimates(left, right))
            else:
                scores = self.scorer(common, table.sizes[left], table.sizes[right])
            kept = scores.score >= self.minimum
            yield left[kept], right[kept], common[kept]
            group = groups[rows[start + len(shared) :]]
            if (group == group[:1]).all():
                return


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of rows, each once.

    `common` is the size of their intersection, -1 where it was not counted. `reduced` is how many
    buckets gave only pairs that keep their documents connected, `split` how many were compared in
    parts. `incomplete` has the rows of which these buckets may have left out pairs.
    """

    left: Rows
    right: Rows
    common: Rows | None = None
    reduced: int = 0
    split: int = 0
    incomplete: Rows = field(default_factory=lambda: np.empty(0, np.int64))


def lsh_candidates(
    table: Table, bands: Any, bound: ScoreBound, searched: NDArray[np.bool_]
) -> Candidates:
    """The pairs of `searched` rows that have the same key in a band and may reach the score.

    Of two collections the left row is of the first and the right row of the second; within one,
    the left row comes before the right one. One band is in memory at a time.
    """
    collector = Collector(table, bound, groups=np.arange(len(searched)))
    number = bands.layout(table.slots)[0] if len(searched) else 0
    for band in range(number):
        parts = table.band_parts(bands, band)
        here = ((keys, rows, searched[rows]) for keys, rows in parts)
        oversized = collector.add_small((keys[some], rows[some]) for keys, rows, some in here)
        if oversized:
            next_keys, places = table.band(bands, (band + 1) % number)
            order = np.empty(len(searched), np.uint64)
            order[places] = next_keys
            collector.add_oversized(oversized, order, MOST_WORK // number)
        table.run.step(1, number, COMPARING)
    return collector.candidates


@dataclass(eq=False)
class Collector:
    """The pairs so far, as numbers in order, and the sizes of their intersections.

    Once the pairs `given` exceed the budget, `groups` has the same number for connected rows, which
    are not paired any more. `lacking` has the rows of other pairs that were left out.
    """

    table: Table
    bound: ScoreBound
    groups: Rows
    codes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    common: Rows = field(default_factory=lambda: np.empty(0, np.int64))
    given: int = 0
    lacking: list[Rows] = field(default_factory=list)
    left_out: int = 0
    reduced: int = 0
    split: int = 0

    @property
    def candidates(self) -> Candidates:
        """The pairs as rows."""
        left, right = np.divmod(self.codes, np.uint64(max(len(self.table.ids), 1)))
        sides = left.astype(np.int64), right.astype(np.int64)
        joined = np.flatnonzero(np.bincount(self.groups)[self.groups] > 1)
        incomplete = distinct(np.concatenate((joined, *self.lacking)))
        return Candidates(*sides, self.common, self.reduced, self.split, incomplete)

    def add_small(self, parts: Iterable[KeysOfRows]) -> list[Rows]:
        """Add the pairs of all buckets of a band but the oversized; these, by their lengths."""
        blocks: list[CountedPairs] = []
        oversized: list[Rows] = []
        for keys, rows in parts:
            pairs, large = pairs_and_oversized(keys, rows)
            for pair in pairs:  # those that may reach the score and are new, not counted
                left, right, _ = self.table.oriented(*pair)
                new = self._are_new(left, right)
                left, right = left[new], right[new]
                kept = self.bound.allows(self.table, left, right)
                blocks.append((left[kept], right[kept], np.full(int(kept.sum()), -1)))
            oversized += large
        self._add(blocks)
        return sorted(oversized, key=len)

    def add_oversized(self, buckets: Sequence[Rows], order: NDArray[np.uint64], work: int) -> None:
        """Add the pairs of oversized buckets, within so much work.

        A bucket that has to be split is sorted by `order` first, which keeps similar rows
        together.
        """
        blocks: list[CountedPairs] = []
        for bucket, most in zip(buckets, part_sizes(self.table, buckets, work), strict=True):
            self.split += len(bucket) > most
            left_out = self.left_out
            for part in split(bucket[np.argsort(order[bucket], kind="stable")], most):
                pairs = self.bound.pairs(self.table, np.sort(part), self.groups)
                for left, right, common in pairs:
                    left, right, kept = self.table.oriented(left, right)  # noqa: PLW2901
                    blocks.append(self._fresh((left, right, common[kept])))
            self.reduced += self.left_out > left_out
        self._add(blocks)

    def _fresh(self, pairs: CountedPairs) -> CountedPairs:
        """The new ones of the pairs; beyond the budget, only those that connect rows."""
        fresh = self._are_new(*pairs[:2])
        number = int(fresh.sum())
        if number and exceed_budget(self.given + number):
            needed = np.zeros(len(fresh), bool)
            needed[spanning(pairs[0], pairs[1])] = True
            lacking = fresh & ~needed
            self.lacking += [distinct(side[lacking]) for side in pairs[:2]]
            fresh &= needed
        self.left_out += number - int(fresh.sum())
        self.given += number
        left, right, common = pairs
        left, right = left[fresh], right[fresh]
        if exceed_budget(self.given + 1) and len(left):
            numbers, first, _ = linked(self.groups[left], self.groups[right])
            least = np.arange(len(self.groups))
            least[numbers] = numbers[first]
            self.groups[:] = least[self.groups]
        return left, right, common[fresh]

    def _add(self, blocks: Sequence[CountedPairs]) -> None:
        codes = np.concatenate((self.codes, *(self._codes(*block[:2]) for block in blocks)))
        common = np.concatenate((self.common, *(block[2] for block in blocks)))
        self.codes, first = np.unique(codes, return_index=True)
        self.common = common[first]

    def _codes(self, left: Rows, right: Rows) -> NDArray[np.uint64]:
        return left.astype(np.uint64) * np.uint64(len(self.table.ids)) + right.astype(np.uint64)

    def _are_new(self, left: Rows, right: Rows) -> NDArray[np.bool_]:
        """Which pairs are none of those so far."""
        codes = self._codes(left, right)
        at = np.minimum(np.searchsorted(self.codes, codes), max(len(self.codes) - 1, 0))
        return self.codes[at] != codes if len(self.codes) else np.ones(len(codes), bool)


def part_sizes(table: Table, buckets: Sequence[Rows], work: int) -> list[int]:
    """How many rows of each of the buckets, the smallest first, are compared at once."""
    lengths = np.array([len(bucket) for bucket in buckets], np.float64)
    sizes = np.array([table.sizes[bucket].mean() for bucket in buckets])
    whole = np.cumsum(lengths * lengths * sizes) <= work
    part = work / max(1.0, (lengths * sizes)[~whole].sum())
    most = np.maximum(np.where(whole, lengths, part), _LEAST_PART)
    return [int(rows) for rows in np.maximum(np.minimum(most, _VALUES // sizes), 4)]
