"""Pairs of documents whose sketches agree in a band, less those that cannot be alike enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.search.buckets import LARGEST, MOST_PAIRS, Rows, all_pairs, parted, runs, spanning
from sdtext.search.clusters import connected
from sdtext.search.crowds import Crowd
from sdtext.search.estimates import Estimates
from sdtext.search.scoring import Scorer, least_agreeing
from sdtext.search.table import Table

Met = tuple[Rows, Rows, Rows]  # left, right, and what they share; -1 if it was not counted

_CHUNK = 1 << 13  # pairs whose sketches are compared at once
_WORK = 1 << 40  # products of two numbers in all crowds: some half a minute
_VALUES = 1 << 22  # of the sets of a crowd that are in memory at once
_LEAST_PART = 4 * LARGEST
_NEAR = 1e-6  # in points of the score


@dataclass(frozen=True)
class Bound:
    """What a pair must keep to be worth counting: `jaccard` is the least that is asked for."""

    scorer: Scorer
    minimum: int
    jaccard: float
    estimate: bool = False

    def keeps(self, table: Table, left: Rows, right: Rows) -> NDArray[np.bool_]:
        """Which pairs of rows have sizes and sketches that allow it."""
        kept = self.scorer.can_reach(self.minimum, table.sizes[left], table.sizes[right])
        places = np.flatnonzero(kept)
        least = least_agreeing(table.slots, self.jaccard)
        for start in range(0, len(places), _CHUNK):
            some = places[start : start + _CHUNK]
            kept[some] = agreeing(table, left[some], right[some]) >= least
        return kept

    def alike(self, table: Table, rows: Rows, groups: Rows) -> Iterator[Met]:
        """The pairs of `rows`, which rise, that are alike: by what they share, counted exactly.

        For an estimate what they share are slots of their sketches. Rows of which `groups`, that
        may change meanwhile, says the same are not paired.
        """
        sets = table.slots_as_sets(rows) if self.estimate else table.shingles(rows)
        sizes = sets.lengths
        for start, shared in Crowd(sets).counts():
            near = self._near(shared, sizes[start : start + len(shared), None], sizes[start:])
            group = groups[rows[start:]]
            left, right = np.nonzero(near & (group[: len(shared), None] != group))
            later = left < right
            left, right = left[later], right[later]
            common = shared[left, right].astype(np.int64)
            left, right = rows[left + start], rows[right + start]
            if self.estimate:
                scores = self.scorer.of_estimates(Estimates(table).pairs(left, right))
            else:
                scores = self.scorer(common, table.sizes[left], table.sizes[right])
            kept = scores.score >= self.minimum
            yield left[kept], right[kept], common[kept]
            group = groups[rows[start + len(shared) :]]
            if (group == group[:1]).all():
                return

    def _near(self, shared: NDArray[Any], left: Rows, right: Rows) -> NDArray[np.bool_]:
        """Which pairs may be alike, by a matrix of what they share."""
        if self.estimate:
            return np.asarray(shared >= least_agreeing(int(right[0]), self.jaccard))
        return np.asarray(100 * self.scorer.similarity(shared, left, right) >= self.minimum - _NEAR)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of rows, each once.

    `common` is what they share, -1 where it was not counted. `spared` is how many buckets gave
    only pairs that hold their documents together, `parted` how many were compared in parts.
    """

    left: Rows
    right: Rows
    common: Rows | None = None
    spared: int = 0
    parted: int = 0


def agreeing(table: Table, left: Rows, right: Rows) -> Rows:
    """How many slots of the sketches of each pair of rows are equal."""
    equal = table.sketches(left) == table.sketches(right)
    return np.asarray(np.count_nonzero(equal, axis=1))


