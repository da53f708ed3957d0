"""Matchers of two sets by the sizes of their common part and of themselves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import atan2, pi, sqrt
from typing import ClassVar

from sdtext.model import Similarity
from sdtext.model.dictionary import Dictionary


@dataclass(frozen=True)
class _OfSets:
    symmetric: ClassVar[bool] = True
    compares: ClassVar[str] = "sets"
    is_metric: ClassVar[bool] = False

    def weights(self, dictionary: Dictionary | None) -> None:
        """Each term counts 1."""

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        raise NotImplementedError  # each matcher has its own

    def distance(self, common: int, left: int, right: int) -> Fraction | float:
        """What the similarity lacks of 1."""
        found = self(common, left, right)
        return 1 - Fraction(found.top, found.bottom)


@dataclass(frozen=True)
class Cosine(_OfSets):
    """The cosine of the angle between two bit vectors: c / √(a · b) (Ochiai's coefficient).

    Its distance is the angle, as a share of half a turn.

    >>> Cosine()(30, 60, 60).score, round(Cosine().distance(30, 60, 60), 6)
    (50, 0.333333)
    """

    is_metric: ClassVar[bool] = True

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        return Similarity(common * common, left * right, root=True)

    def distance(self, common: int, left: int, right: int) -> float:
        """The angle between the two, as a share of half a turn: arccos(similarity) / π."""
        return angle(common, left, right)


@dataclass(frozen=True)
class Exact(_OfSets):
    """1 when the terms are the same, else 0.

    >>> Exact()(60, 60, 60).score, Exact()(59, 60, 60).score
    (99, 0)
    """

    is_metric: ClassVar[bool] = True

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        return Similarity(int(common == left == right), 1)


@dataclass(frozen=True)
class Jaccard(_OfSets):
    """The common terms as a share of all: c / (a + b - c).

    >>> Jaccard()(30, 60, 60).score, Jaccard().distance(30, 60, 60)
    (33, Fraction(2, 3))
    """

    is_metric: ClassVar[bool] = True

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        return Similarity(common, left + right - common)


@dataclass(frozen=True)
class Containment(_OfSets):
    """The share of the first set that is in the second: c / a.

    >>> Containment()(30, 60, 600).score
    50
    """

    symmetric: ClassVar[bool] = False

    def __call__(self, common: int, left: int, right: int) -> Similarity:  # noqa: ARG002 (as above)
        return Similarity(common, left)


@dataclass(frozen=True)
class Dice(_OfSets):
    """The common terms as a share of the mean size: 2c / (a + b).

    >>> Dice()(30, 40, 60).score
    60
    """

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        return Similarity(2 * common, left + right)


@dataclass(frozen=True)
class Overlap(_OfSets):
    """The share of the smaller set that is in the larger one: c / min(a, b).

    >>> Overlap()(30, 60, 600).score, Overlap()(30, 600, 60).score
    (50, 50)
    """

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        return Similarity(common, min(left, right))


def angle(common: int, left: int, right: int) -> float:
    """The angle between two vectors, from their product and their squares, as a share of π.

    It is 0 for vectors of one direction alone, however long they are, for integers tell.

    >>> angle(1, 1, 1), angle(0, 1, 1)
    (0.0, 0.5)
    """
    return atan2(sqrt(left * right - common * common), common) / pi
