"""Documents with the same shingles: one stands for all while pairs are looked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.model import PartSpec
from sdtext.parts.catalogue import build
from sdtext.search.buckets import LARGEST, MOST_PAIRS, Rows, Sides, all_pairs, runs
from sdtext.search.table import Table


@dataclass(frozen=True, eq=False)
class Equal:
    """Which rows have the same shingles: `first` is for each row the first such one of its side."""

    first: Rows

    @property
    def leads(self) -> NDArray[np.bool_]:
        """Which rows stand for themselves, and for all that are equal to them."""
        return np.asarray(self.first == np.arange(len(self.first)))

    @cached_property
    def _groups(self) -> tuple[Rows, Rows, Rows]:
        """Rows in groups, and for each row where its group begins there and how long it is."""
        rows = np.argsort(self.first, kind="stable")
        leaders, begins, lengths = np.unique(
            self.first[rows], return_index=True, return_counts=True
        )
        begin, length = np.zeros((2, len(rows)), np.int64)
        begin[leaders], length[leaders] = begins, lengths
        return rows, begin, length

    @property
    def large(self) -> int:
        """How many groups have more than 64 rows."""
        return int((self._groups[2] > LARGEST).sum())

    def within(self) -> Iterator[Sides]:
        """The pairs of equal rows; of more than 64 that are equal, those with the first alone."""
        rows, begin, length = self._groups
        few = np.flatnonzero((length > 1) & (length <= LARGEST))
        yield from all_pairs(rows, begin[few], length[few])
        for leader in np.flatnonzero(length > LARGEST).tolist():
            others = rows[begin[leader] + 1 : begin[leader] + length[leader]]
            yield np.full(len(others), leader), others

    def members(self, leader: int) -> Rows:
        """The rows that are equal to one that leads, itself the first of them."""
        rows, begin, length = self._groups
        return rows[begin[leader] : begin[leader] + length[leader]]

    def spread(self, left: Rows, right: Rows) -> Spread:
        """The pairs of all that the leaders stand for.

        All rows of a group of more than 64 are paired with the first of the other one alone, as
        are the rows of that with its first. When such groups have given two million pairs, each
        goes on with its first row once it has been paired.
        """
        length = self._groups[2]
        alone = (length[left] == 1) & (length[right] == 1)
        lefts, rights = [left[alone]], [right[alone]]
        sources = [np.flatnonzero(alone)]
        groups = _Groups(self, MOST_PAIRS)
        for place in np.flatnonzero(~alone).tolist():
            ones, others = groups.paired(int(left[place]), int(right[place]))
            lefts.append(ones)
            rights.append(others)
            sources.append(np.full(len(ones), place))
        left, right, source = map(np.concatenate, (lefts, rights, sources))
        return Spread(left, right, source, len(groups.short))


@dataclass(frozen=True, eq=False)
class Spread:
    """Pairs of rows, for each which pair of leaders it comes from; how many groups lack some."""

    left: Rows
    right: Rows
    source: Rows
    short: int


@dataclass
class _Groups:
    """Groups of equal rows as they are paired: what was done so far."""

    equal: Equal
    room: int
    paired_once: set[int] = field(default_factory=set)
    short: set[int] = field(default_factory=set)

    def paired(self, left: int, right: int) -> Sides:
        """The pairs of the rows for which two leaders stand."""
        ones, others = self.equal.members(left), self.equal.members(right)
        if max(len(ones), len(others)) <= LARGEST:
            return np.repeat(ones, len(others)), np.tile(others, len(ones))
        full = len(ones) * len(others)
        ones, others = self._cut(left, ones), self._cut(right, others)
        made = (
            np.concatenate((ones, np.full(len(others) - 1, left))),
            np.concatenate((np.full(len(ones), right), others[1:])),
        )
        self.room -= len(made[0])
        self.paired_once |= {left, right}
        if len(made[0]) < full:
            self.short |= {left, right}
        return made

    def _cut(self, leader: int, rows: Rows) -> Rows:
        over = self.room < 0 and leader in self.paired_once and len(rows) > LARGEST
        return rows[:1] if over else rows


def equal_rows(table: Table) -> Equal:
    """The equal rows among those that are searched.

    Equal shingles have equal sketches, so only rows whose sketch another has are looked at.
    """
    first = np.arange(len(table.wanted))
    known: dict[tuple[int, bytes], int] = {}
    for row in _same_sketch(table).tolist():
        number, place = table.located(row)
        piece = table.pieces[number]
        mark = piece.side, blake2b(piece.shingles[place].tobytes(), digest_size=16).digest()
        first[row] = known.setdefault(mark, row)
    return Equal(first)


def _same_sketch(table: Table) -> Rows:
    """The rows whose whole sketch another row has, too, in their order."""
    whole: Any = build("indexes", PartSpec.of("bands", bands=1, rows=table.slots))
    keys, rows = table.band(whole, 0)
    wanted = table.wanted[rows]
    begins, lengths = runs(keys[wanted])
    inside = np.repeat(begins, lengths) + _counting(lengths)
    return np.sort(rows[wanted][inside])


def _counting(lengths: Rows) -> Rows:
    """0, 1, 2 … for each of the lengths."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
