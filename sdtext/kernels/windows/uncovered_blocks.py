"""Pairs of blocks that still have to be verified where two texts repeat themselves in any order.

Where hardly any two blocks of a text are equal, but each is near most of the others, as with few
lines in random order, all pairs of blocks hold near windows: a number that grows with the square of
the length. They become one passage, the bounding box of the pairs, and a pair of blocks within the
box of others changes nothing. So a few pairs of each block are verified, then those of the rest
that no box contains, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.span_pairs import Boxes, merged
from sdtext.kernels.windows.candidate_blocks import Blocks, Numbers

Pairs = tuple[Numbers, Numbers]

_MANY = 16  # pairs of near blocks for each block: fewer are texts that repeat some passages
_LEAST = 1 << 14  # pairs of near blocks
_FIRST = 4  # pairs of a block that are verified before the others are looked at
_GROWTH = 4  # times as many in the next round


@dataclass(eq=False)
class UncoveredBlocks:
    """Chooses the pairs of blocks of `left` and `right` that are verified.

    >>> import numpy as np
    >>> from sdtext.kernels.windows.candidate_blocks import Blocks
    >>> blocks = Blocks(np.zeros(100, np.int64), np.array([0, 100]), w=10, stride=10)
    >>> chosen = UncoveredBlocks(blocks, blocks)
    >>> pairs = np.array([0, 0]), np.array([1, 2])
    >>> chosen.is_repetitive(*pairs).tolist()
    [False, False]
    >>> chosen.add(np.array([0]), np.array([0]), np.array([[0, 19, 10, 29]]))
    >>> chosen.uncovered(*pairs)
    (array([0]), array([2]))
    """

    left: Blocks
    right: Blocks
    _counts: dict[int, int] = field(default_factory=dict)
    _boxes: dict[int, Boxes] = field(default_factory=dict)

    def count(self, left: Numbers, right: Numbers) -> None:
        """Count pairs of blocks that hold near windows, by the documents they are of."""
        for key, count in zip(*np.unique(self._keys(left, right), return_counts=True), strict=True):
            self._counts[int(key)] = total = self._counts.get(int(key), 0) + int(count)
            if total >= _LEAST and total >= _MANY * self._blocks_of(int(key)):
                self._boxes.setdefault(int(key), np.empty((0, 4), np.int64))

    def is_repetitive(self, left: Numbers, right: Numbers) -> NDArray[np.bool_]:
        """Whether pairs of blocks are of documents of which many are near."""
        if not self._boxes:
            return np.zeros(len(left), bool)
        return np.isin(self._keys(left, right), list(self._boxes))

    def rounds(self, left: Numbers, right: Numbers) -> Iterator[Pairs]:
        """The pairs to verify, some at a time; what they hold is to be added before the next."""
        most = _FIRST
        order = np.lexsort((right, left))
        left, right = self.uncovered(left[order], right[order])
        while len(left):
            begins = np.flatnonzero(np.append(True, left[1:] != left[:-1]))
            lengths = np.diff(np.append(begins, len(left)))
            chosen = np.arange(len(left)) - np.repeat(begins, lengths) < most
            yield left[chosen], right[chosen]
            left, right = self.uncovered(left[~chosen], right[~chosen])
            most *= _GROWTH

    def add(self, left: Numbers, right: Numbers, boxes: Boxes) -> None:
        """Add the boxes of near windows in pairs of blocks."""
        keys = self._keys(left, right)
        for key in np.unique(keys).tolist():
            before = self._boxes.get(key, boxes[:0])
            self._boxes[key] = merged(np.concatenate((before, boxes[keys == key])), 0)

    def uncovered(self, left: Numbers, right: Numbers) -> Pairs:
        """The pairs of blocks that do not lie within one box."""
        keys = self._keys(left, right)
        kept = np.ones(len(left), bool)
        starts, right_starts = self.left.firsts[left], self.right.firsts[right]
        length = self.left.stride + self.left.w - 1
        for key in np.unique(keys).tolist():
            for start, end, right_start, right_end in self._boxes.get(key, ()):
                inside = (starts >= start) & (starts + length <= end)
                inside &= (right_starts >= right_start) & (right_starts + length <= right_end)
                kept &= ~(inside & (keys == key))
        return left[kept], right[kept]

    def _keys(self, left: Numbers, right: Numbers) -> Numbers:
        """A number for each pair of documents."""
        keys: Numbers = self.left.documents[left] * len(self.right.windows)
        return keys + self.right.documents[right]

    def _blocks_of(self, key: int) -> int:
        left, right = divmod(key, len(self.right.windows))
        counts = np.diff(self.left.bounds)[left] + np.diff(self.right.bounds)[right]
        return int(counts)
