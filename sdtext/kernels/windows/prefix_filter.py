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

from sdtext.errors import OptionError
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.candidate_blocks import (
    Blocks,
    Intervals,
    Numbers,
    TooMuchWork,
    Work,
    intervals_of,
)

_AREA = 1 << 21  # cells of the tables of intervals and starts


Pairs = tuple[Numbers, Numbers]
COMBINATION_COST = 50
"""The cost of a combination of intervals, in steps."""
_COLLISION = 20  # steps of a pair of blocks that share a signature
_VERIFIED = 4  # steps of a term of a block that is verified
_AT_ONCE = 1 << 20  # combinations of intervals, or pairs of blocks
_MOST = 1 << 26  # combinations, or pairs of blocks, of a given k: about a gigabyte
_NUMBERS = 1 << 62  # signatures are below it
_COUNTABLE = 1 << 40  # combinations of an interval


@dataclass(frozen=True, eq=False)
class WindowPrefixes:
    """The prefix of each window: its `length` rarest terms.

    The lower the rank of a term, the rarer it is; equal terms follow each other. Terms that cannot
    match are the rarest: each takes a place in the prefix.
    """

    blocks: Blocks
    length: int

    def intervals(self) -> Intervals:
        """The intervals of windows in whose prefix a code is.

        Places are those of blocks, starts count from the start of a block; intervals end with
        their block. They are sorted by place and code.
        """
        parts = list(self._parts())
        columns = [(part.places, part.codes, part.first, part.last) for part in parts]
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
            intervals = intervals_of(self.blocks, some, entries)
            kept = self._in_prefix(intervals, self._useless(begins))
            yield Intervals(some[kept.places], kept.codes, kept.first, kept.last)

    def _bounds(self, begins: Numbers) -> Numbers:
        """For each block the greatest rank of a term in a prefix of its windows.

        It follows from the terms that all its windows share.
        """
        shared = np.arange(self.blocks.stride - 1, self.blocks.w)
        terms = self.blocks.terms[begins[:, None] + shared]
        terms.partition(self.length - 1, axis=1)
        bounds: Numbers = terms[:, self.length - 1]
        return bounds

    def _useless(self, begins: Numbers) -> Numbers:
        """The number of terms that cannot match in each window, of shape (blocks, starts)."""
        before = self._useless_before
        starts = begins[:, None] + np.arange(self.blocks.stride)
        last = len(before) - 1
        ends = np.minimum(starts + self.blocks.w, last)
        counts: Numbers = before[ends] - before[np.minimum(starts, last)]
        return counts

    @cached_property
    def _useless_before(self) -> Numbers:
        """The number of terms that cannot match before each term."""
        return offsets_of(self.blocks.terms < 0)

    def _in_prefix(self, intervals: Intervals, taken: Numbers) -> Intervals:
        """The parts of intervals where a code is in the prefix; `taken` places of it are lost."""
        starts = np.arange(self.blocks.stride)
        covered = (intervals.first[:, None] <= starts) & (starts <= intervals.last[:, None])
        rarer = np.cumsum(covered, axis=0, dtype=np.int32) - covered
        begins = np.searchsorted(intervals.places, intervals.places)
        rarer += (taken[intervals.places] - rarer[begins]).astype(np.int32)
        inside = np.zeros((len(covered), len(starts) + 2), bool)
        inside[:, 1:-1] = covered & (rarer < self.length)
        rows, first = np.nonzero(inside[:, 1:-1] & ~inside[:, :-2])
        last = np.nonzero(inside[:, 1:-1] & ~inside[:, 2:])[1]
        return Intervals(intervals.places[rows], intervals.codes[rows], first, last)


