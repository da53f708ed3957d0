"""Brute force: every pair is compared."""

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
