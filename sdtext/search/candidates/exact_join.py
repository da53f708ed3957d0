"""Exact set-similarity join: an inverted index of shingles with a prefix filter.

Of a document's a shingles, at least m have to be in the other one. Then one of its a - m + 1
rarest shingles has to be there, too (the prefix filter of Chaudhuri, Ganti and Kaushik, "A
primitive operator for similarity joins in data cleaning", ICDE 2006): only the posting lists of
these are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.equal_rows import distinct, sorted_hashes
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.c_library import KERNELS
from sdtext.reading.parallel_run import COMPARING
from sdtext.search.candidates.buckets import Rows
from sdtext.search.candidates.lsh import Candidates
from sdtext.search.search_plan import SearchPlan
from sdtext.search.searchable import Table

_WAITING = 1 << 21  # pairs that wait until those that are found twice are left out


class JoinLimits(NamedTuple):
    """The most shingles, pairs of postings of one shingle, and pairs of documents."""

    shingles: int
    postings: int
    pairs: int


MOST = JoinLimits(1 << 24, 1 << 27, 1 << 62)
"""More is refused, since a shingle takes some 40 bytes of memory."""

LITTLE = JoinLimits(1 << 20, 1 << 21, 1 << 15)
"""Up to here bands save nothing: some 0.2 to 0.5 seconds and 70 to 120 MB (measured)."""


def exact_join(table: Table, plan: SearchPlan, searched: NDArray[np.bool_]) -> Candidates:
    """All pairs of `searched` rows that may share as much as the plan requires.

    Raises OptionError where that is too much work.
    """
    join = _PrefixJoin(table, plan, searched)
    if why := join.excess(MOST):
        what = f"{plan.matcher.name} compares all documents that share a shingle, and {why}; use a "
        raise OptionError(f"{what}higher minimum or jaccard, or search for a single document")
    return join.candidates


def quick_join(table: Table, plan: SearchPlan, searched: NDArray[np.bool_]) -> Candidates | None:
    """The same where that is little work, else None."""
    join = _PrefixJoin(table, plan, searched)
    if join.excess(LITTLE) or len(join.candidates.left) > LITTLE.pairs:
        return None
    return join.candidates


@dataclass(frozen=True, eq=False)
class _PrefixJoin:
    """The join of the searched rows."""

    table: Table
    plan: SearchPlan
    searched: NDArray[np.bool_]

    def excess(self, limits: JoinLimits) -> str:
        """The limit that is exceeded, in words; "" where none is."""
        total = int(self.table.sizes[self.searched].sum())
        if total > limits.shingles:
            return f"{total:,} shingles are more than {limits.shingles:,}"
        postings = int(self._index.lengths[self._probes].sum())
        if postings > limits.postings:
            return f"{postings:,} pairs of postings are more than {limits.postings:,}"
        return ""

    @cached_property
    def candidates(self) -> Candidates:
        table, plan, total = self.table, self.plan, max(1, len(self.searched))
        codes, more, waiting = np.empty(0, np.int64), list[Rows](), 0
        postings = int(self._index.lengths[self._probes].sum())
        for read, *pair in self._index.pairs(self._probes):
            rows = self._rows[pair[0]], self._rows[pair[1]]
            left, right, _ = table.oriented(*rows, symmetric=plan.symmetric)
            reach = plan.scorer.can_reach(plan.least_of_sets, table.sizes[left], table.sizes[right])
            more.append(left[reach] * total + right[reach])
            waiting += len(more[-1])
            if waiting > len(codes) + _WAITING:
                codes, more, waiting = distinct(np.concatenate([codes, *more])), [], 0
            table.run.step(read, postings, COMPARING)
        return Candidates(*np.divmod(distinct(np.concatenate([codes, *more])), total))

    @cached_property
    def _rows(self) -> Rows:
        return np.flatnonzero(self.searched)

    @cached_property
    def _index(self) -> _InvertedIndex:
        return _InvertedIndex.of(self.table.shingles(self._rows))

    @cached_property
    def _probes(self) -> Rows:
        least = self.plan.least_of_sets / 100
        probes = self._index.rarest(self.plan.scorer.part.least_share(least))
        if self.plan.symmetric or not self.table.two_sided:
            return probes
        return np.asarray(probes[self.table.sides[self._rows[self._index.owners[probes]]] == 0])


@dataclass(frozen=True, eq=False)
class _InvertedIndex:
    """The posting list of each shingle: that at place i is `postings[begins[i]:][:lengths[i]]`.

    Places are those of the values in `sets`, whose rows are the `owners`.
    """

    sets: Ragged
    owners: Rows
    postings: Rows
    begins: Rows
    lengths: Rows

    @classmethod
    def of(cls, sets: Ragged) -> _InvertedIndex:
        (order, ordered), owners = sorted_hashes(sets.values), sets.owners
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        starts = starts[: len(ordered)]
        counts = np.diff(np.append(starts, len(ordered)))
        begins, lengths = np.empty((2, len(ordered)), np.int64)
        begins[order], lengths[order] = np.repeat(starts, counts), np.repeat(counts, counts)
        return cls(sets, owners, owners[order], begins, lengths)

    def rarest(self, share: float) -> Rows:
        """The prefixes: places of values; a set that has `share` of the row has one of them."""
        sizes = self.sets.lengths
        needed = np.maximum(1, np.ceil(share * sizes - 1e-9).astype(np.int64))
        order = np.lexsort((self.lengths, self.owners))
        rank = np.arange(len(order)) - self.sets.offsets[:-1][self.owners]
        chosen: Rows = order[rank <= (sizes - needed)[self.owners]]
        return chosen[self.lengths[chosen] > 1]

    def pairs(self, probes: Rows) -> Iterator[tuple[int, Rows, Rows]]:
        """The rows of the probes with each other row of their posting lists, in batches.

        Each batch comes with the number of postings that were read for it.
        """
        owners, lengths = self.owners[probes], self.lengths[probes]
        begins, rows, start = self.begins[probes], len(self.sets), 0
        while start < len(probes) and "posting_pairs" in KERNELS:
            given, before = (owners, begins, lengths, self.postings, rows, start), start
            start, pairs = KERNELS["posting_pairs"](*given)
            yield int(lengths[before:start].sum()), pairs[:, 0], pairs[:, 1]
        for place in range(start, len(probes)):
            others = self.postings[begins[place] : begins[place] + lengths[place]]
            others = others[others != owners[place]]
            yield int(lengths[place]), np.full(len(others), owners[place]), others
