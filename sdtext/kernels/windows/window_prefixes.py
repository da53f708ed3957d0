"""When a term is among the rarest of a window that slides: intervals of starts, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.window_blocks import Blocks, Numbers
from sdtext.kernels.windows.window_intervals import Intervals, intervals_of

_AREA = 1 << 21  # of the tables of intervals and starts


@dataclass(frozen=True, eq=False)
class Prefixes:
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
