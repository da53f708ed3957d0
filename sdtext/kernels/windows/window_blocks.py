"""Documents cut into blocks of window starts, as bags of terms and as intervals of starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import offsets_of

Numbers = NDArray[np.int64]
Columns = tuple[Numbers, Numbers, Numbers]

_LONGEST = 256  # starts in a block: their square is the work of one look into a pair of blocks


def stride_for(w: int) -> int:
    """How many windows of `w` terms start in a block: an even number up to `w`, or 1.

    >>> stride_for(1), stride_for(30), stride_for(31), stride_for(5000)
    (1, 30, 30, 256)
    """
    return max(1, min(w // 2 * 2, _LONGEST))


@dataclass(frozen=True, eq=False)
class Blocks:
    """Documents in stretches of `stride` terms; those too short for a window have none.

    `terms` are numbers from 0 of which the rarer are the lower, -1 for a term that is of no use;
    document i has those from `offsets[i]` to before `offsets[i + 1]`. A block holds the terms of
    the windows of `w` terms that start in its stretch, so it reaches into the next ones.
    """

    terms: Numbers
    offsets: Numbers
    w: int
    stride: int

    @property
    def reach(self) -> int:
        """How many stretches a block has terms of."""
        return -(-(self.stride + self.w - 1) // self.stride)

    @cached_property
    def windows(self) -> Numbers:
        """How many windows each document has."""
        counts: Numbers = np.maximum(np.diff(self.offsets) - (self.w - 1), 0)
        return counts

    @cached_property
    def bounds(self) -> Numbers:
        """How many stretches there are before each document."""
        lengths = np.where(self.windows > 0, np.diff(self.offsets), 0)
        return offsets_of(-(-lengths // self.stride))

    def __len__(self) -> int:
        return int(self.bounds[-1])

    @cached_property
    def documents(self) -> Numbers:
        """The document of each stretch."""
        return np.repeat(np.arange(len(self.windows)), np.diff(self.bounds))

    @cached_property
    def firsts(self) -> Numbers:
        """Where in its document each stretch begins."""
        return (np.arange(len(self)) - self.bounds[self.documents]) * self.stride

    @cached_property
    def starts(self) -> Numbers:
        """How many windows start in each stretch: 0 in the last ones of a document, maybe."""
        counts: Numbers = np.clip(self.windows[self.documents] - self.firsts, 0, self.stride)
        return counts

    def entries(self, chosen: Numbers, length: int) -> Columns:
        """Columns of the terms in the first `length` of the chosen stretches and what follows.

        The place among the chosen, the term, and where it stands from the first of the stretch;
        terms of no use are left out.
        """
        documents = self.documents[chosen]
        begins = self.offsets[documents] + self.firsts[chosen]
        lengths = np.minimum(self.offsets[documents + 1] - begins, length)
        owners = np.repeat(np.arange(len(chosen)), lengths)
        within = np.arange(len(owners)) - np.repeat(offsets_of(lengths)[:-1], lengths)
        terms = self.terms[within + begins[owners]]
        useful = terms >= 0
        return owners[useful], terms[useful], within[useful]


@dataclass(frozen=True, eq=False)
class Bags:
    """Stretches or blocks as sets of codes: the second of equal terms has a code of its own.

    `places` and `codes` are columns, by place and then by term, the rarest first; the terms of
    one number have codes that follow one another.
    """

    places: Numbers
    codes: Numbers
    count: int

    @cached_property
    def offsets(self) -> Numbers:
        """Where the codes of each place begin, and where the last ones end."""
        return np.searchsorted(self.places, np.arange(self.count + 1)).astype(np.int64)


def bags(sides: Sequence[tuple[Blocks, Numbers]], length: int) -> tuple[list[Bags], int]:
    """The first `length` terms of the chosen stretches by side, and how many codes there are."""
    kinds = 1 + max((int(side.terms.max(initial=-1)) for side, _ in sides), default=-1)
    columns = [_ranked(side.entries(chosen, length), kinds) for side, chosen in sides]
    most = np.zeros(kinds, np.int64)
    for _, terms, ranks in columns:
        np.maximum.at(most, terms, ranks + 1)
    begins = offsets_of(most)
    made = [
        Bags(places, begins[terms] + ranks, len(chosen))
        for (_, chosen), (places, terms, ranks) in zip(sides, columns, strict=True)
    ]
    return made, int(begins[-1])


def _ranked(entries: Columns, kinds: int) -> Columns:
    """Place, term and the number of equal ones before it, in this order."""
    places, terms, _ = entries
    keys = np.sort(places * kinds + terms)
    first = np.ones(len(keys), bool)
    first[1:] = keys[1:] != keys[:-1]
    begins = np.flatnonzero(first)
    ranks = np.arange(len(keys)) - np.repeat(begins, np.diff(np.append(begins, len(keys))))
    return keys // max(kinds, 1), keys % max(kinds, 1), ranks


def distinct(numbers: Numbers) -> Numbers:
    """The numbers that there are, each once, by size: soon, as `np.unique` is not.

    >>> import numpy as np
    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(numbers)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


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
