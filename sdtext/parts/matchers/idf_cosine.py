"""The cosine of two bit vectors whose terms have weights by their IDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import MismatchError, OptionError
from sdtext.model import Similarity
from sdtext.model.dictionary import Dictionary
from sdtext.parts.matchers import SetMatcher, Sums
from sdtext.parts.matchers.sets import angle, cosines


@dataclass(frozen=True)
class IdfCosine(SetMatcher):
    """The cosine with coordinates idf**power in place of 1 (negative IDF counts as 0).

    A rare term that two documents share says more than a common one. The weights are whole
    numbers of 2**-20ths, so that the score is the same on every machine. Needs the dictionary.

    >>> IdfCosine()(30, 60, 60).score
    50
    """

    power: float = 1.0
    is_metric: ClassVar[bool] = True
    needs_dictionary: ClassVar[bool] = True
    prefers_vectors: ClassVar[bool] = True

    def __post_init__(self) -> None:
        # Up to 2 the square of a weight fits in 64 bits for any number of documents.
        if not 0 < self.power <= 2:
            raise OptionError.of("idf-cosine", "power", self.power, "above 0 and at most 2")

    def weights(self, dictionary: Dictionary | None) -> list[int]:
        """The squares of the coordinates. MismatchError without a dictionary."""
        if dictionary is None:
            raise MismatchError(
                "idf-cosine needs the dictionary for its weights; name it with -d, or use -m cosine"
            )
        return [weight * weight for weight in dictionary.weights(self.power)]

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        return Similarity(common * common, left * right, root=True)

    def similarities(self, common: Sums, left: Sums, right: Sums) -> NDArray[np.float64]:
        """The cosine √(c² / (a · b)) of each pair of sums of weights."""
        return cosines(common, left, right)

    def distance(self, common: int, left: int, right: int) -> float:
        """The angle between the two, as a share of half a turn; terms without weight are none."""
        return angle(common, left, right)
