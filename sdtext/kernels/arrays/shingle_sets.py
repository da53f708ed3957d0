"""Rows of numbers as sets: sorted, each number once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from sdtext.kernels.arrays.ragged import Ragged


def sorted_distinct(rows: Ragged) -> Ragged:
    """The numbers of each row in order, each once.

    >>> [row.tolist() for row in sorted_distinct(Ragged.of([[3, 1, 3], [], [3]]))]
    [[1, 3], [], [3]]
    """
    values = rows.values[: rows.offsets[-1]].copy()
    for start, stop in pairwise(rows.offsets.tolist()):
        values[start:stop].sort()
    again = np.zeros(len(values), bool)
    np.equal(values[1:], values[:-1], out=again[1:])
    again[rows.offsets[:-1][rows.lengths > 0]] = False
    repeats = np.flatnonzero(again)
    return Ragged(values[~again], rows.offsets - np.searchsorted(repeats, rows.offsets))


def sorted_distinct_plain(row: Iterable[int]) -> list[int]:
    """What `sorted_distinct` makes of one row."""
    return sorted(set(row))
