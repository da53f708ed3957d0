"""Documents with the same shingles: the search compares one of each group for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.model import PartSpec
from sdtext.parts.registry import build
from sdtext.search.candidates.buckets import (
    PAIRWISE,
    PairBudget,
    Rows,
    Sides,
    all_pairs,
    is_oversized,
    runs,
)
from sdtext.search.searchable import Table


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Groups of rows with the same shingles: `first` is the first row of each row's group."""

    first: Rows

    @property
    def are_first(self) -> NDArray[np.bool_]:
        """Which rows are the first of their group; a row without duplicates is a group."""
        return np.asarray(self.first == np.arange(len(self.first)))

    @cached_property
    def _groups(self) -> tuple[Rows, Rows, Rows]:
        """The rows by groups, and the begin and length of the group of each first row."""
        rows = np.argsort(self.first, kind="stable")
        firsts, begins, lengths = np.unique(self.first[rows], return_index=True, return_counts=True)
        begin, length = np.zeros((2, len(rows)), np.int64)
        begin[firsts], length[firsts] = begins, lengths
        return rows, begin, length

    @property
    def oversized(self) -> Rows:
        """The first rows of the oversized groups."""
        return np.flatnonzero(is_oversized(self._groups[2]))

    def within(self) -> Iterator[Sides]:
        """The pairs of equal rows; in an oversized group, those with its first row alone."""
        rows, begin, length = self._groups
        few = np.flatnonzero((length > 1) & ~is_oversized(length))
        yield from all_pairs(rows, begin[few], length[few])
        for first_row in self.oversized.tolist():
            others = rows[begin[first_row] + 1 : begin[first_row] + length[first_row]]
            yield np.full(len(others), first_row), others

    def members(self, first_row: int) -> Rows:
        """The rows of the group of a first row, that row included."""
        rows, begin, length = self._groups
        return rows[begin[first_row] : begin[first_row] + length[first_row]]

    def expanded(self, left: Rows, right: Rows) -> ExpandedPairs:
        """The pairs of all rows of the groups whose first rows are paired.

        With an oversized group, each row of either group is paired with the first row of the
        other group alone. Once such groups have given two million pairs, a group that has been
        paired before goes on with its first row alone.
        """
        length = self._groups[2]
        alone = (length[left] == 1) & (length[right] == 1)
        lefts, rights = [left[alone]], [right[alone]]
        sources = [np.flatnonzero(alone)]
        expansion = _PairExpansion(self)
        for place in np.flatnonzero(~alone).tolist():
            ones, others = expansion.pairs_of(int(left[place]), int(right[place]))
            lefts.append(ones)
            rights.append(others)
            sources.append(np.full(len(ones), place))
        left, right, source = map(np.concatenate, (lefts, rights, sources))
        short = np.array(sorted(expansion.short), np.int64)
        return ExpandedPairs(left, right, source, short)


@dataclass(frozen=True, eq=False)
class ExpandedPairs:
    """Pairs of rows, and the place of the pair of first rows that each comes from.

    `short` has the first rows of the groups that lack pairs.
    """

    left: Rows
    right: Rows
    source: Rows
    short: Rows


@dataclass
class _PairExpansion:
    """The expansion of pairs of first rows to pairs of their groups, so far."""

    duplicates: Duplicates
    budget: PairBudget = field(default_factory=PairBudget)
    paired_once: set[int] = field(default_factory=set)
    short: set[int] = field(default_factory=set)

    def pairs_of(self, left: int, right: int) -> Sides:
        """The pairs of the rows of two groups, given by their first rows."""
        ones, others = self.duplicates.members(left), self.duplicates.members(right)
        if max(len(ones), len(others)) <= PAIRWISE:
            return np.repeat(ones, len(others)), np.tile(others, len(ones))
        full = len(ones) * len(others)
        ones, others = self._cut(left, ones), self._cut(right, others)
        pairs = (
            np.concatenate((ones, np.full(len(others) - 1, left))),
            np.concatenate((np.full(len(ones), right), others[1:])),
        )
        self.budget.given += len(pairs[0])
        self.paired_once |= {left, right}
        if len(pairs[0]) < full:
            self.short |= {left, right}
        return pairs

    def _cut(self, first_row: int, rows: Rows) -> Rows:
        over = not self.budget.allows(0) and first_row in self.paired_once
        return rows[:1] if over and len(rows) > PAIRWISE else rows


def duplicates_in(table: Table) -> Duplicates:
    """The groups of equal rows among those that are searched, each of rows of one side.

    Equal shingles have equal sketches, so only rows whose sketch another row has are compared.
    """
    first = np.arange(len(table.wanted))
    first_rows: dict[tuple[int, bytes], int] = {}
    for row in _same_sketch(table).tolist():
        number, place = table.located(row)
        view = table.views[number]
        digest = view.side, blake2b(view.shingles[place].tobytes(), digest_size=16).digest()
        first[row] = first_rows.setdefault(digest, row)
    return Duplicates(first)


def _same_sketch(table: Table) -> Rows:
    """The rows whose whole sketch another row has, too, in ascending order."""
    whole: Any = build("indexes", PartSpec.of("bands", bands=1, rows=table.slots))
    same = [np.empty(0, np.int64)]
    for keys, rows in table.band_parts(whole, 0):
        wanted = table.wanted[rows]
        begins, lengths = runs(keys[wanted])
        inside = np.repeat(begins, lengths) + _counts_up(lengths)
        same.append(rows[wanted][inside])
    return np.sort(np.concatenate(same))


def _counts_up(lengths: Rows) -> Rows:
    """The numbers 0, 1, 2 … for each of the lengths."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
