"""Aligners: the passages that two texts share.

`aligns` names the arguments of an aligner. All return passages sorted by their places on the left,
then on the right. The result depends neither on the order nor on repeats of the input; no passage
is empty or exceeds its text.

- "windows": the part is called with boxes, an int64 array of shape (n, 4) whose rows are places
  among the terms of two documents (left start, left end, right start, right end; the ends are
  exclusive), the words of both documents (`DocumentWords`), and the number of terms in a window.
- "units": the part is called with matches of units (sentences) of two documents, as its class says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage


class WindowAligner(Protocol):
    """What an aligner of windows offers."""

    def __call__(
        self, boxes: NDArray[np.int64], left: DocumentWords, right: DocumentWords, w: int
    ) -> list[Passage]:
        """The passages, without their edits."""

    def with_edits(
        self, passages: Sequence[Passage], left: DocumentWords, right: DocumentWords
    ) -> list[Passage]:
        """The same passages with what differs inside of them."""
