"""Indexes: settings of the selection of candidates, which `search` and `reuse` carry out.

Every index gives the probability of finding a pair: `probability` for one similarity, `curve` for
all of them.
"""

from __future__ import annotations

from dataclasses import Field, dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Index(Protocol):
    """The members of every index."""

    def probability(self, jaccard: float, slots: int) -> float:
        """The probability of finding a pair of that similarity with sketches of `slots`."""

    def curve(self, slots: int) -> list[tuple[float, float]]:
        """The probability for each of the similarities in `STEPS`."""


@runtime_checkable
class Banding(Index, Protocol):
    """The members of an index with LSH bands, a frozen dataclass with these fields."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def similarity(self) -> float:
        """The Jaccard similarity of pairs that are found with the probability `recall`."""

    @property
    def recall(self) -> float:
        """Used where no `bands` are given."""

    @property
    def bands(self) -> int:
        """The number of bands; 0 if it follows from similarity and recall."""

    @property
    def hash(self) -> str:
        """The hash function of band keys."""

    @property
    def modulus(self) -> int:
        """The modulus of the hash, if it has one."""

    def layout(self, slots: int) -> tuple[int, int]:
        """The bands, and the rows of each, for sketches of `slots`."""

    def keys(self, sketches: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """The keys of documents, of shape (documents, bands)."""


STEPS = tuple(step / 20 for step in range(21))
"""The similarities for which a curve is given: 0, 0.05, … 1."""


@dataclass(frozen=True)
class Scan:
    """Every pair is compared: for bit vectors, and for few documents.

    >>> Scan().probability(0.1, slots=128)
    1.0
    """

    def probability(self, jaccard: float, slots: int) -> float:  # noqa: ARG002 (as in bands)
        """1: every pair is compared."""
        return 1.0

    def curve(self, slots: int) -> list[tuple[float, float]]:
        """The probability for each of the similarities of a curve."""
        return [(jaccard, self.probability(jaccard, slots)) for jaccard in STEPS]


@dataclass(frozen=True)
class ColumnIndex:
    """A column of bits for each term of the dictionary: for bit vectors, exact.

    >>> ColumnIndex().probability(0.1, slots=128)
    1.0
    """

    def probability(self, jaccard: float, slots: int) -> float:  # noqa: ARG002 (as in bands)
        """1: no similar pair is missed."""
        return 1.0

    def curve(self, slots: int) -> list[tuple[float, float]]:
        """The probability for each of the similarities of a curve."""
        return [(jaccard, self.probability(jaccard, slots)) for jaccard in STEPS]
