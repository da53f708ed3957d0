"""Surprise: how far the common terms of two vectors exceed what chance explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.packed_bits import set_bits
from sdtext.model import Similarity
from sdtext.model.dictionary import Dictionary
from sdtext.parts.matchers import Matcher, Sums, idf_weights

SCALE = 30
"""The number of standard deviations that has the similarity √½, a score of 70."""


@dataclass(frozen=True)
class Surprise(Matcher):
    r"""How far the weight of the common terms exceeds what chance explains: z / √(z² + 30²).

    The weight of a term is its IDF, and z a number of standard deviations. A term of the one vector
    is in the other one by chance with probability min(0.9, df / N · bits of the other / mean number
    of bits). z is that of the direction in which it is smaller. Needs the dictionary.

    >>> from sdtext.model import PartSpec, RecipeSpec
    >>> frequencies = {"bee": 2, "dance": 1, "the": 8, "wax": 3}
    >>> dictionary = Dictionary.of(frequencies, 8, RecipeSpec(PartSpec("words")))
    >>> over = Surprise().over(dictionary)
    >>> over.similarity(over.weights[0] + over.weights[1], b"\x07", b"\x0b").score
    3
    """

    compares: ClassVar[str] = "vectors"
    needs_dictionary: ClassVar[bool] = True
    prefers_vectors: ClassVar[bool] = True
    least_terms: ClassVar[int] = 3
    """Vectors with fewer bits have a similarity only if they are equal."""

    def weights(self, dictionary: Dictionary | None) -> list[int]:
        """The IDF of each term as a whole number of 2**-20ths. MismatchError without one."""
        return idf_weights("surprise", dictionary)

    def over(self, dictionary: Dictionary | None) -> SurpriseOver:
        """What compares vectors of the dictionary. MismatchError without one."""
        weights = self.weights(dictionary)
        assert dictionary is not None  # noqa: S101 (refused by `weights`)
        return SurpriseOver(dictionary, weights)


@dataclass(frozen=True, eq=False)
class SurpriseOver:
    """Surprise for the vectors of a dictionary.

    Probabilities are whole multiples of 1 / (10 S), where S is the sum of all document frequencies:
    the mean number of bits is S / N. Terms of one document frequency have one weight and one
    probability, so that of a vector only its `profile` matters for chance: the number of its terms
    of each document frequency. Terms without weight are not counted in it.
    """

    dictionary: Dictionary
    weights: Sequence[int]

    def similarity(self, common: int, left: bytes, right: bytes) -> Similarity:
        """The similarity of two packed vectors; `common` is the sum of the common weights."""
        if left == right:
            return Similarity(1, 1)
        ways = [
            self._squared_deviations(common, *sides) for sides in ((left, right), (right, left))
        ]
        (top, bottom), (other_top, other_bottom) = ways
        if other_top * bottom < top * other_bottom:
            top, bottom = other_top, other_bottom
        return Similarity(top, top + SCALE * SCALE * bottom, root=True)

    def similarities(
        self, common: Sums, left: NDArray[np.uint8], right: NDArray[np.uint8]
    ) -> NDArray[np.float64]:
        """The similarity of each left with each right packed vector, correct to 8 digits or more.

        `common` has the sum of the common weights of each pair, a row for each left vector. Equal
        vectors are as others here.
        """
        profiles = [self._profiles(side) for side in (left, right)]
        sizes = [np.bitwise_count(side).sum(axis=1, dtype=np.int64) for side in (left, right)]
        deviations = np.minimum(
            self._deviations(common, profiles[0], sizes[1]),
            self._deviations(common.T, profiles[1], sizes[0]).T,
        )
        squares = np.maximum(deviations, 0.0) ** 2
        return np.asarray(np.sqrt(squares / (squares + SCALE * SCALE)), np.float64)

    def _squared_deviations(self, common: int, left: bytes, right: bytes) -> tuple[int, int]:
        """z² as a ratio of whole numbers: the terms of `left` are in `right` by chance."""
        unit, most = 10 * self._total, 9 * self._total
        bits = int.from_bytes(right, "little").bit_count()
        expected = variance = 0
        profile = self._profiles(np.frombuffer(left, np.uint8)[None])[0].astype(np.int64)
        rows = zip(profile.tolist(), self._weight_by_frequency.items(), strict=True)
        for number, (frequency, weight) in rows:
            chance = min(most, 10 * frequency * bits)
            expected += number * weight * chance
            variance += number * weight * weight * chance * (unit - chance)
        excess = max(0, common * unit - expected)
        return 4 * excess * excess, 4 * variance + (self._heaviest * unit) ** 2

    def _deviations(
        self, common: Sums, profiles: NDArray[np.float64], sizes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Z of each pair: a vector of each of `profiles`, one of each of `sizes` bits."""
        if not self._heaviest:
            return np.zeros(common.shape)
        distinct, places = np.unique(sizes, return_inverse=True)
        unit, most = 10 * self._total, 9 * self._total
        frequencies, weights = np.array([*self._weight_by_frequency.items()], np.float64).T
        chances = np.minimum(most, 10 * np.outer(distinct, frequencies)) / unit
        expected = profiles @ (weights * chances).T
        variance = profiles @ (weights * weights * chances * (1 - chances)).T
        spread = np.sqrt(variance + self._heaviest**2 / 4)
        return np.asarray((common - expected[:, places]) / spread[:, places], np.float64)

    @cached_property
    def _weight_by_frequency(self) -> dict[int, int]:
        """The weight of the terms of each document frequency that has one, ascending."""
        pairs = zip(self.dictionary.counts, self.weights, strict=True)
        return dict(sorted({(count, weight) for count, weight in pairs if weight}))

    @cached_property
    def _heaviest(self) -> int:
        """The greatest weight; above zero for every vector that has a weight."""
        return max(self.weights, default=0)

    @cached_property
    def _total(self) -> int:
        return sum(self.dictionary.counts)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """The place of each term in a profile; one behind the last for those without weight."""
        frequencies = np.array([*self._weight_by_frequency], np.int64)
        places = np.searchsorted(frequencies, np.array(self.dictionary.counts, np.int64))
        return np.where(np.array(self.weights, bool), places, len(frequencies))

    def _profiles(self, packed: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The profile of each packed vector, as whole numbers in floats."""
        bits, width = set_bits(packed), len(self._weight_by_frequency) + 1
        places = bits.owners * width + self._places[bits.values]
        flat = np.bincount(places, minlength=len(packed) * width)
        return flat.reshape(len(packed), width)[:, :-1].astype(np.float64)
