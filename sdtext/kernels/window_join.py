"""All pairs of windows of documents that differ in few terms: exact, gathered by cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdtext.errors import OptionError
from sdtext.kernels.cells import Cells, all_cells
from sdtext.kernels.overlaps import pair_overlaps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sdtext.kernels.ragged import Ragged

BUDGET = 1 << 36
"""Steps of work that are done unless another number is asked for: some minutes."""


class TooMuchWork(OptionError):
    """A join would take more work than it may; its message says what helps."""


def joined_cells(
    left: Ragged, right: Ragged | None, w: int, tau: int, budget: int = BUDGET
) -> Cells:
    """Where windows of `w` terms differ in at most `tau` terms, as bags of terms.

    Rows are documents, of the terms of one vocabulary. Compared is each document of `left` with
    each of `right`; without `right` each of `left` with the later ones of it. A document of fewer
    than `w` terms has no windows. Raises TooMuchWork before more than about `budget` steps are
    taken.
    """
    found = []
    for place, terms in enumerate(left):
        others = enumerate(right) if right is not None else enumerate(left)
        for other, words in others:
            if right is None and other <= place:
                continue
            common = pair_overlaps(terms.tolist(), words.tolist(), w)
            found.append(_cells_of(common, (place, other), w, tau))
    return all_cells(found).ordered()


def _cells_of(common: NDArray[np.int64], places: tuple[int, int], w: int, tau: int) -> Cells:
    import numpy as np

    i, j = np.nonzero(common >= w - tau)
    cells = {}
    for a, b in zip(i.tolist(), j.tolist(), strict=False):
        cells.setdefault((a // w, b // w), []).append((a, b, w - int(common[a, b])))
    made = [
        (
            *places,
            min(a for a, _, _ in each),
            max(a for a, _, _ in each),
            min(b for _, b, _ in each),
            max(b for _, b, _ in each),
            len(each),
            min(d for _, _, d in each),
        )
        for each in cells.values()
    ]
    table = np.array(made, np.int64).reshape(-1, 8)
    return Cells(*table.T)
