"""Matchers of sets by the size of the intersection c and the sizes a and b of both sets."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.model.dictionary import Dictionary
from sdtext.parts.matchers import SetMatcher, Sums, idf_weights
from sdtext.parts.option_values import Within


@dataclass(frozen=True)
class Cosine(SetMatcher):
    """The cosine of the angle between two bit vectors: c / √(a · b) (Ochiai's coefficient).

    >>> Cosine()(30, 60, 60).score
    50
    """

    prefers_vectors: ClassVar[bool] = True
    of_squares: ClassVar[bool] = True

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        """The square c² / (a · b)."""
        return common * common, left * right

    def least_jaccard(self, similarity: float) -> float:
        """The bound s², reached where one set lies in the other, c = a = s² · b."""
        return similarity * similarity

    def least_common(self, similarity: float, left: Sums, right: Sums) -> NDArray[np.float64]:
        """The bound s√(a · b)."""
        return np.asarray(similarity * np.sqrt(left * right), np.float64)


@dataclass(frozen=True)
class Jaccard(SetMatcher):
    """The number of common terms divided by that of all terms: c / (a + b - c).

    >>> Jaccard()(30, 60, 60).score
    33
    """

    is_of_jaccard: ClassVar[bool] = True

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        return common, left + right - common

    def least_jaccard(self, similarity: float) -> float:
        """The similarity itself."""
        return similarity

    def least_common(self, similarity: float, left: Sums, right: Sums) -> NDArray[np.float64]:
        """The bound s(a + b) / (1 + s)."""
        return np.asarray(similarity * (left + right) / (1 + similarity), np.float64)


@dataclass(frozen=True)
class _Weighted(SetMatcher):
    """The members of matchers by idf**power: terms are weighted, so numbers of them say nothing."""

    # Up to 2 the weights of a million terms, or their squares, add up in 64 bits.
    power: Annotated[float, Within(above=0, most=2)] = 1.0
    part: ClassVar[str]
    needs_dictionary: ClassVar[bool] = True

    def least_jaccard(self, similarity: float) -> float:  # noqa: ARG002 (contract)
        return 0.0

    def weights(self, dictionary: Dictionary | None) -> list[int]:
        return idf_weights(self.part, dictionary, self.power)


@dataclass(frozen=True)
class IdfCosine(_Weighted, Cosine):
    """The cosine with coordinates idf**power in place of 1 (negative IDF counts as 0).

    A shared rare term is stronger evidence than a shared common one. Weights are multiples of
    2**-20, so that the score is the same on every machine. Needs the dictionary.

    >>> IdfCosine()(30, 60, 60).score
    50
    """

    part: ClassVar[str] = "idf-cosine"

    def weights(self, dictionary: Dictionary | None) -> list[int]:
        """The squares of the coordinates. MismatchError without a dictionary."""
        return [weight**2 for weight in super().weights(dictionary)]


@dataclass(frozen=True)
class IdfJaccard(_Weighted, Jaccard):
    """The Jaccard similarity with weights by rarity: weight of common terms / that of all terms.

    What many documents have, such as a template, counts little. In collections of shingles, a
    shingle that df of N different documents have weighs ln((N + 1) / df)**power; a pair must reach
    the minimum without weights, too. Of bit vectors, terms weigh idf**power by the dictionary.

    >>> IdfJaccard()(30, 60, 60).score
    33
    """

    part: ClassVar[str] = "idf-jaccard"
    is_of_jaccard: ClassVar[bool] = False
    weighs_shingles: ClassVar[bool] = True


@dataclass(frozen=True)
class Exact(SetMatcher):
    """1 when the terms are the same, else 0.

    >>> Exact()(60, 60, 60).score, Exact()(59, 60, 60).score
    (99, 0)
    """

    prefers_vectors: ClassVar[bool] = True

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        return (common == left) & (common == right), 1

    def least_jaccard(self, similarity: float) -> float:  # noqa: ARG002 (contract)
        """1: for every similarity above 0 the sets are equal."""
        return 1.0

    def least_common(self, similarity: float, left: Sums, right: Sums) -> NDArray[np.float64]:  # noqa: ARG002 (contract)
        """The sum of the left side, for every similarity above 0."""
        return np.asarray(left + 0 * right, np.float64)


@dataclass(frozen=True)
class Containment(SetMatcher):
    """The share of the first set that is in the second: c / a.

    >>> Containment()(30, 60, 600).score
    50
    """

    symmetric: ClassVar[bool] = False

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        """The share c / a, of the shape of all three."""
        return common, left + 0 * right

    def least_share(self, similarity: float) -> float:
        """The similarity itself; the Jaccard similarity has no bound."""
        return similarity

    def least_common(self, similarity: float, left: Sums, right: Sums) -> NDArray[np.float64]:
        """The bound s · a."""
        return np.asarray(similarity * left + 0 * right, np.float64)


@dataclass(frozen=True)
class Dice(SetMatcher):
    """The number of common terms divided by the mean size: 2c / (a + b).

    >>> Dice()(30, 40, 60).score
    60
    """

    is_of_jaccard: ClassVar[bool] = True

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        return 2 * common, left + right

    def least_jaccard(self, similarity: float) -> float:
        """The bound s / (2 - s), since dice is 2j / (1 + j) of the Jaccard similarity j."""
        return similarity / (2 - similarity)

    def least_common(self, similarity: float, left: Sums, right: Sums) -> NDArray[np.float64]:
        """The bound s(a + b) / 2."""
        return np.asarray(similarity * (left + right) / 2, np.float64)


@dataclass(frozen=True)
class Overlap(SetMatcher):
    """The share of the smaller set that is in the larger one: c / min(a, b).

    >>> Overlap()(30, 60, 600).score, Overlap()(30, 600, 60).score
    (50, 50)
    """

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        return common, left * (left <= right) + right * (right < left)

    def least_share(self, similarity: float) -> float:
        """The similarity itself; the Jaccard similarity has no bound."""
        return similarity

    def least_common(self, similarity: float, left: Sums, right: Sums) -> NDArray[np.float64]:
        """The bound s · min(a, b)."""
        return np.asarray(similarity * np.minimum(left, right), np.float64)
