"""Documents cut into blocks of consecutive window starts, which candidates are filtered by.

A pair of blocks that share too few terms has no pair of windows to verify. A block is kept as a
bag of terms, and as the intervals of window starts that contain each term. All work on blocks is
counted in steps before it is done, within a budget (`Work`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import offsets_of

BUDGET = 1 << 37
"""Default budget in steps: about ten minutes."""
Numbers = NDArray[np.int64]
Columns = tuple[Numbers, Numbers, Numbers]
_LONGEST = 256  # starts in a block: their square is the work of verifying a pair of blocks


class TooMuchWork(OptionError):  # noqa: N818 (the work is too much, the input has no error)
    """A join would exceed its budget; the message says what to change."""


@dataclass
class Work:
    """The steps that are left: all work is counted before it is done.

    `progress` is called with the share of the work that is done, from 0 to 1, where that is known.
    """

    left: int
    w: int
    tau: int
    progress: Callable[[float], None] | None = None

    def spend(self, steps: int) -> None:
        """Subtract `steps`. Raises TooMuchWork if fewer are left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork(
                f"windows: too many windows match at w = {self.w} and distance = {self.tau}; "
                "use fewer or shorter texts, a smaller distance or a longer w"
            )


def stride_for(w: int) -> int:
    """How many windows of `w` terms start in a block: an even number up to `w`, or 1.

    >>> stride_for(1), stride_for(30), stride_for(31), stride_for(5000)
    (1, 30, 30, 256)
    """
    return max(1, min(w // 2 * 2, _LONGEST))


@dataclass(frozen=True, eq=False)
class Blocks:
    """Documents cut into strides of `stride` terms; those too short for a window have none.

    `terms` are ranks from 0, the rarest term first, and -1 for a term that cannot match; document
    i has the terms `[offsets[i], offsets[i + 1])`, `windows[i]` windows, and the strides from
    `bounds[i]` on. Of each stride, of which there are `count`, `documents` has the document,
    `firsts` its offset there, and `starts` the number of windows that start in it, maybe 0 in the
    last of a document. A block holds the terms of all windows of `w` terms that start in its
    stride, so it extends over `reach` strides.
    """

    terms: Numbers
    offsets: Numbers
    w: int
    stride: int
    reach: int
    windows: Numbers
    bounds: Numbers
    count: int
    documents: Numbers
    firsts: Numbers
    starts: Numbers

    @classmethod
    def of(cls, terms: Numbers, offsets: Numbers, w: int) -> Blocks:
        """The blocks of documents with these terms, for windows of `w` of them."""
        stride = stride_for(w)
        windows = np.maximum(np.diff(offsets) - (w - 1), 0)
        lengths = np.where(windows > 0, np.diff(offsets), 0)
        bounds = offsets_of(-(-lengths // stride))
        documents = np.repeat(np.arange(len(windows)), np.diff(bounds))
        firsts = (np.arange(len(documents)) - bounds[documents]) * stride
        starts = np.clip(windows[documents] - firsts, 0, stride)
        reach = -(-(stride + w - 1) // stride)
        columns = windows, bounds, len(documents), documents, firsts, starts
        return cls(terms, offsets, w, stride, reach, *columns)

    def entries(self, chosen: Numbers, length: int) -> Columns:
        """Columns of the first `length` terms from the start of each chosen stride.

        The place among the chosen, the term, and its offset from the start of the stride; terms
        that cannot match are left out.
        """
        documents = self.documents[chosen]
        begins = self.offsets[documents] + self.firsts[chosen]
        lengths = np.minimum(self.offsets[documents + 1] - begins, length)
        owners = np.repeat(np.arange(len(chosen)), lengths)
        within = np.arange(len(owners)) - np.repeat(offsets_of(lengths)[:-1], lengths)
        terms = self.terms[within + begins[owners]]
        useful = terms >= 0
        return owners[useful], terms[useful], within[useful]


class Bags(NamedTuple):
    """Strides or blocks as sets of codes: the second of equal terms has a code of its own.

    `places` and `codes` are columns, by place and then by term, the rarest first; the terms of
    one number have codes that follow one another. `offsets` has those of the codes of each place.
    """

    places: Numbers
    codes: Numbers
    offsets: Numbers


def bags(sides: Sequence[tuple[Blocks, Numbers]], length: int) -> tuple[list[Bags], int]:
    """The first `length` terms of the chosen strides by side, and the number of codes."""
    kinds = 1 + max((int(side.terms.max(initial=-1)) for side, _ in sides), default=-1)
    columns = []
    for side, chosen in sides:
        places, terms, _ = side.entries(chosen, length)
        keys = np.sort(places * kinds + terms)
        first = np.ones(len(keys), bool)
        first[1:] = keys[1:] != keys[:-1]
        begins = np.flatnonzero(first)
        ranks = np.arange(len(keys)) - np.repeat(begins, np.diff(np.append(begins, len(keys))))
        columns.append((keys // max(kinds, 1), keys % max(kinds, 1), ranks))
    most = np.zeros(kinds, np.int64)
    for _, terms, ranks in columns:
        np.maximum.at(most, terms, ranks + 1)
    begins = offsets_of(most)
    result = []
    for (_, chosen), (places, terms, ranks) in zip(sides, columns, strict=True):
        offsets = np.searchsorted(places, np.arange(len(chosen) + 1)).astype(np.int64)
        result.append(Bags(places, begins[terms] + ranks, offsets))
    return result, int(begins[-1])


class Intervals(NamedTuple):
    """Columns: windows of block `places` that start at `first` to `last`, inclusive, hold `codes`.

    A code stands for a term and a number k: the windows hold the term at least k times. Starts
    count from the start of the block. Intervals of one place and code do not touch.
    """

    places: Numbers
    codes: Numbers
    first: Numbers
    last: Numbers


def intervals_of(blocks: Blocks, chosen: Numbers) -> Intervals:
    """The intervals of the terms of the chosen blocks; `places` are in `chosen`.

    They are sorted by place and code, then by start. The code of the k-th occurrence of a term
    is term * w + k - 1. Windows that begin after occurrence q - 1 of a term and hold k of it end
    after occurrence q + k - 1. Adjacent intervals are one.
    """
    w, span = blocks.w, blocks.stride + blocks.w - 1
    places, terms, within = blocks.entries(chosen, span)
    kinds = int(terms.max(initial=0)) + 1
    keys = np.sort((places * kinds + terms) * span + within)
    groups = keys // span
    places, terms, within = groups // kinds, groups % kinds, keys % span
    last_starts = blocks.starts[chosen] - 1
    same = np.zeros(len(terms) + 1, bool)
    same[1:-1] = (places[1:] == places[:-1]) & (terms[1:] == terms[:-1])
    behind = np.zeros(len(terms), np.int64)
    behind[same[:-1]] = within[:-1][same[1:-1]] + 1
    heads = np.arange(len(terms))
    levels: list[tuple[Numbers, ...]] = []
    while len(heads) or not levels:
        k = len(levels)
        first = np.maximum(behind[heads], within[heads + k] - (w - 1))
        last = np.minimum(within[heads], last_starts[places[heads]])
        some = first <= last
        heads, first, last = heads[some], first[some], last[some]
        goes_on = np.zeros(len(heads) + 1, bool)
        goes_on[1:-1] = (
            (places[heads[1:]] == places[heads[:-1]])
            & (terms[heads[1:]] == terms[heads[:-1]])
            & (first[1:] == last[:-1] + 1)
        )
        begins = heads[~goes_on[:-1]]
        codes = terms[begins] * w + k
        levels.append((places[begins], codes, first[~goes_on[:-1]], last[~goes_on[1:]]))
        heads = heads[same[heads + k + 1]]
    merged = Intervals(*(np.concatenate(column) for column in zip(*levels, strict=True)))
    order = np.argsort(merged.places * (kinds * w) + merged.codes, kind="stable")
    return Intervals(*(column[order] for column in merged))
