"""Work budget of a window join, in steps."""

from __future__ import annotations

from dataclasses import dataclass

from sdtext.errors import OptionError

BUDGET = 1 << 37
"""Default budget in steps: about ten minutes."""


class TooMuchWork(OptionError):  # noqa: N818 (the work is too much, the input has no error)
    """A join would exceed its budget; the message says what to change."""


@dataclass
class Work:
    """The steps that are left: all work is counted before it is done."""

    left: int
    w: int
    tau: int

    def spend(self, steps: int) -> None:
        """Subtract `steps`. Raises TooMuchWork if fewer are left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork(
                f"windows: too many windows match at w = {self.w} and tau = {self.tau}; use fewer "
                "or shorter texts, a smaller tau or a longer w, or exclude repeated text"
            )
