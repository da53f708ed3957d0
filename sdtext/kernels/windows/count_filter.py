"""Candidate pairs of blocks by posting lists: those that share enough terms (a count filter).

Two windows that differ in at most tau of w terms share c = w - tau of them, and so do the blocks
that hold them. A block spans a few strides; the terms shared by the strides of two blocks are
counted. The most frequent terms of each stride need not be looked up: without `skipped` terms of
each of `reach` strides at least c - reach * skipped are still counted.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.candidate_blocks import Bags, Blocks, Numbers, Work, bags

Pairs = tuple[Numbers, Numbers]

_ROW = 20_000  # steps to begin with a stride
_SKIPPED = 1 / 6  # share of c that the terms which are not looked up may take of a count


@dataclass(frozen=True, eq=False)
class StridePostings:
    """An inverted index: code i is in the strides `strides[offsets[i] : offsets[i + 1]]`."""

    strides: Numbers
    offsets: Numbers

    @classmethod
    def of(cls, bags_of_strides: Bags, codes: int) -> StridePostings:
        """The posting lists of the codes of the given bags."""
        owners = bags_of_strides
        keys = np.sort(owners.codes * owners.count + owners.places)
        counts = np.bincount(owners.codes, minlength=codes)
        return cls(keys % max(owners.count, 1), offsets_of(counts))

    def before(self, codes: Numbers, strides: Numbers) -> Numbers:
        """For each code the end of its postings that come before the stride beside it."""
        count = int(self.strides.max(initial=0)) + 1
        owners = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return np.searchsorted(owners * count + self.strides, codes * count + strides)


@dataclass(frozen=True, eq=False)
class CountFilter:
    """Pairs of blocks of `left` and `right` with enough terms in common, block by block of `left`.

    Where both sides are the same documents, each is compared with the earlier ones only.
    """

    left: Blocks
    right: Blocks
    tau: int

    @property
    def within(self) -> bool:
        """Whether the documents are compared with each other."""
        return self.left is self.right

    @property
    def skipped(self) -> int:
        """The number of terms of each stride that are not looked up."""
        return int(_SKIPPED * (self.left.w - self.tau) / self.left.reach)

    @property
    def least(self) -> int:
        """The least count of a pair of blocks that can hold near windows."""
        return self.left.w - self.tau - self.left.reach * self.skipped

    @cached_property
    def _lookups(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Posting lists, offsets of the codes of each stride, posting range of each code."""
        both = [self.left] if self.within else [self.left, self.right]
        sides = [(side, np.arange(len(side))) for side in both]
        strides, codes = bags(sides, self.left.stride)
        postings = StridePostings.of(strides[-1], codes)
        queries = strides[0]
        from_end = queries.offsets[queries.places + 1] - np.arange(len(queries.codes))
        kept = from_end > self.skipped
        wanted, places = queries.codes[kept], queries.places[kept]
        begins, ends = postings.offsets[wanted], postings.offsets[wanted + 1]
        if self.within:
            ends = postings.before(wanted, self.left.bounds[self.left.documents[places]])
        some = begins < ends
        offsets = np.searchsorted(places[some], np.arange(len(self.left) + 1))
        return postings.strides, offsets, begins[some], ends[some]

    @cached_property
    def steps(self) -> int:
        """The number of postings to count."""
        _, _, begins, ends = self._lookups
        return int((ends - begins).sum())

    @property
    def cost(self) -> int:
        """The cost of finding the pairs of blocks, in steps."""
        return self.steps + len(self.left) * (_ROW + len(self.right) // 4)

    def share_before(self, place: int) -> float:
        """The share of the work that the blocks of left before `place` take."""
        share = place / len(self.left)
        return share**2 if self.within else share  # each with the earlier ones

    def pairs(self, work: Work) -> Iterator[Pairs]:
        """Blocks of left and right with enough in common, one block of left after the other."""
        work.spend(self.cost)
        for start, stop in pairwise(self.left.bounds.tolist()):
            yield from self._pairs(start, stop)

    def _pairs(self, start: int, stop: int) -> Iterator[Pairs]:
        """The pairs of the blocks of one document of left."""
        rows = self._rows(start, stop)
        ahead = deque(islice(rows, self.left.reach))
        for place in range(start, stop):
            if self.left.starts[place]:
                near = self._near(ahead)
                if len(near):
                    yield np.full(len(near), place), near
            ahead.popleft()
            ahead.extend(islice(rows, 1))

    def _rows(self, start: int, stop: int) -> Iterator[NDArray[np.unsignedinteger]]:
        """For each stride of `[start, stop)` the counts of terms shared with those of the right."""
        strides, offsets, begins, ends = self._lookups
        count = start if self.within else len(self.right)
        most = self.left.reach**2 * self.left.stride
        kind = np.min_scalar_type(most)
        none = [np.empty(0, np.int64)]
        for place in range(start, stop):
            some = slice(offsets[place], offsets[place + 1])
            postings = [
                strides[begin:end]
                for begin, end in zip(begins[some].tolist(), ends[some].tolist(), strict=True)
            ]
            counts = np.bincount(np.concatenate(postings or none), minlength=count)
            yield counts.astype(kind)

    def _near(self, rows: Sequence[NDArray[np.unsignedinteger]]) -> Numbers:
        """The blocks of the right that share enough terms with the strides of `rows`."""
        total = functools.reduce(np.add, rows)
        reached = total.copy()
        for shift in range(1, self.left.reach):
            reached[:-shift] += total[shift:]
        near = np.flatnonzero(reached >= self.least)
        return near[self.right.starts[near] > 0]
