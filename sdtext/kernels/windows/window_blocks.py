"""Documents cut into blocks, each of which holds all windows that start in one stretch."""

from __future__ import annotations

from collections.abc import Sequence
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