@dataclass(frozen=True, eq=False)
class PrefixSignatures:
    """Pairs of blocks of `left` and `right` that share a signature of k terms."""

    left: Blocks
    right: Blocks
    tau: int
    k: int

    @property
    def possible(self) -> bool:
        """Whether windows have enough terms and a signature fits into 64 bits."""
        return self.tau + self.k <= self.left.w and self._runs[1] ** self.k < _NUMBERS

    def check(self, budget: int) -> None:
        """Raise OptionError if no signature is possible, TooMuchWork if they are too many."""
        kinds = self._runs[1]
        if not self.possible:
            largest = max(k for k in range(self.k) if kinds**k < _NUMBERS)
            raise OptionError(
                f"windows: k is {self.k}, and a signature of {self.k} of the {kinds} terms of "
                f"prefixes has more than 64 bits; use k = {largest} or less, or k = auto"
            )
        self._limit(self.combinations, "combinations of terms", budget // COMBINATION_COST)
        self._limit(self.collisions, "pairs of blocks", budget)
        self._limit(self.cost, "steps", budget, most=budget)

    def _limit(self, number: int, what: str, budget: int, most: int = _MOST) -> None:
        if number > min(budget, most):
            raise TooMuchWork(
                f"windows: signatures of k = {self.k} take {number:,} {what}, more than the "
                f"{min(budget, most):,} that a search may take; use another k, or k = auto"
            )

    @cached_property
    def _runs(self) -> tuple[list[tuple[Blocks, Intervals]], int]:
        """For each side its blocks and the intervals of useful codes; the number of these codes.

        Useful codes are numbered from 0.
        """
        sides = [self.left] if self.left is self.right else [self.left, self.right]
        halves = [self._halved(side) for side in sides]
        runs = [WindowPrefixes(half, self.tau + self.k).intervals() for half in halves]
        useful = _useful(halves, runs)
        numbered_runs = []
        for half, intervals in zip(halves, runs, strict=True):
            numbers = np.searchsorted(useful, intervals.codes)
            some = np.append(useful, -1)[numbers] == intervals.codes
            kept = intervals.taken(some)
            numbered = Intervals(kept.places, numbers[some], kept.first, kept.last)
            numbered_runs.append((half, numbered))
        return numbered_runs, len(useful)

    def _halved(self, side: Blocks) -> Blocks:
        """The same documents in strides of half the length, so that windows share many terms."""
        half = max(1, side.stride // 2)
        fits = side.w - half + 1 >= self.tau + self.k
        return Blocks(side.terms, side.offsets, side.w, half if fits else 1)

    @cached_property
    def combinations(self) -> int:
        """The number of combinations of intervals within one block."""
        return sum(int(_ways(runs, self.k).sum()) for _, runs in self._runs[0])

    @cached_property
    def _groups(self) -> tuple[Numbers, Numbers, Numbers]:
        """Columns sorted by signature: signature, side (0 or 1), a block that has it."""
        sides_runs, kinds = self._runs
        columns = []
        for side, (half, runs) in enumerate(sides_runs):
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
    def _partners(self) -> tuple[Numbers, Numbers]:
        """For each row of the groups the range of rows that it is paired with."""
        numbers, sides, _ = self._groups
        rows = np.arange(len(numbers))
        begins = np.searchsorted(numbers, numbers)
        if self.left is self.right:
            return begins, rows
        middles = np.searchsorted(numbers * 2 + sides, numbers * 2 + 1)
        ends = np.searchsorted(numbers, numbers, "right")
        return middles, np.where(sides == 0, ends, middles)

    @cached_property
    def collisions(self) -> int:
        """The number of pairs of blocks that share a signature, counted for each signature."""
        begins, ends = self._partners
        return int((ends - begins).sum())

    @property
    def cost(self) -> int:
        """The cost of finding the pairs of blocks, in steps."""
        verified = _VERIFIED * (self.left.stride + self.left.w)
        return self.combinations * COMBINATION_COST + self.collisions * (_COLLISION + verified)

    def pairs(self, work: Work) -> Iterator[Pairs]:
        """Blocks of left and right that share a signature, one block of left after the other."""
        work.spend(self.cost)
        most = max(len(self.right), 1)
        parts = list(self._colliding(most))
        keys = distinct(np.concatenate(parts)) if parts else np.empty(0, np.int64)
        left, right = keys // most, keys % most
        cuts = np.flatnonzero(left[1:] != left[:-1]) + 1
        if len(keys):
            yield from zip(np.split(left, cuts), np.split(right, cuts), strict=True)

    def _colliding(self, most: int) -> Iterator[Numbers]:
        """The pairs of blocks of different documents, each as one number, in batches."""
        blocks = self._groups[2]
        begins, ends = self._partners
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
    """The codes that occur in two documents, one of each side where there are two sides."""
    if len(runs) == 1:
        count = max(len(halves[0].windows), 1)
        pairs = distinct(runs[0].codes * count + halves[0].documents[runs[0].places]) // count
        return distinct(pairs[1:][pairs[1:] == pairs[:-1]])
    left, right = (distinct(side.codes) for side in runs)
    return left[np.isin(left, right, assume_unique=True)]


def _ways(runs: Intervals, k: int) -> Numbers:
    """For each interval the number of its combinations with later ones of its block.

    Combinations of k grow one by one; the number is that of the step with the most of them.
    """
    behind = np.searchsorted(runs.places, runs.places, "right") - np.arange(len(runs.places)) - 1
    ways = most = np.ones(len(behind))
    for taken in range(k - 1):
        ways = np.minimum(ways * np.maximum(behind - taken, 0) / (taken + 1), _COUNTABLE)
        most = np.maximum(most, ways)
    return np.rint(most).astype(np.int64)


def _signatures(runs: Intervals, k: int, kinds: int) -> Pairs:
    """The signatures of k codes whose intervals intersect, and the blocks that have them."""
    ends = np.searchsorted(runs.places, runs.places, "right")
    keys, places = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start, stop in _parts(_ways(runs, k)):
        rows = np.arange(start, stop)
        signatures, first, last = runs.codes[rows], runs.first[rows], runs.last[rows]
        for _ in range(k - 1):
            counts = ends[rows] - rows - 1
            others = _expanded(rows + 1, counts)
            first = np.maximum(np.repeat(first, counts), runs.first[others])
            last = np.minimum(np.repeat(last, counts), runs.last[others])
            signatures = np.repeat(signatures, counts) * kinds + runs.codes[others]
            some = first <= last
            rows, signatures, first, last = others[some], signatures[some], first[some], last[some]
        keys.append(signatures)
        places.append(runs.places[rows])
    return np.concatenate(keys), np.concatenate(places)


def _parts(counts: Numbers) -> Iterator[tuple[int, int]]:
    """Ranges of rows that are small enough to be expanded at once."""
    ends = offsets_of(counts)
    start = 0
    while start < len(counts):
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] + _AT_ONCE)) - 1)
        yield start, stop
        start = stop


def _expanded(begins: Numbers, counts: Numbers) -> Numbers:
    """The ranges `[begin, begin + count)`, concatenated."""
    offsets = offsets_of(counts)
    return np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], counts)
