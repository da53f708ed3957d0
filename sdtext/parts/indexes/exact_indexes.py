"""Indexes of bit vectors that miss no pair: exhaustive scan, bit-sliced columns."""

from __future__ import annotations

from dataclasses import dataclass

from sdtext.parts.indexes import STEPS


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
