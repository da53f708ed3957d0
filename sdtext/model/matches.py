"""Similarities and scores, the match of two vectors, and what they share."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isqrt, sqrt
from typing import TYPE_CHECKING, Self

from sdtext.model.displayed_results import ShortFields
from sdtext.model.problems import Problem

if TYPE_CHECKING:
    from sdtext.model.fingerprints import Place

MIN_TERMS = 8
"""Vectors with fewer set bits than this have a score only if they are equal."""


TOLERANCE = 1e-12
"""By how much less than a minimum a similarity may be, which is rounded to a float."""


def least_score(similarity: float) -> int:
    """The lowest score that documents of at least that similarity have.

    >>> least_score(0.29), least_score(1.0)
    (29, 99)
    """
    return min(99, floor(round(100 * similarity, 9)))


class Similarity(float):
    """A similarity from 0 to 1 that is exact: a ratio of whole numbers, or its square root.

    It is the nearest float; `top / bottom` is the ratio.

    >>> half = Similarity(1, 4, root=True)
    >>> half.score, half, half > 0.3, f"{half:.2f}"
    (50, 0.5, True, '0.50')
    """

    __slots__ = ("bottom", "root", "top")
    top: int
    bottom: int
    root: bool

    def __new__(cls, top: int, bottom: int, root: bool = False) -> Self:  # noqa: FBT001, FBT002
        share = top / bottom
        similarity = super().__new__(cls, sqrt(share) if root else share)
        similarity.top, similarity.bottom, similarity.root = top, bottom, root
        return similarity

    def __reduce__(self) -> tuple[type[Self], tuple[int, int, bool]]:
        return type(self), (self.top, self.bottom, self.root)

    @classmethod
    def of_codes(cls, distance: int, bits: int) -> Similarity:
        """The Jaccard similarity estimated from the Hamming distance of b-bit MinHash codes.

        This holds for any b: if two sets differ in a slot, half of its bits agree by chance. The
        estimate is unbiased except where it would be below 0.

        >>> Similarity.of_codes(distance=10, bits=100).score
        80
        """
        return cls(max(0, bits - 2 * distance), bits)

    @property
    def score(self) -> int:
        """The similarity in whole per cent, rounded down, at most 99: by integers alone."""
        if self.root:
            return min(99, isqrt(10_000 * self.top // self.bottom))
        return min(99, 100 * self.top // self.bottom)


@dataclass(frozen=True)
class Match:
    """The similarity of two vectors, or the problem why they are not comparable.

    `common`, `left` and `right` count terms: shared, of the first and of the second vector.
    `similarity`, from 0 to 1, is None exactly when `problem` is not. `vectors` are the places
    of the vectors in their fingerprints, `segments` what they are of, None for a whole document.
    """

    similarity: Similarity | None
    common: int = 0
    left: int = 0
    right: int = 0
    problem: Problem | None = None
    vectors: tuple[int, int] = (0, 0)
    segments: tuple[Place | None, Place | None] = (None, None)

    @property
    def score(self) -> int | None:
        """The score from 0 to 99, None where the two are not comparable."""
        return None if self.similarity is None else self.similarity.score


@dataclass(frozen=True, slots=True, repr=False)
class SharedTerm(ShortFields):
    """A term that two documents share, or a run of shingles.

    `share` is what it contributes to what they share, by weight: from 0 to 1, the sum over all
    shared terms is 1. `idf` is its IDF in the dictionary, None where there is no dictionary.
    """

    term: str
    idf: float | None
    share: float
