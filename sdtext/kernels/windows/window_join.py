"""All pairs of windows of documents that differ in few terms: exact, gathered by cells.

It answers the question of P. Wang, C. Xiao and Y. Ishikawa ("Detecting Reused Contents in Text
Documents"). Two ways find the pairs of blocks that may hold such windows, both without a loss; what
the windows of these have in common is then counted for each of them.
"""

from __future__ import annotations

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows.cells import Cells, all_cells
from sdtext.kernels.windows.window_cells import gathered
from sdtext.kernels.windows.window_looks import looks
from sdtext.kernels.windows.window_work import BUDGET, TooMuchWork

__all__ = ["BUDGET", "TooMuchWork", "joined_cells"]


def joined_cells(
    left: Ragged, right: Ragged | None, w: int, tau: int, budget: int = BUDGET
) -> Cells:
    """Where windows of `w` terms differ in at most `tau` terms, as bags of terms.

    Rows are documents, of the terms of one vocabulary: numbers from 0. Compared
    is each document of `left` with each of `right`; without `right` each of `left` with the later
    ones of it. A document of fewer than `w` terms has no windows. The cells are ordered by
    documents, then by starts. Raises TooMuchWork before more than `budget` steps are taken.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> cells = joined_cells(Ragged.of([[1, 2, 3], [3, 9, 2, 1]]), None, w=3, tau=1)
    >>> [column.tolist() for column in (cells.left, cells.right, cells.count, cells.least)]
    [[0], [1], [2], [1]]
    """
    turned = right is None or len(right.values) < len(left.values)
    first, second = (left, right) if right is None or not turned else (right, left)
    cells = all_cells(
        [gathered(looked, looking) for looked, looking in looks(first, second, (w, tau), budget)]
    )
    return (cells.turned() if turned else cells).ordered()
