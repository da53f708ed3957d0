"""Documents cut into blocks of consecutive windows, and the steps that work on them may take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import offsets_of

BUDGET = 1 << 37
"""Default budget in steps: about ten minutes."""
Numbers = NDArray[np.int64]
_LONGEST = 256  # starts in a block: their square is the work of verifying a pair of blocks


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

    def spend(self, steps: int) -> None:
        """Subtract `steps`. Raises TooMuchWork if fewer are left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork(
                f"windows: too many windows match at w = {self.w} and distance = {self.tau}; "
                "use fewer or shorter texts, a smaller distance or a longer w"
            )


@dataclass(frozen=True, eq=False)
class Blocks:
    """Documents cut into strides of `stride` terms; those too short for a window have none.

    `terms` are ranks from 0, the rarest term first, and -1 for a term that cannot match; document
    i has the terms `[offsets[i], offsets[i + 1])`, `windows[i]` windows, and the strides from
    `bounds[i]` on. Of each stride, of which there are `count`, `documents` has the document,
    `firsts` its offset there, and `starts` the number of windows that start in it, maybe 0 in the
    last of a document. A block holds the terms of all windows of `w` terms that start in its
    stride, so it extends over `reach` strides.
    """

    terms: Numbers
    offsets: Numbers
    w: int
    stride: int
    reach: int
    windows: Numbers
    bounds: Numbers
    count: int
    documents: Numbers
    firsts: Numbers
    starts: Numbers

    @classmethod
    def of(cls, terms: Numbers, offsets: Numbers, w: int) -> Blocks:
        """The blocks of documents with these terms, for windows of `w` of them."""
        stride = max(1, min(w // 2 * 2, _LONGEST))  # windows that start in a block: even, or 1
        windows = np.maximum(np.diff(offsets) - (w - 1), 0)
        lengths = np.where(windows > 0, np.diff(offsets), 0)
        bounds = offsets_of(-(-lengths // stride))
        documents = np.repeat(np.arange(len(windows)), np.diff(bounds))
        firsts = (np.arange(len(documents)) - bounds[documents]) * stride
        starts = np.clip(windows[documents] - firsts, 0, stride)
        reach = -(-(stride + w - 1) // stride)
        columns = windows, bounds, len(documents), documents, firsts, starts
        return cls(terms, offsets, w, stride, reach, *columns)
