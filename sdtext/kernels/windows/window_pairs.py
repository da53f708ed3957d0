"""Every pair of windows of two sequences that differ in few terms."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows.window_join import joined_cells
from sdtext.kernels.windows.window_looks import looks
from sdtext.kernels.windows.window_work import BUDGET, TooMuchWork

_NAME = "window_pairs"
_ROWS = 1 << 24  # of the result: 400 MB


def window_pairs(
    left: Sequence[int] | NDArray[Any], right: Sequence[int] | NDArray[Any], w: int, tau: int
) -> NDArray[np.int64]:
    """All pairs of windows of `w` numbers that differ in at most `tau` of them: rows (i, j, d).

    The window of `left` that starts at i and that of `right` that starts at j have w - d numbers
    in common, each counted as often as both have it; their order does not count. Rows are sorted
    by i, then by j, of shape (pairs, 3) and int64. A sequence shorter than `w` has no windows.
    Raises OptionError for what are no whole numbers, for w below 1, for tau below 0 or not below
    w, and where the result is larger than memory should hold or takes too long to find.

    >>> window_pairs([5, 7, 7, 9], [7, 5, 7], w=3, tau=1).tolist()
    [[0, 0, 0], [1, 0, 1]]
    """
    w, tau = checked(w, tau)
    numbers: dict[int, int] = {}
    one, other = (
        Ragged.of([_numbered(given, name, numbers)], "int64")
        for name, given in (("left", left), ("right", right))
    )
    cells = joined_cells(one, other, w, tau)
    total = int(cells.count.sum())
    if total > _ROWS:
        raise TooMuchWork(
            f"{_NAME}: {total} pairs of windows are near, and {_ROWS} is the most that are "
            "given; take shorter sequences or a smaller tau"
        )
    found = [np.empty((0, 3), np.int64)]
    for looked, looking in looks(one, other, (w, tau), BUDGET):
        pair, i, j = np.nonzero(looked.common >= looking.least)
        at = looking.left.firsts[looked.left[pair]] + i
        right_at = looking.right.firsts[looked.right[pair]] + j
        distances = w - looked.common[pair, i, j].astype(np.int64)
        found.append(np.stack((at, right_at, distances), axis=1))
    rows = np.concatenate(found)
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


def checked(w: int, tau: int) -> tuple[int, int]:
    """Both as Python has them, for numbers of NumPy may be too small to calculate with.

    Raises OptionError where there are no such windows.

    >>> checked(3, 3)
    Traceback (most recent call last):
    sdtext.errors.OptionError: window_pairs: tau is 3; it must be 0 or more and below w, which is 3
    """
    w, tau = _whole("w", w), _whole("tau", tau)
    if w < 1:
        raise OptionError.of(_NAME, "w", w, "1 or more")
    if not 0 <= tau < w:
        raise OptionError.of(_NAME, "tau", tau, f"0 or more and below w, which is {w}")
    return w, tau


def _whole(option: str, given: int) -> int:
    try:
        return index(given)
    except TypeError:
        raise OptionError.of(_NAME, option, given, "a whole number") from None


def _numbered(given: Sequence[int] | NDArray[Any], name: str, numbers: dict[int, int]) -> list[int]:
    """Small numbers for those that are given, however large or negative these are."""
    try:
        return [numbers.setdefault(index(one), len(numbers)) for one in given]
    except TypeError:
        wanted = "a sequence of whole numbers: a list or an array of one dimension"
        raise OptionError.of(_NAME, name, given, wanted) from None
