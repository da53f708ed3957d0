"""Pairs that share enough shingles, all of them, by lists of who has each shingle.

Of a document's a shingles, at least m have to be in the other. Then one of its rarest a - m + 1
has to be there, too (the prefix filter of Chaudhuri, Ganti and Kaushik, "A primitive operator for
similarity joins in data cleaning", ICDE 2006): only the lists of those are gone through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.search.buckets import Rows, Sides
from sdtext.search.candidates import Candidates
from sdtext.search.plan import Plan
from sdtext.search.table import Table

_CHUNK = 1 << 21


class Limits(NamedTuple):
    """How many shingles, meetings of two documents in one of them, and pairs are gone through."""

    shingles: int
    meetings: int
    pairs: int


MOST = Limits(1 << 24, 1 << 27, 1 << 62)
"""More than this is refused, for a shingle needs some 40 bytes of memory."""

LITTLE = Limits(1 << 20, 1 << 21, 1 << 15)
"""So much takes some 0.2 to 0.5 seconds and 70 to 120 MB (measured): then bands save nothing."""


def sharing(table: Table, plan: Plan, searched: NDArray[np.bool_]) -> Candidates:
    """The pairs of `searched` rows that may share as much as the plan asks for; none is missing.

    Raises OptionError where that is too much work.
    """
    join = _Join(table, plan, searched)
    if why := join.too_much(MOST):
        raise OptionError(
            f"{plan.matcher.name} compares all documents that share a shingle, and {why}; use a "
            "higher minimum or jaccard, or search for a single document"
        )
    return join.candidates


def soon_sharing(table: Table, plan: Plan, searched: NDArray[np.bool_]) -> Candidates | None:
    """The same where that is little work; else None."""
    join = _Join(table, plan, searched)
    if join.too_much(LITTLE) or len(join.candidates.left) > LITTLE.pairs:
        return None
    return join.candidates


@dataclass(frozen=True, eq=False)
class _Join:
    """The search for pairs by the lists of who has each shingle."""

    table: Table
    plan: Plan
    searched: NDArray[np.bool_]

    def too_much(self, limits: Limits) -> str:
        """Why it is too much work, "" where it is not."""
        total = int(self.table.sizes[self.searched].sum())
        if total > limits.shingles:
            return f"{total:,} shingles are more than {limits.shingles:,}"
        meetings = int(self._lists.lengths[self._probes].sum())
        if meetings > limits.meetings:
            return f"{meetings:,} meetings are more than {limits.meetings:,}"
        return ""

    @cached_property
    def candidates(self) -> Candidates:
        """The pairs."""
        table, plan, total = self.table, self.plan, max(1, len(self.searched))
        found = np.empty(0, np.int64)
        for pair in self._lists.meetings(self._probes):
            left, right = _asked(table, plan, self._rows[pair[0]], self._rows[pair[1]])
            reach = plan.scorer.can_reach(plan.least_of_sets, table.sizes[left], table.sizes[right])
            found = np.unique(np.concatenate([found, left[reach] * total + right[reach]]))
        return Candidates(*np.divmod(found, total))

    @cached_property
    def _rows(self) -> Rows:
        return np.flatnonzero(self.searched)

    @cached_property
    def _lists(self) -> _Lists:
        return _Lists.of(_shingles(self.table, self._rows))

    @cached_property
    def _probes(self) -> Rows:
        """The places of the shingles whose lists are gone through."""
        probes = self._lists.rarest(self.plan.share)
        if self.plan.symmetric or not self.table.two_sided:
            return probes
        return np.asarray(probes[self.table.sides[self._rows[self._lists.owners[probes]]] == 0])


def _asked(table: Table, plan: Plan, left: Rows, right: Rows) -> Sides:
    """The meetings that count, each the right way round."""
    kept = left != right
    if table.two_sided:
        kept = table.sides[left] != table.sides[right]
    left, right = left[kept], right[kept]
    if not plan.symmetric:
        return left, right
    key = table.sides if table.two_sided else np.arange(len(table.sides))
    turned = key[left] > key[right]
    return np.where(turned, right, left), np.where(turned, left, right)


@dataclass(frozen=True, eq=False)
class _Lists:
    """Who has each shingle: those of the value at place i are `holders[begins[i]:][:lengths[i]]`.

    Places are those of the values in `sets`, whose rows are the `owners`.
    """

    sets: Ragged
    owners: Rows
    holders: Rows
    begins: Rows
    lengths: Rows

    @classmethod
    def of(cls, sets: Ragged) -> _Lists:
        order = np.argsort(sets.values, kind="stable")
        ordered, owners = sets.values[order], sets.owners
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        starts = starts[: len(ordered)]
        counts = np.diff(np.append(starts, len(ordered)))
        begins, lengths = np.empty((2, len(ordered)), np.int64)
        begins[order], lengths[order] = np.repeat(starts, counts), np.repeat(counts, counts)
        return cls(sets, owners, owners[order], begins, lengths)

    def rarest(self, share: float) -> Rows:
        """The places of the values of which one must be in any set that has `share` of the row."""
        sizes = self.sets.lengths
        needed = np.maximum(1, np.ceil(share * sizes - 1e-9).astype(np.int64))
        order = np.lexsort((self.lengths, self.owners))
        rank = np.arange(len(order)) - self.sets.offsets[:-1][self.owners]
        chosen: Rows = order[rank <= (sizes - needed)[self.owners]]
        return chosen[self.lengths[chosen] > 1]

    def meetings(self, probes: Rows) -> Iterator[Sides]:
        """The rows of the probes with each that has the same value, themselves among them."""
        ends = np.cumsum(self.lengths[probes])
        start = 0
        while start < len(probes):
            before = ends[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + _CHUNK, "right")))
            some = probes[start:stop]
            lengths = self.lengths[some]
            within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            others = self.holders[np.repeat(self.begins[some], lengths) + within]
            yield np.repeat(self.owners[some], lengths), others
            start = stop


def _shingles(table: Table, rows: Rows) -> Ragged:
    """The shingles of some rows, which are in their order."""
    borders = np.searchsorted(rows, table.starts)
    taken = [
        piece.shingles.taken(rows[begin:end] - start)
        for piece, begin, end, start in zip(
            table.pieces, borders[:-1], borders[1:], table.starts[:-1], strict=True
        )
    ]
    return joined(taken) if taken else Ragged.of([])
