"""What a window join finds, cell by cell of the grid of window starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Cells:
    """Pairs of windows that are near, gathered by cells: int64 columns of one length.

    A cell has the pairs of windows of two documents, `left` and `right`, that start within a
    square of the grid of starts; its side is at most the length of a window, so that all of them
    overlap. `first` to `last` are the least and the greatest start on the left, `right_first` to
    `right_last` on the right; `count` says how many pairs there are, `least` their least distance.
    A window that starts at i has the terms from i to before i + w.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    right_first: NDArray[np.int64]
    right_last: NDArray[np.int64]
    count: NDArray[np.int64]
    least: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.left)

    @property
    def columns(self) -> tuple[NDArray[np.int64], ...]:
        """The columns in the order above."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def ordered(self) -> Cells:
        """The same by documents, then by where the cells are."""
        order = np.lexsort((self.right_first, self.first, self.right, self.left))
        return Cells(*(column[order] for column in self.columns))

    def turned(self) -> Cells:
        """The same with the two sides exchanged."""
        left, right, first, last, right_first, right_last, count, least = self.columns
        return Cells(right, left, right_first, right_last, first, last, count, least)


def no_cells() -> Cells:
    """No cell at all.

    >>> len(no_cells())
    0
    """
    return Cells(*(np.empty(0, np.int64) for _ in fields(Cells)))


def all_cells(parts: Sequence[Cells]) -> Cells:
    """The cells of all parts, one behind the other."""
    if not parts:
        return no_cells()
    return Cells(
        *(
            np.concatenate(columns)
            for columns in zip(*(part.columns for part in parts), strict=True)
        )
    )
