"""Candidate pairs of blocks by posting lists: those that share enough terms (a count filter).

Two windows that differ in at most tau of w terms share c = w - tau of them, and so do the blocks
that hold them. A block spans a few strides; counted is what the strides of one block share with
those of the other. The most frequent terms of each stride need not be looked up: without `skipped`
terms of each of `reach` strides at least c - reach * skipped are still counted.
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
from sdtext.kernels.windows.window_blocks import Bags, Blocks, Numbers, bags
from sdtext.kernels.windows.work_budget import Work

Pairs = tuple[Numbers, Numbers]

_ROW = 20_000  # steps to begin with a stretch
_SPARED = 1 / 6  # of c, that terms which are not asked for may take of a count


@dataclass(frozen=True, eq=False)
class PostingLists:
    """Which stretches have a code: those of code i from `offsets[i]`, by their numbers."""

    stretches: Numbers
    offsets: Numbers

    @classmethod
    def of(cls, held: Bags, codes: int) -> PostingLists:
        """The stretches that have each of the codes."""
        keys = np.sort(held.codes * held.count + held.places)
        return cls(keys % max(held.count, 1), offsets_of(np.bincount(held.codes, minlength=codes)))

    def before(self, codes: Numbers, stretches: Numbers) -> Numbers:
        """For each code where those end that come before the stretch beside it."""
        count = int(self.stretches.max(initial=0)) + 1
        owners = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return np.searchsorted(owners * count + self.stretches, codes * count + stretches)


@dataclass(frozen=True, eq=False)
class CountFilter:
    """Blocks of `left` asked one after the other for those of `right` with enough in common.

    Where both are the same documents, only earlier documents are asked for.
    """

    left: Blocks
    right: Blocks
    tau: int

    @property
    def within(self) -> bool:
        """Whether documents are compared among themselves."""
        return self.left is self.right

    @property
    def spared(self) -> int:
        """How many terms of each stretch are not asked for."""
        return int(_SPARED * (self.left.w - self.tau) / self.left.reach)

    @property
    def least(self) -> int:
        """The least count of a pair of blocks that can have windows that are near."""
        return self.left.w - self.tau - self.left.reach * self.spared

    @cached_property
    def _asked(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Postings; where the codes of each stretch begin; from where to where each is posted."""
        both = [self.left] if self.within else [self.left, self.right]
        sides = [(side, np.arange(len(side))) for side in both]
        held, codes = bags(sides, self.left.stride)
        postings = PostingLists.of(held[-1], codes)
        asking = held[0]
        from_end = asking.offsets[asking.places + 1] - np.arange(len(asking.codes))
        kept = from_end > self.spared
        asked, places = asking.codes[kept], asking.places[kept]
        begins, ends = postings.offsets[asked], postings.offsets[asked + 1]
        if self.within:
            ends = postings.before(asked, self.left.bounds[self.left.documents[places]])
        some = begins < ends
        offsets = np.searchsorted(places[some], np.arange(len(self.left) + 1))
        return postings.stretches, offsets, begins[some], ends[some]

    @cached_property
    def steps(self) -> int:
        """How many postings will be counted."""
        _, _, begins, ends = self._asked
        return int((ends - begins).sum())

    @property
    def cost(self) -> int:
        """Steps to find the pairs of blocks."""
        return self.steps + len(self.left) * (_ROW + len(self.right) // 4)

    def pairs(self, work: Work) -> Iterator[Pairs]:
        """Blocks of left and right with enough in common, one block of left after the other."""
        work.spend(self.cost)
        bounds = self.left.bounds.tolist()
        for start, stop in pairwise(bounds):
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
        """What each stretch from `start` to before `stop` shares with those of the right."""
        stretches, offsets, begins, ends = self._asked
        count = start if self.within else len(self.right)
        most = self.left.reach**2 * self.left.stride
        kind = np.min_scalar_type(most)
        none = [np.empty(0, np.int64)]
        for place in range(start, stop):
            some = slice(offsets[place], offsets[place + 1])
            met = [
                stretches[begin:end]
                for begin, end in zip(begins[some].tolist(), ends[some].tolist(), strict=True)
            ]
            counts = np.bincount(np.concatenate(met or none), minlength=count)
            yield counts.astype(kind)

    def _near(self, rows: Sequence[NDArray[np.unsignedinteger]]) -> Numbers:
        """The blocks of the right that share enough with the stretches of `rows`."""
        total = functools.reduce(np.add, rows)
        reached = total.copy()
        for shift in range(1, self.left.reach):
            reached[:-shift] += total[shift:]
        near = np.flatnonzero(reached >= self.least)
        return near[self.right.starts[near] > 0]
