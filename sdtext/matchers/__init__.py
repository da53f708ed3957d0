"""Matchers: how alike two sets of terms are, from sums over them.

A matcher is called with the sum over the common terms and over each side's, and gives a
`Similarity` from 0 to 1. What is summed, `weights` says: None stands for 1 a term. A
`symmetric` matcher gives the same either way round, and 1 for equal sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sdtext.dictionary import Dictionary
    from sdtext.model import Similarity


class Matcher(Protocol):
    """What every matcher offers."""

    @property
    def symmetric(self) -> bool:
        """Whether left and right can change places."""

    def weights(self, dictionary: Dictionary | None) -> list[int] | None:
        """What each term counts for in the sums; None stands for 1."""

    def __call__(self, common: int, left: int, right: int) -> Similarity:
        """The similarity; `left` and `right` are above zero."""
