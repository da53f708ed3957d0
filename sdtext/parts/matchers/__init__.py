"""Matchers: how alike two sets of terms are, from sums over them; or two sequences, or codes.

A matcher that `compares` "sets" is called with the sum over the common terms and over each side's,
and gives a `Similarity` from 0 to 1. What is summed, `weights` says: None stands for 1 a term. A
`symmetric` matcher gives the same either way round, and 1 for equal sets.

One that `compares` "sequences" has the method `of_sequences(left, right, minimum)` in place of
that, one of "codes" the method `of_codes(left, right, bits)`;
to be called with sums is a MismatchError.

`distance` says, of the same arguments, how unlike the two are: 0 for equal ones. Where `is_metric`
is true, it keeps the triangle inequality, too, so that an index may rely on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from sdtext.model import Similarity
from sdtext.model.dictionary import Dictionary

if TYPE_CHECKING:
    from fractions import Fraction


class Matcher(Protocol):
    """What every matcher of sets offers."""

    @property
    def symmetric(self) -> bool:
        """Whether left and right can change places."""

    @property
    def is_metric(self) -> bool:
        """Whether the distance is a metric."""

    def weights(self, dictionary: Dictionary | None) -> list[int] | None:
        """What each term counts for in the sums; None stands for 1."""

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        """The similarity; `left` and `right` are above zero."""

    def distance(self, common: int, left: int, right: int) -> Fraction | float:
        """The distance; `left` and `right` are above zero."""


class SequenceMatcher(Protocol):
    """What a matcher of sequences offers."""

    def of_sequences(
        self, left: Sequence[str], right: Sequence[str], minimum: int = 0
    ) -> Similarity:
        """The similarity of two texts, given as their tokens.

        One that scores less than `minimum` may be given as another that does. MismatchError where
        these two are too long for it.
        """

    def distance(self, left: Sequence[str], right: Sequence[str]) -> int:
        """The distance of two texts, given as their tokens."""
