"""The design effect of pairs of documents, which are not independent of each other.

A document that resembles many others by chance raises the scores of all its pairs. The variance of
the share of pairs that reach a score is therefore estimated with pairs that have a document in
common as dependent (M. Fafchamps, F. Gubert: "The formation of risk sharing networks", Journal of
Development Economics 83(2), 2007). Divided by the variance of independent pairs, it is the design
effect (L. Kish: "Survey Sampling", 1965).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FEW = 10  # pairs, or documents, from which dependence is estimated

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DependentPairs:
    """Pairs of documents, by their numbers, and their scores.

    Pairs of low scores need not be listed: `compared` has for each document the number of all its
    pairs, one with itself being one pair; `number` is that of all pairs, and `repeats` the mean
    number of pairs of the same two documents.
    """

    left: Numbers
    right: Numbers
    score: NDArray[Any]
    compared: Numbers
    number: int
    repeats: float = 1.0

    @classmethod
    def of(cls, left: Numbers, right: Numbers, score: NDArray[Any]) -> DependentPairs:
        """Pairs that are all listed."""
        compared = _of_documents(left, right, 0)
        distinct = len(np.unique(_codes(left, right, len(compared))))
        return cls(left, right, score, compared, len(left), len(left) / max(1, distinct))

    @property
    def documents(self) -> int:
        """The number of documents that are in pairs."""
        return int((self.compared > 0).sum())

    def independent(self, cuts: Sequence[int]) -> list[int]:
        """For each of the ascending `cuts` the number of independent pairs that tell as much.

        As much, that is, about the share of pairs that score the cut or more. Where fewer than ten
        reach it, the number is that of the highest cut that enough pairs reach; without one, it is
        the number of documents.

        >>> left, right = np.triu_indices(30, 1)
        >>> DependentPairs.of(left, right, 1 * (left == 7)).independent([0, 1])
        [30, 21]
        """
        last = self.documents
        numbers = []
        order = np.argsort(-self.score, kind="stable")
        left, right, score = self.left[order], self.right[order], self.score[order]
        for cut in cuts:
            reached = int(np.searchsorted(-score, -cut, "right"))
            if _FEW <= reached < self.number:
                effect = self._design_effect(left[:reached], right[:reached])
                last = int(self.number / effect)
            numbers.append(last)
        return numbers

    def _design_effect(self, left: Numbers, right: Numbers) -> float:
        """By how much the variance of the share of these pairs exceeds that of independent ones."""
        share = len(left) / self.number
        of_documents = _of_documents(left, right, len(self.compared)) - share * self.compared
        # Pairs of the same two documents are in the sums of both, but have to count once.
        different = left != right
        codes = _codes(left[different], right[different], len(self.compared))
        _, same = np.unique(codes, return_counts=True)
        pairs = int(self.compared.sum()) - self.number  # of two: one with itself is counted once
        expected = self.repeats * share * (share * pairs - 2 * len(codes))
        twice = float((same**2).sum()) + expected
        variance = float((of_documents**2).sum()) - twice
        return max(1.0, variance / (self.number * share * (1 - share)))


def _of_documents(left: Numbers, right: Numbers, length: int) -> Numbers:
    """For each document the number of its pairs, one with itself being one."""
    ends = np.concatenate([left, right[right != left]])
    return np.bincount(ends, minlength=length)


def _codes(left: Numbers, right: Numbers, documents: int) -> Numbers:
    """A number for each pair, the same for all pairs of the same two documents."""
    return np.asarray(np.minimum(left, right) * documents + np.maximum(left, right))


def independent_cases(successes: Numbers, cases: Numbers) -> int:
    """The number of independent cases that tell as much as those of some documents.

    `successes` and `cases` are numbers for each document, whose cases are dependent. With fewer
    than ten successes or failures, it is the number of documents.

    >>> independent_cases(np.repeat([0, 10], [90, 10]), np.full(100, 10))
    100
    """
    total, number = int(successes.sum()), int(cases.sum())
    documents = int((cases > 0).sum())
    if min(total, number - total) < _FEW:
        return documents
    share = total / number
    variance = float(((successes - share * cases) ** 2).sum())
    return int(number / max(1.0, variance / (number * share * (1 - share))))
