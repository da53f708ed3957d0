"""Documents with the same shingles: the search compares one of each group for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.model import PartSpec
from sdtext.parts.registry import build
from sdtext.search.candidates.buckets import PAIRWISE, Rows, Sides, all_pairs, exceed_budget
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
        return np.flatnonzero(self._groups[2] > PAIRWISE)

    def within(self) -> Iterator[Sides]:
        """The pairs of equal rows; in an oversized group, those with its first row alone."""
        rows, begin, length = self._groups
        few = np.flatnonzero((length > 1) & (length <= PAIRWISE))
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
        given, paired_once, short = 0, set[int](), set[int]()

        def cut(first_row: int) -> Rows:
            rows = self.members(first_row)
            over = exceed_budget(given) and first_row in paired_once
            return rows[:1] if over and len(rows) > PAIRWISE else rows

        for place in np.flatnonzero(~alone).tolist():
            pair = int(left[place]), int(right[place])
            ones, others = map(self.members, pair)
            full = len(ones) * len(others)
            if max(len(ones), len(others)) <= PAIRWISE:
                ones, others = np.repeat(ones, len(others)), np.tile(others, len(ones))
            else:
                ones, others = map(cut, pair)
                ones, others = (
                    np.append(ones, np.full(len(others) - 1, pair[0])),
                    np.append(np.full(len(ones), pair[1]), others[1:]),
                )
                given += len(ones)
                paired_once |= {*pair}
                if len(ones) < full:
                    short |= {*pair}
            lefts.append(ones)
            rights.append(others)
            sources.append(np.full(len(ones), place))
        left, right, source = map(np.concatenate, (lefts, rights, sources))
        return ExpandedPairs(left, right, source, np.array(sorted(short), np.int64))


@dataclass(frozen=True, eq=False)
class ExpandedPairs:
    """Pairs of rows, and the place of the pair of first rows that each comes from.

    `short` has the first rows of the groups that lack pairs.
    """

    left: Rows
    right: Rows
    source: Rows
    short: Rows


def duplicates_in(table: Table) -> Duplicates:
    """The groups of equal rows among those that are searched, each of rows of one side.

    Equal shingles have equal sketches, so only rows whose sketch another row has are compared.
    """
    whole: Any = build("indexes", PartSpec.of("bands", bands=1, rows=table.slots))
    same = [np.empty(0, np.int64)]
    for keys, rows in table.band_parts(whole, 0):
        wanted = table.wanted[rows]
        keys, rows = keys[wanted], rows[wanted]  # noqa: PLW2901
        is_same = np.zeros(len(keys) + 1, bool)  # as the one before
        is_same[1:-1] = keys[1:] == keys[:-1]
        same.append(rows[is_same[1:] | is_same[:-1]])
    first = np.arange(len(table.wanted))
    first_rows: dict[tuple[int, bytes], int] = {}
    for row in np.sort(np.concatenate(same)).tolist():
        number, place = table.located(row)
        view = table.views[number]
        digest = view.side, blake2b(view.shingles[place].tobytes(), digest_size=16).digest()
        first[row] = first_rows.setdefault(digest, row)
    return Duplicates(first)
