"""What blocks have in common, exactly: those with too little hold no windows that are near."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.windows.window_blocks import Bags, Blocks, Numbers, bags, distinct
from sdtext.kernels.windows.window_work import Work

Pairs = tuple[Numbers, Numbers]

_CODES = 1 << 20  # looked up at once
_PAIRS = 1 << 20  # that are gathered before blocks are laid out for them
_FEW = 8


@dataclass(frozen=True, eq=False)
class Common:
    """Blocks of two sides as sets of codes: those of `left` by rows, those of `right` as a table.

    A row of the table has the codes of one block and is filled up with a code that no block has;
    its number follows from that of the block by `rows`.
    """

    left: Bags
    table: NDArray[np.int32]
    rows: Numbers
    codes: int

    @classmethod
    def of(cls, left: Blocks, right: Blocks, chosen: Numbers) -> Common:
        """The blocks of left and the chosen ones, which rise, of right."""
        whole = np.arange(len(left))
        sides = [(left, whole), (right, chosen)]
        same = left is right and len(chosen) == len(right)
        made, codes = bags(sides[:1] if same else sides, left.stride + left.w - 1)
        held = made[-1]
        lengths = np.diff(held.offsets)
        table = np.full((len(lengths), max(1, int(lengths.max(initial=0)))), codes, np.int32)
        table[held.places, np.arange(len(held.codes)) - held.offsets[held.places]] = held.codes
        rows = np.zeros(len(right), np.int64)
        rows[chosen] = np.arange(len(chosen))
        return cls(made[0], table, rows, codes)

    def enough(self, pairs: Iterable[Pairs], least: int, work: Work) -> Iterator[Pairs]:
        """Those of the pairs with at least `least` codes in common; each has one left block."""
        asked = np.zeros(self.codes + 1, np.float32)  # so that counts are a product of matrices
        for left, right in pairs:
            work.spend(self.table.shape[1] * len(right))
            place = int(left[0])
            codes = self.left.codes[self.left.offsets[place] : self.left.offsets[place + 1]]
            asked[codes] = 1
            kept = self._counts(self.rows[right], asked) >= least
            asked[codes] = 0
            yield left[kept], right[kept]

    def _counts(self, rows: Numbers, asked: NDArray[np.float32]) -> NDArray[np.float32]:
        """How many of the codes asked for each row of the table has."""
        width = self.table.shape[1]
        size = max(1, _CODES // width)
        ones = np.ones(width, np.float32)
        parts = [rows[at : at + size] for at in range(0, len(rows), size)]
        return np.concatenate([asked.take(self.table.take(part, axis=0)) @ ones for part in parts])


def with_enough(
    sides: tuple[Blocks, Blocks], pairs: Iterator[Pairs], least: int, work: Work
) -> Iterator[Pairs]:
    """Those of the pairs of blocks with at least `least` terms in common, some at a time.

    Each of the pairs that are given has one block of the left and some of the right.
    """
    left, right = sides
    if len(left) * _FEW >= len(right):
        yield from Common.of(left, right, np.arange(len(right))).enough(pairs, least, work)
        return
    for some in gathered(pairs, _PAIRS):
        chosen = distinct(np.concatenate([near for _, near in some]))
        yield from Common.of(left, right, chosen).enough(some, least, work)


def gathered(pairs: Iterable[Pairs], size: int) -> Iterator[list[Pairs]]:
    """The pairs about `size` at a time; those that hold none at the end are left out."""
    held: list[Pairs] = []
    number = 0
    for one in pairs:
        held.append(one)
        number += len(one[0])
        if number >= size:
            yield held
            held, number = [], 0
    if number:
        yield held
