"""Fingerprints that lose nothing of a set: a bit for each term, and all shingles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.packed_bits import pack
from sdtext.kernels.arrays.ragged import Ragged, sorted_distinct
from sdtext.model import Vector
from sdtext.model.dictionary import Dictionary


@dataclass(frozen=True)
class BitVector:
    r"""Bit i is set when term i of the dictionary occurs among the terms.

    >>> from sdtext.model import PartSpec, RecipeSpec
    >>> recipe = RecipeSpec(PartSpec("words"))
    >>> dictionary = Dictionary.of({"union": 3, "faction": 1, "senate": 2}, 8, recipe)
    >>> BitVector()(["the", "union", "of", "faction"], dictionary).packed
    b'\x05'
    """

    kind: ClassVar[str] = "bitvector"

    def __call__(self, terms: Iterable[str], dictionary: Dictionary) -> Vector:
        places = dictionary.places
        return self.of_places([places[term] for term in terms if term in places], dictionary)

    def of_places(
        self, places: Sequence[int] | NDArray[np.integer[Any]], dictionary: Dictionary
    ) -> Vector:
        """The vector of the terms at these places of the dictionary."""
        return Vector(pack(places, len(dictionary.terms)), len(dictionary.terms), dictionary.guid)


@dataclass(frozen=True)
class Shingles:
    """The sorted set of the 64-bit hashes of all shingles.

    >>> [row.tolist() for row in Shingles()(Ragged.of([[7, 3, 7], []]))]
    [[3, 7], []]
    """

    kind: ClassVar[str] = "shingles"

    def __call__(self, shingles: Ragged) -> Ragged:
        return sorted_distinct(shingles)
