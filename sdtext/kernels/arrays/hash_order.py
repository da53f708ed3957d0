"""The stable order of hashes, by a radix sort: its time is linear, which that of `argsort` is not.

NumPy sorts numbers of 16 bits by their digits, larger ones by comparisons. So hashes are ordered by
the two halves of their upper 32 bits, which tell nearly all apart, and by comparison only where
hashes that agree in these are left in the wrong order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import distinct

Hashes = NDArray[np.uint64]
_BITS = 64


def stable_order(hashes: Hashes) -> NDArray[np.int64]:
    """The places of the hashes in ascending order, equal ones in the order of their places.

    The same as `np.argsort(hashes, kind="stable")`.

    >>> stable_order(np.array([7, 3, 7, 1], np.uint64)).tolist()
    [3, 1, 0, 2]
    """
    upper = _upper_half(hashes)
    order = np.argsort(upper.astype(np.uint16), kind="stable")
    order = order[np.argsort((upper >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]
    ordered = hashes[order]
    wrong = np.flatnonzero(ordered[1:] < ordered[:-1])
    if len(wrong):
        _correct(order, ordered, upper[order], wrong)
    return order


def _upper_half(hashes: Hashes) -> NDArray[np.uint32]:
    """The upper 32 bits of those in which the hashes differ: leading bits may be the same."""
    least = hashes.min(initial=np.iinfo(np.uint64).max)
    span = int(hashes.max(initial=0)) - int(least)
    free = min(_BITS - span.bit_length(), _BITS - 1) if span > 0 else 0
    leading: Hashes = (hashes - least) << np.uint64(free)
    return (leading >> np.uint64(32)).astype(np.uint32)


def _correct(
    order: NDArray[np.int64], ordered: Hashes, upper: NDArray[np.uint32], wrong: NDArray[np.int64]
) -> None:
    """Order the runs of equal `upper` halves that have a hash in the wrong place."""
    halves = distinct(upper[wrong])
    begins, ends = (np.searchsorted(upper, halves, side) for side in ("left", "right"))
    lengths = ends - begins
    stops = np.cumsum(lengths)
    inside = np.arange(stops[-1]) + np.repeat(begins - stops + lengths, lengths)
    order[inside] = order[inside][np.argsort(ordered[inside], kind="stable")]
