"""Windows that slide over terms: exact for passages, however the words in them are ordered."""

from __future__ import annotations

from dataclasses import dataclass

from sdtext.kernels.windows.window_join import AUTO, check_windows
from sdtext.parts.indexes import STEPS


@dataclass(frozen=True)
class Windows:
    """Windows of `w` terms of which at most `tau` (--distance) differ are all found, for passages.

    A window is a bag of w consecutive terms: each term counts as often as it occurs, in any order.
    No pair of windows is missed, so similar whole documents are always found, too: a search for
    document pairs by shingles compares every pair.

    `k` is the number of terms of a signature: windows are compared that have k of their tau + k
    rarest terms in common. 0 counts common terms without signatures, and "auto" takes the one with
    the least work. Each finds the same pairs.

    >>> Windows(w=20, tau=9).probability(0.1, slots=128)
    1.0
    """

    w: int = 30
    tau: int = 15
    k: int | str = AUTO

    def __post_init__(self) -> None:
        check_windows("windows", self.w, self.tau, self.k)

    def probability(self, jaccard: float, slots: int) -> float:  # noqa: ARG002 (as in bands)
        """1: what windows find does not depend on chance."""
        return 1.0

    def curve(self, slots: int) -> list[tuple[float, float]]:
        """The probability for each of the similarities of a curve."""
        return [(jaccard, self.probability(jaccard, slots)) for jaccard in STEPS]
