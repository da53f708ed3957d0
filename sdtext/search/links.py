"""Pairs of documents that are alike, as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdtext.model import Problem
from sdtext.search.buckets import Sides
from sdtext.search.question import Curve
from sdtext.search.scoring import Scores


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of documents that are alike: their numbers, score and similarity, as columns.

    They stand in the order of the numbers. Within one collection the left number is the smaller,
    but for a matcher that is not symmetric. `how` says in a sentence how they were found, `curve`
    how likely that was, as in `Pairs`.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    score: NDArray[np.int64]
    similarity: NDArray[np.float64]
    problems: tuple[Problem, ...] = ()
    how: str = ""
    curve: Curve = ()

    def __len__(self) -> int:
        return len(self.left)

    @classmethod
    def of(cls, pair: Sides, scores: Scores, *, turns: bool) -> Links:
        """The links of pairs of numbers, in order; with `turns` the smaller goes to the left."""
        left, right = pair
        if turns:
            left, right = np.minimum(left, right), np.maximum(left, right)
        order = np.lexsort((right, left))
        ordered = scores.taken(order)
        return cls(left[order], right[order], ordered.score, ordered.similarity)

    def told(self, problems: Iterable[Problem], how: str, curve: Curve = ()) -> Links:
        """The same with what a person should know of them."""
        return replace(self, problems=tuple(problems), how=how, curve=curve)
