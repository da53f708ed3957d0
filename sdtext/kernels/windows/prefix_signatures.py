"""Candidate pairs of blocks by prefix filter: those that share k of their windows' rarest terms.

Of two windows that differ in at most tau terms, the tau + k rarest terms of each (its prefix;
equal terms are distinguished by number) have at least k in common (P. Wang, C. Xiao, J. Qin,
W. Wang, X. Zhang, Y. Ishikawa: Local similarity search for unstructured text, SIGMOD 2016). A
signature is a combination of k of them; it is valid for as long as all of its terms are in the
prefix of the window that slides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.window_blocks import Blocks, Intervals, Numbers, distinct, intervals_of
from sdtext.kernels.windows.work_budget import Work

_AREA = 1 << 21  # of the tables of intervals and starts


@dataclass(frozen=True, eq=False)
class WindowPrefixes:
    """The `length` rarest terms of each window of documents that are cut into `blocks`.

    Rarer is the term of the lower number, and of equal ones the first, then the second. Terms of
    no use are the rarest: they take a place each.
    """

    blocks: Blocks
    length: int

    def intervals(self) -> Intervals:
        """Where a code opens and closes: from which to which window it is in the prefix.

        Places are those of blocks, starts count from a block's first; intervals end with their
        block. They are ordered by place and code.
        """
        made = list(self._parts())
        columns = [(one.places, one.codes, one.first, one.last) for one in made]
        none = [(np.empty(0, np.int64),) * 4]
        return Intervals(
            *(np.concatenate(column) for column in zip(*(columns or none), strict=True))
        )

    def _parts(self) -> Iterator[Intervals]:
        chosen = np.flatnonzero(self.blocks.starts)
        near = self.length * (self.blocks.stride + self.blocks.w) * self.blocks.stride
        size = max(1, _AREA // near)
        for start in range(0, len(chosen), size):
            some = chosen[start : start + size]
            begins = self.blocks.offsets[self.blocks.documents[some]] + self.blocks.firsts[some]
            places, terms, within = self.blocks.entries(
                some, self.blocks.stride + self.blocks.w - 1
            )
            rare = terms <= self._bounds(begins)[places]
            entries = places[rare], terms[rare], within[rare]
            found = intervals_of(self.blocks, some, entries)
            kept = self._opened(found, self._useless(begins))
            yield Intervals(some[kept.places], kept.codes, kept.first, kept.last)

    def _bounds(self, begins: Numbers) -> Numbers:
        """For each block the greatest term that a prefix of it can hold.

        It is among the rarest of the terms that all its windows have.
        """
        shared = np.arange(self.blocks.stride - 1, self.blocks.w)
        terms = self.blocks.terms[begins[:, None] + shared]
        terms.partition(self.length - 1, axis=1)
        bounds: Numbers = terms[:, self.length - 1]
        return bounds

    def _useless(self, begins: Numbers) -> Numbers:
        """How many terms of no use each window has, of shape (blocks, starts)."""
        before = self._useless_before
        starts = begins[:, None] + np.arange(self.blocks.stride)
        last = len(before) - 1
        ends = np.minimum(starts + self.blocks.w, last)
        counts: Numbers = before[ends] - before[np.minimum(starts, last)]
        return counts

    @cached_property
    def _useless_before(self) -> Numbers:
        """How many terms of no use there are before each term."""
        return offsets_of(self.blocks.terms < 0)

    def _opened(self, found: Intervals, taken: Numbers) -> Intervals:
        """The intervals in which codes are among the rarest; `taken` are the places lost."""
        starts = np.arange(self.blocks.stride)
        held = (found.first[:, None] <= starts) & (starts <= found.last[:, None])
        rarer = np.cumsum(held, axis=0, dtype=np.int32) - held
        begins = np.searchsorted(found.places, found.places)
        rarer += (taken[found.places] - rarer[begins]).astype(np.int32)
        inside = np.zeros((len(held), len(starts) + 2), bool)
        inside[:, 1:-1] = held & (rarer < self.length)
        rows, first = np.nonzero(inside[:, 1:-1] & ~inside[:, :-2])
        last = np.nonzero(inside[:, 1:-1] & ~inside[:, 2:])[1]
        return Intervals(found.places[rows], found.codes[rows], first, last)


Pairs = tuple[Numbers, Numbers]

COMBINATION_COST = 50
"""Steps of a combination of intervals."""
_MET = 20  # steps of a meeting of blocks
_LOOKED_AT = 4  # steps of a term of a block that is met
_AT_ONCE = 1 << 20  # combinations of intervals, or pairs of blocks


@dataclass(frozen=True, eq=False)
class PrefixSignatures:
    """Blocks of `left` and `right` that share a signature of k terms: within or between them."""

    left: Blocks
    right: Blocks
    tau: int
    k: int

    @property
    def possible(self) -> bool:
        """Whether windows have that many terms, and a signature is a number of 64 bits."""
        return self.tau + self.k <= self.left.w and self._runs[1] ** self.k < 1 << 62

    @cached_property
    def _runs(self) -> tuple[list[tuple[Blocks, Intervals]], int]:
        """For each side what it is cut into, and when useful codes are among the rarest there.

        And how many useful codes there are; they are numbered from 0.
        """
        sides = [self.left] if self.left is self.right else [self.left, self.right]
        halves = [self._halved(side) for side in sides]
        runs = [WindowPrefixes(half, self.tau + self.k).intervals() for half in halves]
        useful = _useful(halves, runs)
        made = []
        for half, found in zip(halves, runs, strict=True):
            numbers = np.searchsorted(useful, found.codes)
            some = np.append(useful, -1)[numbers] == found.codes
            kept = found.taken(some)
            numbered = Intervals(kept.places, numbers[some], kept.first, kept.last)
            made.append((half, numbered))
        return made, len(useful)

    def _halved(self, side: Blocks) -> Blocks:
        """The same documents in stretches of half the length, so that windows share many terms."""
        half = max(1, side.stride // 2)
        fits = side.w - half + 1 >= self.tau + self.k
        return Blocks(side.terms, side.offsets, side.w, half if fits else 1)

    @cached_property
    def combinations(self) -> int:
        """How many combinations of intervals of one block have to be looked at."""
        return sum(int(_ways(runs, self.k).sum()) for _, runs in self._runs[0])

    @cached_property
    def _groups(self) -> tuple[Numbers, Numbers, Numbers]:
        """Columns, ordered by the first: signatures, the side (0 or 1), and a block that has it."""
        made, kinds = self._runs
        columns = []
        for side, (half, runs) in enumerate(made):
            blocks = (self.left, self.right)[side]
            keys, places = _signatures(runs, self.k, kinds)
            at = blocks.bounds[half.documents[places]] + half.firsts[places] // blocks.stride
            columns.append((keys, np.full(len(keys), side), at))
        keys, sides, at = (np.concatenate(column) for column in zip(*columns, strict=True))
        numbers = np.searchsorted(distinct(keys), keys)
        most = max(len(self.left), len(self.right), 1)
        ordered = distinct((numbers * 2 + sides) * most + at)
        return ordered // most // 2, ordered // most % 2, ordered % most

    @cached_property
    def _asked(self) -> tuple[Numbers, Numbers]:
        """For each row of the groups from which to which row there are blocks to pair it with."""
        numbers, sides, _ = self._groups
        rows = np.arange(len(numbers))
        begins = np.searchsorted(numbers, numbers)
        if self.left is self.right:
            return begins, rows
        middles = np.searchsorted(numbers * 2 + sides, numbers * 2 + 1)
        ends = np.searchsorted(numbers, numbers, "right")
        return middles, np.where(sides == 0, ends, middles)

    @cached_property
    def meetings(self) -> int:
        """How many pairs of blocks share a signature, each as often as they do."""
        begins, ends = self._asked
        return int((ends - begins).sum())

    @property
    def cost(self) -> int:
        """Steps to find the pairs of blocks."""
        looked_at = _LOOKED_AT * (self.left.stride + self.left.w)
        return self.combinations * COMBINATION_COST + self.meetings * (_MET + looked_at)

    def pairs(self, work: Work) -> Iterator[Pairs]:
        """Blocks of left and right that share a signature, one block of left after the other."""
        work.spend(self.cost)
        most = max(len(self.right), 1)
        parts = list(self._met(most))
        keys = distinct(np.concatenate(parts)) if parts else np.empty(0, np.int64)
        left, right = keys // most, keys % most
        cuts = np.flatnonzero(left[1:] != left[:-1]) + 1
        if len(keys):
            yield from zip(np.split(left, cuts), np.split(right, cuts), strict=True)

    def _met(self, most: int) -> Iterator[Numbers]:
        """The pairs of blocks of different documents, each as a number, some at a time."""
        blocks = self._groups[2]
        begins, ends = self._asked
        for start, stop in _parts(ends - begins):
            counts = (ends - begins)[start:stop]
            others = _expanded(begins[start:stop], counts)
            left, right = np.repeat(blocks[start:stop], counts), blocks[others]
            if self.left is self.right:
                documents = self.left.documents
                apart = documents[left] != documents[right]
                left, right = left[apart], right[apart]
            yield distinct(left * most + right)


def _useful(halves: list[Blocks], runs: list[Intervals]) -> Numbers:
    """The codes that two documents have, of both sides where there are two."""
    if len(runs) == 1:
        count = max(len(halves[0].windows), 1)
        pairs = distinct(runs[0].codes * count + halves[0].documents[runs[0].places]) // count
        return distinct(pairs[1:][pairs[1:] == pairs[:-1]])
    left, right = (distinct(side.codes) for side in runs)
    return left[np.isin(left, right, assume_unique=True)]


def _ways(runs: Intervals, k: int) -> Numbers:
    """For each interval how many combinations it makes with k - 1 behind it in its block."""
    behind = np.searchsorted(runs.places, runs.places, "right") - np.arange(len(runs.places)) - 1
    ways = np.ones(len(behind), np.int64)
    for taken in range(k - 1):
        ways = ways * np.maximum(behind - taken, 0) // (taken + 1)
    return ways


def _signatures(runs: Intervals, k: int, kinds: int) -> Pairs:
    """The signatures of k codes that stand at one time, and the blocks that have them."""
    ends = np.searchsorted(runs.places, runs.places, "right")
    keys, places = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start, stop in _parts(_ways(runs, k)):
        rows = np.arange(start, stop)
        made, first, last = runs.codes[rows], runs.first[rows], runs.last[rows]
        for _ in range(k - 1):
            counts = ends[rows] - rows - 1
            others = _expanded(rows + 1, counts)
            first = np.maximum(np.repeat(first, counts), runs.first[others])
            last = np.minimum(np.repeat(last, counts), runs.last[others])
            made = np.repeat(made, counts) * kinds + runs.codes[others]
            some = first <= last
            rows, made, first, last = others[some], made[some], first[some], last[some]
        keys.append(made)
        places.append(runs.places[rows])
    return np.concatenate(keys), np.concatenate(places)


def _parts(counts: Numbers) -> Iterator[tuple[int, int]]:
    """Rows from where to where make so many together that they can be expanded at once."""
    ends = offsets_of(counts)
    start = 0
    while start < len(counts):
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] + _AT_ONCE)) - 1)
        yield start, stop
        start = stop


def _expanded(begins: Numbers, counts: Numbers) -> Numbers:
    """For each begin so many numbers from there, all behind one another."""
    offsets = offsets_of(counts)
    return np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], counts)
