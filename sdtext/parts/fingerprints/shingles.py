"""The exact fingerprint: all shingles of a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sdtext.kernels.arrays.ragged import Ragged, sorted_distinct


@dataclass(frozen=True)
class Shingles:
    """The sorted set of the 64-bit hashes of all shingles.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> [row.tolist() for row in Shingles()(Ragged.of([[7, 3, 7], []]))]
    [[3, 7], []]
    """

    kind: ClassVar[str] = "shingles"

    def __call__(self, shingles: Ragged) -> Ragged:
        return sorted_distinct(shingles)
