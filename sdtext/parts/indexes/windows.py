"""Windows that slide over terms: exact for passages, however the words in them are ordered."""

from __future__ import annotations

from dataclasses import dataclass

from sdtext.errors import OptionError
from sdtext.parts.indexes import STEPS


@dataclass(frozen=True)
class Windows:
    """Windows of `w` terms that differ in at most `tau` terms are all found, for passages.

    A window is a bag of w consecutive terms: each term counts as often as it occurs, in any order.
    No pair of windows is missed, so similar whole documents are always found, too: a search for
    document pairs by shingles compares every pair.

    >>> Windows(w=20, tau=9).probability(0.1, slots=128)
    1.0
    """

    w: int = 30
    tau: int = 15

    def __post_init__(self) -> None:
        if self.w < 1:
            raise OptionError.of("windows", "w", self.w, "1 or more")
        if not 0 <= self.tau < self.w:
            wanted = f"0 or more and below w, which is {self.w}"
            raise OptionError.of("windows", "tau", self.tau, wanted)

    def probability(self, jaccard: float, slots: int) -> float:  # noqa: ARG002 (as in bands)
        """1: what windows find does not depend on chance."""
        return 1.0

    def curve(self, slots: int) -> list[tuple[float, float]]:
        """The probability for each of the similarities of a curve."""
        return [(jaccard, self.probability(jaccard, slots)) for jaccard in STEPS]
