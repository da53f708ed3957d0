"""Matchers: the similarity of two sets of terms, two vectors, two token sequences, or two codes.

`compares` says of what. A matcher of

- "sets" is a `SetMatcher`: it is called with the sum over the common terms and the sum over the
  terms of either side;
- "vectors", as `Surprise`, has the method `over(dictionary)`, which gives what compares vectors;
- "sequences" has the method `of_sequences(left, right, minimum)`, of two texts given as tokens;
- "codes" has the method `of_codes(left, right, bits)`.

The last three raise MismatchError where they are called with sums.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import MismatchError
from sdtext.model import Similarity
from sdtext.model.dictionary import Dictionary

Sums = NDArray[Any]
"""Sums over the terms of many pairs: whole numbers, or floats that hold them."""


class Matcher:
    """The members of every matcher, a frozen dataclass whose fields are its options."""

    compares: ClassVar[str] = "sets"
    symmetric: ClassVar[bool] = True
    """Whether left and right can change places; equal sets then have the similarity 1."""
    needs_dictionary: ClassVar[bool] = False
    """Whether terms have weights from a dictionary, so that only bit vectors can be compared."""
    weighs_shingles: ClassVar[bool] = False
    """Whether shingles are compared, too, with weights by how many documents have them."""
    prefers_vectors: ClassVar[bool] = False
    """Whether bit vectors are compared where a collection has shingles, too."""
    is_of_jaccard: ClassVar[bool] = False
    """Whether the Jaccard similarity alone determines the similarity, so that sketches estimate
    it."""

    def __call__(self, common: int, left: int, right: int) -> Similarity:  # noqa: ARG002 (contract)
        """The similarity by sums; MismatchError where more than these is compared."""
        raise MismatchError(
            f"a matcher of {self.compares} compares more than numbers of common terms; use another"
        )

    def weights(self, dictionary: Dictionary | None) -> list[int] | None:  # noqa: ARG002 (contract)
        """The weight of each term in the sums; None stands for 1."""
        return None


def idf_weights(part: str, dictionary: Dictionary | None, power: float = 1.0) -> list[int]:
    """The weights of the terms of a dictionary for a part. MismatchError without one."""
    if dictionary is None:
        raise MismatchError(f"{part} needs the dictionary for its weights; name it, or use cosine")
    return dictionary.weights(power)


class SetMatcher(Matcher):
    """The members of every matcher of sets, with defaults for all but the ratio itself.

    A matcher states its formula once, by arithmetic that holds for numbers and for arrays of them.
    More in common must never mean less similar. The bounds make a search faster.

    >>> class Jaccard(SetMatcher):
    ...     def ratio(self, common, left, right):
    ...         return common, left + right - common
    >>> Jaccard().similarities(np.array([30, 0]), np.array([60, 5]), np.array([60, 5])).round(2)
    array([0.33, 0.  ])
    """

    of_squares: ClassVar[bool] = False
    """Whether the ratio is the square of the similarity."""

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        """Two whole numbers, or arrays, whose ratio is the similarity; the sides are above zero."""
        raise NotImplementedError

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        """The similarity; `left` and `right` are above zero."""
        top, bottom = self.ratio(common, left, right)
        return Similarity(int(top), int(bottom), root=self.of_squares)

    def similarities(self, common: Sums, left: Sums, right: Sums) -> NDArray[np.float64]:
        """The similarity of each pair of arrays that broadcast, correct to 8 digits or more."""
        top, bottom = self.ratio(common, left, right)
        values = np.asarray(top / bottom, np.float64)
        return np.sqrt(values) if self.of_squares else values

    def least_jaccard(self, similarity: float) -> float:  # noqa: ARG002 (contract)
        """A lower bound of the Jaccard similarity of two sets of that similarity or more.

        It chooses the LSH bands. By default 0, which is no bound: no bands are used.
        """
        return 0.0

    def least_share(self, similarity: float) -> float:
        """A lower bound of the share of its terms that a set has in common with the other.

        It bounds the prefixes of the exact join. The set is the smaller one; of a matcher that is
        not symmetric, the left one. By default `least_jaccard`; with 0 all pairs that have
        anything in common are compared.
        """
        return self.least_jaccard(similarity)

    def least_common(self, similarity: float, left: Sums, right: Sums) -> NDArray[np.float64]:  # noqa: ARG002 (contract)
        """A lower bound of the sum over common terms of pairs of that similarity or more.

        `left` and `right` are arrays that broadcast, of the sums over the terms of either side. The
        bound must hold wherever the right side has that sum or a greater one. It selects columns of
        bit vectors. By default 0, which is no bound: all vectors are compared.
        """
        return np.zeros(np.broadcast_shapes(np.shape(left), np.shape(right)))
