"""Sentences that are alike, by their codes: of documents at hand, and of those that are stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.positions import CODES
from sdtext.errors import FormatError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.hamming.distances import Codes
from sdtext.kernels.hamming.hamming_join import (
    LIMITS,
    Distinct,
    Found,
    Limits,
    SortedKeys,
    met,
    near,
    scan,
    scanned,
)
from sdtext.parts.indexes.groups import Way
from sdtext.reuse.crowds import across, placed, with_crowds
from sdtext.search.columns import Columns

Numbers = NDArray[np.int64]

CROWD = 1 << 17
"""Of sentences that make more pairs by one code some are listed: some 500 that are equal."""


@dataclass(frozen=True, eq=False)
class UnitMatches:
    """Pairs of sentences that are alike.

    In each of `rows`, of shape (n, 5): a document and the place of a sentence among its sentences,
    the same of the right side, and in how many bits the codes differ. `left_out` counts pairs
    that are not listed, since hundreds of sentences have their codes (see `reuse.crowds`).
    """

    rows: Numbers
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def by_documents(self) -> Iterator[tuple[int, int, Numbers]]:
        """The matches of each two documents: sentence, sentence and distance in each row."""
        rows = self.rows[np.lexsort(self.rows.T[[3, 1, 2, 0]])]
        changes = (rows[1:, [0, 2]] != rows[:-1, [0, 2]]).any(axis=1)
        ends = [0, *(np.flatnonzero(changes) + 1).tolist(), len(rows)]
        for start, end in pairwise(ends if len(rows) else ()):
            left, _, right = rows[start, :3].tolist()
            yield left, right, rows[start:end, [1, 3, 4]]


def matches(left: Ragged, right: Ragged | None, way: Way) -> UnitMatches:
    """The sentences of left documents that are like those of right ones, a row of codes for each.

    Without `right`, those of every two of the left documents, the first on the left. Raises
    TooManyPairs.

    >>> import numpy as np
    >>> from sdtext.parts.indexes.groups import Way
    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> codes = Ragged(np.array([[0] * 8, [255] * 8, [1] + [0] * 7], np.uint8), np.array([0, 2, 3]))
    >>> [(left, right, rows.tolist()) for left, right, rows in
    ...  matches(codes, None, Way(radius=2)).by_documents()]
    [(0, 1, [[0, 0, 1]])]
    """
    limits = Limits(LIMITS.pairs, CROWD)
    ones, others = left.values, None if right is None else right.values
    if way.cut is None:
        found = scanned(ones, others, way.radius, limits)
    else:
        found = near(ones, others, way.cut, limits)
    there = left if right is None else right
    rows = np.column_stack((placed(left, found.left), placed(there, found.right), found.distances))
    if right is None:
        rows = rows[rows[:, 0] != rows[:, 2]]
    if not found.oversized:
        return UnitMatches(rows)
    every = len(rows) + sum(across(crowd, (left, there)) for crowd in found.oversized)
    rows = with_crowds(rows, found.oversized, (left, there))
    return UnitMatches(rows, every - len(rows))


def documents_near(asked: Ragged, segments: Sequence[Columns], way: Way) -> Numbers:
    """The numbers of the stored documents that have a sentence like one that is asked about.

    Sorted keys are kept beside each segment, so that after the first time the stored codes are
    not read but where keys meet. However many sentences are alike, they are not listed. Raises
    FormatError where codes are damaged.
    """
    codes = Distinct.of(asked.values).codes
    near_ones = [_documents_near(codes, segment, way) for segment in segments]
    return np.unique(np.concatenate([np.empty(0, np.int64), *near_ones]))


def _documents_near(asked: Codes, segment: Columns, way: Way) -> Numbers:
    """The same of a segment, the keys of which are kept beside it."""
    codes: Codes = segment.ragged(CODES).values
    if codes.shape[1:] != asked.shape[1:]:
        raise FormatError(
            f"the collection's codes are not of {asked.shape[1]} bytes, as its recipe makes them; "
            "Doctor says what is damaged"
        )
    if way.cut is None:
        return _alive(scan(asked, codes, way.radius), segment)
    cut = way.cut
    key = f"unit-keys-{cut.bits}-{cut.radius}-{cut.groups}"
    like = "<u8", (len(cut.looked_up), 2, len(codes))
    sides = segment.derived(key, lambda: SortedKeys.of(codes, cut).sides, like)
    try:
        return _alive(met(asked, codes, SortedKeys(cut, sides)), segment)
    except IndexError:  # rows that are not there: the file was changed
        return _alive(met(asked, codes, SortedKeys.of(codes, cut)), segment)


def _alive(found: Iterable[Found], segment: Columns) -> Numbers:
    """The numbers of the documents, but for those that were removed, in which codes are found."""
    offsets = segment.ragged(CODES).offsets
    there = np.zeros(len(segment.ids), bool)
    for _, rows, _ in found:
        there[np.searchsorted(offsets, rows, "right") - 1] = True
    made: Numbers = segment.ids[there & segment.alive]
    return made
