"""Work budget of a window join, in steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sdtext.errors import OptionError

BUDGET = 1 << 37
"""Default budget in steps: about ten minutes."""


class TooMuchWork(OptionError):  # noqa: N818 (the work is too much, the input has no error)
    """A join would exceed its budget; the message says what to change."""


@dataclass
class Work:
    """The steps that are left: all work is counted before it is done.

    `progress` is called with the share of the work that is done, from 0 to 1, where that is known.
    """

    left: int
    w: int
    tau: int
    progress: Callable[[float], None] | None = None

    def report(self, share: float) -> None:
        """Report that this share of the work is done."""
        if self.progress:
            self.progress(share)

    def spend(self, steps: int) -> None:
        """Subtract `steps`. Raises TooMuchWork if fewer are left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork(
                f"windows: too many windows match at w = {self.w} and tau = {self.tau}; use fewer "
                "or shorter texts, a smaller tau or a longer w, or exclude repeated text"
            )
