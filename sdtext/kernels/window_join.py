"""All pairs of windows of documents that differ in few terms: exact, gathered by cells.

Two ways find the pairs of blocks that may hold such windows, both without a loss; what the windows
of these have in common is then counted for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sdtext.kernels.cells import Cells, all_cells
from sdtext.kernels.window_blocks import Blocks, stride_for
from sdtext.kernels.window_cells import Looking, gathered
from sdtext.kernels.window_counts import Counting
from sdtext.kernels.window_signatures import COMBINED, Signatures
from sdtext.kernels.window_overlaps import with_enough
from sdtext.kernels.window_work import BUDGET, TooMuchWork, Work

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sdtext.kernels.ragged import Ragged
    from sdtext.kernels.window_blocks import Numbers

    Pairs = tuple[Numbers, Numbers]

__all__ = ["BUDGET", "TooMuchWork", "joined_cells"]

_CELL = 1 << 12  # steps that a cell which is kept stands for
_TIGHT = 10  # times tau is at most w where signatures may be of use
_SIGNED = 500  # steps to find the rarest of each window, by term


def joined_cells(
    left: Ragged, right: Ragged | None, w: int, tau: int, budget: int = BUDGET
) -> Cells:
    """Where windows of `w` terms differ in at most `tau` terms, as bags of terms.

    Rows are documents, of the terms of one vocabulary. Compared is each document of `left` with
    each of `right`; without `right` each of `left` with the later ones of it. A document of fewer
    than `w` terms has no windows. Raises TooMuchWork before more than about `budget` steps are
    taken.
    """
    work = Work(budget, w, tau)
    mine, other = blocks_of(left, right, w)
    looking = Looking(mine, other, tau, work)
    found = []
    pairs = with_enough((mine, other), chosen(mine, other, tau).pairs(work), w - tau, work)
    for some in batches(pairs, looking.at_once):
        for looked in looking.looked(*some):
            work.spend(len(looked.left) * _CELL)
            found.append(gathered(looked, looking))
    cells = all_cells(found)
    return (cells.turned() if right is None else cells).ordered()


def chosen(left: Blocks, right: Blocks, tau: int) -> Counting | Signatures:
    """The way that takes less work, by what can be counted beforehand."""
    counting = Counting(left, right, tau)
    terms = sum(len(side.terms) for side in (left, right)[: 2 - (left is right)])
    if tau * _TIGHT > left.w or counting.cost <= terms * 2 * _SIGNED:
        return counting
    best: Counting | Signatures = counting
    for k in (1, 2, 3):
        way = Signatures(left, right, tau, k)
        if not way.possible or way.combinations * COMBINED > best.cost:
            continue
        if way.cost < best.cost:
            best = way
        if way.meetings < way.combinations:
            break
    return best


def blocks_of(left: Ragged, right: Ragged | None, w: int) -> tuple[Blocks, Blocks]:
    import numpy as np

    sides = [left] if right is None else [left, right]
    values = [side.values[: side.offsets[-1]].astype(np.int64) for side in sides]
    most = 1 + max((int(one.max(initial=-1)) for one in values), default=0)
    counts = [np.bincount(one, minlength=most) for one in values]
    total = sum(counts)
    useful = total > 0 if right is None else (counts[0] > 0) & (counts[1] > 0)
    order = np.flatnonzero(useful)
    order = order[np.argsort(total[order], kind="stable")]
    numbers = np.full(most, -1)
    numbers[order] = np.arange(len(order))
    made = [Blocks(numbers[one], side.offsets, w, stride_for(w)) for one, side in zip(values, sides)]
    return made[0], made[-1]


def batches(pairs: Iterator[Pairs], size: int) -> Iterator[Pairs]:
    import numpy as np

    held: list[Pairs] = []
    number = 0
    for one in pairs:
        held.append(one)
        number += len(one[0])
        if number >= size:
            yield tuple(map(np.concatenate, zip(*held)))
            held, number = [], 0
    if number:
        yield tuple(map(np.concatenate, zip(*held)))
