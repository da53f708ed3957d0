"""Indexes: which pairs of fingerprints are worth a comparison.

What every index says is how likely it finds a pair: `probability` for one similarity, `curve`
for all of them.
"""

from __future__ import annotations

from dataclasses import Field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Index(Protocol):
    """What every index offers."""

    def probability(self, jaccard: float, slots: int) -> float:
        """How likely a pair of that similarity is found by sketches of `slots`."""

    def curve(self, slots: int) -> list[tuple[float, float]]:
        """The probability for each of the similarities in `STEPS`."""


@runtime_checkable
class Banding(Index, Protocol):
    """What an index offers that cuts sketches into bands: a frozen dataclass with these fields."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def similarity(self) -> float:
        """The Jaccard similarity of pairs that are found with the probability `recall`."""

    @property
    def recall(self) -> float:
        """Used where no `bands` are given."""

    @property
    def bands(self) -> int:
        """How many bands there are; 0 where they follow from similarity and recall."""

    @property
    def hash(self) -> str:
        """What makes a band a key."""

    @property
    def modulus(self) -> int:
        """That of the hash, where it has one."""

    def layout(self, slots: int) -> tuple[int, int]:
        """The bands, and the rows of each, for sketches of `slots`."""

    def keys(self, sketches: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """The keys of documents, of shape (documents, bands)."""


STEPS = tuple(step / 20 for step in range(21))
"""The similarities for which a curve is given: 0, 0.05, … 1."""
