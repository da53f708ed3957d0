"""Work budget of a window join, in steps."""

from __future__ import annotations

from dataclasses import dataclass

from sdtext.errors import OptionError

BUDGET = 1 << 37
"""Steps that are taken unless another number is asked for: about ten minutes."""


class TooMuchWork(OptionError):  # noqa: N818 (what is too much is the work, not an error)
    """A join would take more work than it may; its message says what helps."""


@dataclass
class Work:
    """The steps that are left: each kind of work is counted before it is done."""

    left: int
    w: int
    tau: int

    def spend(self, steps: int) -> None:
        """Take so many steps. Raises TooMuchWork where that is more than are left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork(
                f"windows: too many windows match at w = {self.w} and tau = {self.tau}; use fewer "
                "or shorter texts, a smaller tau or a longer w, or exclude repeated text"
            )
