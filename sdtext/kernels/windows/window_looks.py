"""The pairs of blocks of documents that hold windows which are near, with all their distances."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows.window_blocks import Blocks, Numbers, distinct, stride_for
from sdtext.kernels.windows.window_cells import Looked, Looking
from sdtext.kernels.windows.window_counts import Counting
from sdtext.kernels.windows.window_overlaps import gathered, with_enough
from sdtext.kernels.windows.window_signatures import COMBINED, Signatures
from sdtext.kernels.windows.window_work import Work

Pairs = tuple[Numbers, Numbers]

_TABLE = 1 << 20  # numbers of terms that index a table, however few terms there are
_SPARSE = 4  # the same by term: beyond, terms are numbered anew
_CELL = 1 << 15  # steps that a cell which is kept stands for: four million at most, 300 MB
_TIGHT = 10  # times tau is at most w where signatures may be of use
_SIGNED = 1_000  # steps to find the rarest of each window, by term


def looks(
    left: Ragged, right: Ragged | None, asked: tuple[int, int], budget: int
) -> Iterator[tuple[Looked, Looking]]:
    """The pairs of blocks that hold windows which are near, some at a time; `asked` is w and tau.

    Without `right` the later document is the left one. Raises TooMuchWork.
    """
    w, tau = asked
    if w > min(int(side.lengths.max(initial=0)) for side in (left, right or left)):
        return
    work = Work(budget, w, tau)
    mine, other = blocks_of(left, right, w)
    looking = Looking(mine, other, tau, work)
    pairs = with_enough((mine, other), way(mine, other, tau).pairs(work), w - tau, work)
    for some in gathered(pairs, looking.at_once):
        for looked in looking.looked(*_together(some)):
            work.spend(len(looked.left) * _CELL)
            yield looked, looking


def way(left: Blocks, right: Blocks, tau: int) -> Counting | Signatures:
    """What finds the pairs of blocks in the fewest steps, as far as these can be counted before.

    Where tau is small beside w it may be signatures of one, two or three terms, else counting.
    """
    best: Counting | Signatures = Counting(left, right, tau)
    terms = len(left.terms) + (len(right.terms) if left is not right else 0)
    if tau * _TIGHT > left.w or best.cost <= terms * _SIGNED:
        return best
    for k in (1, 2, 3):
        signatures = Signatures(left, right, tau, k)
        if not signatures.possible or signatures.combinations * COMBINED > best.cost:
            continue
        if signatures.cost < best.cost:
            best = signatures
    return best


def blocks_of(left: Ragged, right: Ragged | None, w: int) -> tuple[Blocks, Blocks]:
    """The documents with their terms numbered by how rare they are, cut into blocks.

    Terms that only one side has are of no use.
    """
    sides = [left] if right is None else [left, right]
    values = [side.values[: side.offsets[-1]].astype(np.int64) for side in sides]
    most = 1 + max(int(one.max(initial=-1)) for one in values)
    if most > _SPARSE * sum(len(one) for one in values) + _TABLE:
        known = distinct(np.concatenate(values))
        values, most = [np.searchsorted(known, one) for one in values], len(known)
    counts = np.stack([np.bincount(one, minlength=most) for one in values])
    useful = np.flatnonzero((counts > 0).all(axis=0))
    order = useful[np.argsort(counts.sum(axis=0)[useful], kind="stable")]
    numbers = np.full(most, -1)
    numbers[order] = np.arange(len(order))
    made = [
        Blocks(numbers[one], side.offsets, w, stride_for(w))
        for one, side in zip(values, sides, strict=True)
    ]
    return made[0], made[-1]


def _together(pairs: list[Pairs]) -> Pairs:
    return np.concatenate([one[0] for one in pairs]), np.concatenate([one[1] for one in pairs])
