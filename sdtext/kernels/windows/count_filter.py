"""Candidate pairs of blocks by posting lists: those that share enough terms (a count filter).

Two windows that differ in at most tau of w terms share c = w - tau of them, and so do the blocks
that hold them. A block spans a few strides; the terms shared by the strides of two blocks are
counted. The most frequent terms of each stride need not be looked up: without `skipped` terms of
each of `reach` strides at least c - reach * skipped are still counted.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.candidate_blocks import Blocks, Numbers, Work, bags

Pairs = tuple[Numbers, Numbers]

_ROW = 20_000  # steps to begin with a stride
_SKIPPED = 1 / 6  # share of c that the terms which are not looked up may take of a count


@dataclass(frozen=True, eq=False)
class CountFilter:
    """Pairs of blocks of `left` and `right` with enough terms in common, block by block of `left`.

    Where both sides are the same documents, each is compared with the earlier ones only.
    """

    left: Blocks
    right: Blocks
    tau: int

    @cached_property
    def skipped(self) -> int:
        """The number of terms of each stride that are not looked up."""
        return int(_SKIPPED * (self.left.w - self.tau) / self.left.reach)

    @cached_property
    def _lookups(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Posting lists, offsets of the codes of each stride, posting range of each code.

        Code i is in the strides from `begins[i]` to `begins[i + 1]` of the posting lists.
        """
        left, right = self.left, self.right
        both = [left] if left is right else [left, right]
        strides, codes = bags([(side, np.arange(len(side))) for side in both], left.stride)
        queries, indexed = strides[0], strides[-1]
        postings = np.sort(indexed.codes * indexed.count + indexed.places)
        postings %= max(indexed.count, 1)
        bounds = offsets_of(np.bincount(indexed.codes, minlength=codes))
        from_end = queries.offsets[queries.places + 1] - np.arange(len(queries.codes))
        kept = from_end > self.skipped
        wanted, places = queries.codes[kept], queries.places[kept]
        begins, ends = bounds[wanted], bounds[wanted + 1]
        if left is right:  # up to the strides of earlier documents
            count = int(postings.max(initial=0)) + 1
            owners = np.repeat(np.arange(codes), np.diff(bounds))
            earlier = left.bounds[left.documents[places]]
            ends = np.searchsorted(owners * count + postings, wanted * count + earlier)
        some = begins < ends
        offsets = np.searchsorted(places[some], np.arange(len(left) + 1))
        return postings, offsets, begins[some], ends[some]

    def share_before(self, place: int) -> float:
        """The share of the work that the blocks of left before `place` take."""
        share = place / len(self.left)
        return share**2 if self.left is self.right else share  # each with the earlier ones

    def pairs(self, work: Work) -> Iterator[Pairs]:
        """Blocks of left and right with enough in common, one block of left after the other."""
        _, _, begins, ends = self._lookups
        work.spend(int((ends - begins).sum()) + len(self.left) * (_ROW + len(self.right) // 4))
        reach = self.left.reach
        least = self.left.w - self.tau - reach * self.skipped
        for start, stop in pairwise(self.left.bounds.tolist()):
            rows = self._rows(start, stop)
            ahead = deque(islice(rows, reach))
            for place in range(start, stop):
                if self.left.starts[place]:
                    total = functools.reduce(np.add, ahead)
                    reached = total.copy()
                    for shift in range(1, reach):
                        reached[:-shift] += total[shift:]
                    near = np.flatnonzero(reached >= least)
                    near = near[self.right.starts[near] > 0]
                    if len(near):
                        yield np.full(len(near), place), near
                ahead.popleft()
                ahead.extend(islice(rows, 1))

    def _rows(self, start: int, stop: int) -> Iterator[NDArray[np.unsignedinteger]]:
        """For each stride of `[start, stop)` the counts of terms shared with those of the right."""
        strides, offsets, begins, ends = self._lookups
        count = start if self.left is self.right else len(self.right)
        kind = np.min_scalar_type(self.left.reach**2 * self.left.stride)
        none = [np.empty(0, np.int64)]
        for place in range(start, stop):
            some = slice(offsets[place], offsets[place + 1])
            postings = [
                strides[begin:end]
                for begin, end in zip(begins[some].tolist(), ends[some].tolist(), strict=True)
            ]
            counts = np.bincount(np.concatenate(postings or none), minlength=count)
            yield counts.astype(kind)
