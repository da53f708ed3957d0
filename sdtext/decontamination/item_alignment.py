"""The alignment of an item with words of a text: which of its words are there, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.sequence_algorithms import best_run

_UNIT = 1 << 20  # the weight 1 as a whole number
_GAP = 0.25  # what a word between two equal ones costs, in mean weights of the item's words


@dataclass(frozen=True)
class Alignment:
    """How much of an item stands in words `start` to `end` of a text, a half-open range.

    `words` of the item are there, and `weight` is the sum of their weights.
    """

    start: int
    end: int
    words: int
    weight: float


def align(
    item: Sequence[int], weights: Sequence[float] | NDArray[np.float64], text: Sequence[int]
) -> Alignment | None:
    """The best local alignment of equal words; None if no word is equal.

    Words are numbers. A longest common subsequence is cut to the run with the greatest sum: equal
    words count by their weights, and words between them cost.

    >>> align([1, 2, 3, 4], [1.0] * 4, [9, 4, 8, 8, 8, 8, 1, 2, 7, 4])
    Alignment(start=6, end=10, words=3, weight=3.0)
    """
    pairs = np.array(_equal_places(item, text), np.int64).reshape(-1, 2)
    if not len(pairs):
        return None
    weight = np.asarray(weights)
    gains = weight[pairs[:, 0]]
    steps = np.zeros(2 * len(pairs) - 1, np.int64)
    steps[::2] = np.rint((gains + 1e-6) * _UNIT)
    between = (pairs[1:] - pairs[:-1] - 1).max(1)
    steps[1::2] = -np.rint(between * (_GAP * weight.mean() * _UNIT))
    start, end = best_run(steps)
    start, end = (start + 1) // 2, (end + 1) // 2
    run = slice(start, end)
    return Alignment(
        int(pairs[start, 1]), int(pairs[end - 1, 1]) + 1, end - start, float(gains[run].sum())
    )


def _equal_places(item: Sequence[int], text: Sequence[int]) -> list[tuple[int, int]]:
    """The places of equal words in a longest common subsequence."""
    if item == text:
        return [(place, place) for place in range(len(item))]
    from rapidfuzz.distance import LCSseq

    return [
        (block.src_start + step, block.dest_start + step)
        for block in LCSseq.opcodes(item, text)
        if block.tag == "equal"
        for step in range(block.src_end - block.src_start)
    ]
