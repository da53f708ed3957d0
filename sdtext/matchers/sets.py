"""Matchers of two sets by the sizes of their common part and of themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sdtext.model import Similarity

if TYPE_CHECKING:
    from sdtext.dictionary import Dictionary


@dataclass(frozen=True)
class _OfSets:
    symmetric: ClassVar[bool] = True

    def weights(self, dictionary: Dictionary | None) -> None:
        """Each term counts 1."""


@dataclass(frozen=True)
class Cosine(_OfSets):
    """The cosine of the angle between two bit vectors: c / √(a · b) (Ochiai's coefficient).

    >>> Cosine()(30, 60, 60).score
    50
    """

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        return Similarity(common * common, left * right, root=True)


@dataclass(frozen=True)
class Exact(_OfSets):
    """1 when the terms are the same, else 0.

    >>> Exact()(60, 60, 60).score, Exact()(59, 60, 60).score
    (99, 0)
    """

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        return Similarity(int(common == left == right), 1)


@dataclass(frozen=True)
class Jaccard(_OfSets):
    """The common terms as a share of all: c / (a + b - c).

    >>> Jaccard()(30, 60, 60).score
    33
    """

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