def candidates(table: Table, bands: Any, bound: Bound, searched: NDArray[np.bool_]) -> Candidates:
    """The pairs of `searched` rows that have the same key in a band and keep within the bound.

    Where there are two collections, the left one is of the first, the right one of the second;
    else the left one stands before the right one. One band is in memory at a time.
    """
    none = np.empty(0, np.uint64), np.empty(0, np.int64)
    looking = _Looking(table, bound, *none, np.arange(len(searched)), MOST_PAIRS)
    number = bands.layout(table.slots)[0] if len(searched) else 0
    for band in range(number):
        keys, rows = table.band(bands, band)
        here = searched[rows]
        crowds = looking.look(keys[here], rows[here])
        if crowds:
            aside, places = table.band(bands, (band + 1) % number)
            order = np.empty(len(searched), np.uint64)
            order[places] = aside
            looking.look_in(crowds, order, _WORK // number)
    left, right = np.divmod(looking.codes, np.uint64(max(len(searched), 1)))
    sides = left.astype(np.int64), right.astype(np.int64)
    return Candidates(*sides, looking.common, looking.spared, looking.parted)


@dataclass(eq=False)
class _Looking:
    """The pairs found so far, as numbers in order, and what they share.

    Once there is no more room, `groups` has the same number for rows that hang together.
    """

    table: Table
    bound: Bound
    codes: NDArray[np.uint64]
    common: Rows
    groups: Rows
    room: int
    left_out: int = 0
    spared: int = 0
    parted: int = 0

    def look(self, keys: NDArray[np.uint64], rows: Rows) -> list[Rows]:
        """Add the pairs of small buckets of a band; the others are returned, the smallest first."""
        begins, lengths = runs(keys)
        few = lengths <= LARGEST
        met = []
        for pair in all_pairs(rows, begins[few], lengths[few]):
            left, right, _ = self._asked(*pair, pair[0])
            kept = self.bound.keeps(self.table, left, right)
            met.append((left[kept], right[kept], np.full(int(kept.sum()), -1)))
        self._add(met)
        sides = zip(begins[~few].tolist(), lengths[~few].tolist(), strict=True)
        return sorted((rows[begin : begin + length] for begin, length in sides), key=len)

    def look_in(self, crowds: Sequence[Rows], order: NDArray[np.uint64], work: int) -> None:
        """Add the pairs of large buckets, which may cost that much.

        What has to be cut into parts is put in order first, so that what is alike stays together.
        """
        met: list[Met] = []
        for crowd, most in zip(crowds, _limits(self.table, crowds, work), strict=True):
            self.parted += len(crowd) > most
            left_out = self.left_out
            for part in parted(crowd[np.argsort(order[crowd], kind="stable")], most):
                blocks = self.bound.alike(self.table, np.sort(part), self.groups)
                met.extend(self._fresh(self._asked(*block)) for block in blocks)
            self.spared += self.left_out > left_out
        self._add(met)

    def _fresh(self, met: Met) -> Met:
        """Those of the pairs that are new; without room for them, those that are needed."""
        codes = self._codes(met)
        at = np.minimum(np.searchsorted(self.codes, codes), max(len(self.codes) - 1, 0))
        fresh = self.codes[at] != codes if len(self.codes) else np.ones(len(codes), bool)
        number = int(fresh.sum())
        if number > self.room:
            needed = np.zeros(len(codes), bool)
            needed[spanning(met[0], met[1])] = True
            fresh &= needed
        self.left_out += number - int(fresh.sum())
        self.room = max(0, self.room - number)
        left, right, common = met
        left, right = left[fresh], right[fresh]
        if not self.room and len(left):
            self._join(left, right)
        return left, right, common[fresh]

    def _join(self, left: Rows, right: Rows) -> None:
        """Put the groups of rows together that pairs join."""
        pairs = np.stack((self.groups[left], self.groups[right]))
        known, places = np.unique(pairs, return_inverse=True)
        least = np.arange(len(self.groups))
        least[known] = known[connected(len(known), *places.reshape(2, -1))]
        self.groups[:] = least[self.groups]

    def _add(self, met: Sequence[Met]) -> None:
        codes = np.concatenate((self.codes, *map(self._codes, met)))
        common = np.concatenate((self.common, *(one[2] for one in met)))
        self.codes, first = np.unique(codes, return_index=True)
        self.common = common[first]

    def _codes(self, met: Met) -> NDArray[np.uint64]:
        """Each pair of rows as one number."""
        left, right = (side.astype(np.uint64) for side in met[:2])
        return left * np.uint64(len(self.table.ids)) + right

    def _asked(self, left: Rows, right: Rows, common: Rows) -> Met:
        """The pairs that are asked for, each the right way round."""
        if not self.table.two_sided:
            turned = left > right
        else:
            sides = self.table.sides
            asked = sides[left] != sides[right]
            left, right, common = left[asked], right[asked], common[asked]
            turned = sides[left] > sides[right]
        return np.where(turned, right, left), np.where(turned, left, right), common


def _limits(table: Table, crowds: Sequence[Rows], work: int) -> list[int]:
    """How many rows of each of the crowds, the smallest first, are compared at once."""
    lengths = np.array([len(crowd) for crowd in crowds], np.float64)
    sizes = np.array([table.sizes[crowd].mean() for crowd in crowds])
    whole = np.cumsum(lengths * lengths * sizes) <= work
    part = work / max(1.0, (lengths * sizes)[~whole].sum())
    most = np.maximum(np.where(whole, lengths, part), _LEAST_PART)
    return [int(one) for one in np.maximum(np.minimum(most, _VALUES // sizes), 4)]
