"""In which windows of a block a term stands at least so many times: intervals of their starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.windows.window_blocks import Blocks, Columns, Numbers


@dataclass(frozen=True, eq=False)
class Intervals:
    """Columns: the windows of block `places` that start at `first` to `last` hold `codes`.

    A code stands for a term and a number k: the windows have the term at least k times. Starts
    count from the first of the block. Intervals of one place and code do not touch.
    """

    places: Numbers
    codes: Numbers
    first: Numbers
    last: Numbers

    def taken(self, chosen: Numbers | NDArray[np.bool_]) -> Intervals:
        """Some of them, in the order of `chosen`."""
        columns = (self.places, self.codes, self.first, self.last)
        return Intervals(*(column[chosen] for column in columns))


def intervals_of(blocks: Blocks, chosen: Numbers, entries: Columns) -> Intervals:
    """The intervals of the chosen blocks for the terms in `entries`; `places` are in `chosen`.

    They are ordered by place and code, then by starts. The code of the k-th of a term is
    term * w + k - 1.
    """
    span = blocks.stride + blocks.w - 1
    places, terms, within = entries
    kinds = int(terms.max(initial=0)) + 1
    keys = np.sort((places * kinds + terms) * span + within)
    groups = keys // span
    rows = (groups // kinds, groups % kinds, keys % span)
    levels = list(_levels(rows, blocks.w, blocks.starts[chosen] - 1))
    found = Intervals(*(np.concatenate(column) for column in zip(*levels, strict=True)))
    return found.taken(np.argsort(found.places * (kinds * blocks.w) + found.codes, kind="stable"))


def _levels(
    rows: Columns, w: int, last_starts: Numbers
) -> Iterator[tuple[Numbers, Numbers, Numbers, Numbers]]:
    """For k = 1, 2, …: the intervals of windows with a term at least k times.

    `rows` are places, terms and where these stand, in this order. The windows whose first of a
    term stands at its place number q, and that have k of it, end behind that of number q + k - 1.
    """
    places, terms, within = rows
    same = np.zeros(len(terms) + 1, bool)
    same[1:-1] = (places[1:] == places[:-1]) & (terms[1:] == terms[:-1])
    behind = np.zeros(len(terms), np.int64)
    behind[same[:-1]] = within[:-1][same[1:-1]] + 1
    heads = np.arange(len(terms))
    k = 0
    while len(heads) or not k:
        first = np.maximum(behind[heads], within[heads + k] - (w - 1))
        last = np.minimum(within[heads], last_starts[places[heads]])
        some = first <= last
        found = heads[some]
        yield _merged(places[found], terms[found] * w + k, first[some], last[some])
        k += 1
        heads = found[same[found + k]]


def _merged(
    places: Numbers, codes: Numbers, first: Numbers, last: Numbers
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """The intervals with those put together that touch; they rise within one place and code."""
    goes_on = np.zeros(len(places) + 1, bool)
    goes_on[1:-1] = (
        (places[1:] == places[:-1]) & (codes[1:] == codes[:-1]) & (first[1:] == last[:-1] + 1)
    )
    begins, ends = ~goes_on[:-1], ~goes_on[1:]
    return places[begins], codes[begins], first[begins], last[ends]
