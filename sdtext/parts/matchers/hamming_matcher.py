"""Matcher of codes by Hamming distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn

from sdtext.errors import MismatchError
from sdtext.kernels.hamming.distances import distance_plain
from sdtext.model import Similarity
from sdtext.model.dictionary import Dictionary


@dataclass(frozen=True)
class Hamming:
    """The Jaccard similarity estimated from two codes of `bbit`: 1 - 2d / (bits of a code).

    d is the Hamming distance, the number of bits that differ. Of the b bits of a slot that differs,
    half differ on average, so the estimate is unbiased for every b; values below 0 become 0. The
    distance is a metric.

    >>> Hamming().distance(bytes([0b1101, 0]), bytes([0b1011, 1]))
    3
    >>> Hamming().of_codes(bytes([0b1101, 0]), bytes([0b1011, 1]), bits=16).score
    62
    """

    symmetric: ClassVar[bool] = True
    compares: ClassVar[str] = "codes"
    is_metric: ClassVar[bool] = True

    def weights(self, dictionary: Dictionary | None) -> None:
        """Each bit counts 1."""

    def __call__(self, common: int, left: int, right: int) -> NoReturn:  # noqa: ARG002 (contract)
        """MismatchError: sets are no codes."""
        raise MismatchError(
            "hamming compares codes of sentences, which are neither bit vectors nor sets of "
            "shingles; use another matcher"
        )

    def of_codes(self, left: bytes, right: bytes, bits: int) -> Similarity:
        """The similarity of two codes of so many bits; bits left over in the last byte are 0."""
        return Similarity.of_codes(self.distance(left, right), bits)

    def distance(self, left: bytes, right: bytes) -> int:
        """The Hamming distance of two codes of one length."""
        return distance_plain(left, right)
