"""Passages by windows: spans of w terms that share most of their terms, in any order.

The search is exact (`kernels.windows.window_join`): all pairs of windows of which at most
tau terms differ are found. The aligner makes passages of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.passages.boxes import Boxes
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.kernels.windows.window_join import Cells, WindowJoin, join_windows
from sdtext.model import Passage
from sdtext.parts.aligners.window_passages import WindowPassages
from sdtext.reuse.document_batch import DocumentBatch, PairPassages

MIN_TERMS = 10
"""Documents of fewer terms are not compared."""


@dataclass(frozen=True)
class WindowFinder:
    """Finds passages by windows of `w` terms of which at most `tau` differ.

    A document of fewer than `w` terms, but at least 10, is compared as one window of all its
    terms, of which the same share may differ. Its passages may be as short as two thirds of them,
    but not shorter than `min_length`, the length that was asked for.
    """

    w: int
    tau: int
    aligner: WindowPassages
    min_length: int = 0
    jobs: int = 1

    @property
    def description(self) -> str:
        """The method in one sentence."""
        ordered = ", in the same order" if self.aligner.ordered else ""
        return (
            f"exact search: all windows of {self.w} terms that differ in at most {self.tau} terms"
            f"{ordered}"
        )

    @property
    def parameters(self) -> dict[str, str]:
        """The settings, by name."""
        aligner = ", ".join(f"{key}={value}" for key, value in asdict(self.aligner).items())
        return {
            "method": "windows",
            "w": str(self.w),
            "distance": str(self.tau),
            "aligner": aligner,
        }

    def __call__(
        self,
        left: DocumentBatch,
        right: DocumentBatch | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Iterator[PairPassages]:
        """Passages of each left document with each right one; without `right`, of each left pair.

        The first document of a left pair stands on the left. `progress` is called with the share of
        the comparison that is done. Raises TooMuchWork.
        """
        own, other = (left, left) if right is None else (left.renumbered_as(right), right)
        terms = own.terms, None if right is None else right.terms
        for w, aligner, (place, other_place, boxes) in self._matches(*terms, progress):
            sides = own.words_of(place), other.words_of(other_place)
            if passages := aligner(boxes, *sides, w):
                yield PairPassages(place, other_place, passages, sides)

    def pairs(self, left: Ragged, right: Ragged | None = None) -> Iterator[tuple[int, int]]:
        """The places of documents, given by their terms, that share windows; maybe repeated."""
        yield from ((place, other) for _, _, (place, other, _) in self._matches(left, right))

    def _matches(
        self,
        left: Ragged,
        right: Ragged | None,
        progress: Callable[[float], None] | None = None,
    ) -> Iterator[tuple[int, WindowPassages, tuple[int, int, Boxes]]]:
        """The boxes of matching windows of each pair, with the length of these and the aligner.

        Documents shorter than a window are compared as one window of all their terms.
        """
        join = WindowJoin(self.w, self.tau, jobs=self.jobs, progress=progress)
        cells = join_windows(left, right, join)
        yield from ((self.w, self.aligner, pair) for pair in _boxes_by_pair(cells, self.w))
        lengths, others = left.lengths, left.lengths if right is None else right.lengths
        short = {int(n) for row in (lengths, others) for n in row if MIN_TERMS <= n < self.w}
        for w in sorted(short):
            shortest = max(self.min_length, min(self.aligner.shortest, -(-2 * w // 3)))
            aligner = replace(self.aligner, shortest=shortest)
            shorter = join.shortened(w)
            exact, more = lengths == w, lengths > w
            if right is None:
                pairs = [(exact, None, exact), (exact, left, more)]
            else:
                pairs = [(exact, right, others >= w), (more, right, others == w)]
            for chosen, other, other_chosen in pairs:
                places, other_places = np.flatnonzero(chosen), np.flatnonzero(other_chosen)
                if len(places) and len(other_places):  # copying many texts takes time
                    others_taken = None if other is None else other.take(other_places)
                    cells = join_windows(left.take(places), others_taken, shorter)
                    cells = cells._replace(left=places[cells.left], right=other_places[cells.right])
                    cells = _oriented(cells) if right is None else cells
                    yield from ((w, aligner, pair) for pair in _boxes_by_pair(cells, w))

    def realigned(
        self, passage: Passage, boxes: NDArray[np.int64], sides: tuple[DocumentWords, DocumentWords]
    ) -> list[Passage]:
        """The passages in a part of a passage, from boxes of terms of the words there.

        They are as similar as windows must be, or as the passage.
        """
        least = min(float(passage.similarity), 1 - self.tau / self.w)
        pieces = self.aligner(boxes, *sides, self.w)
        return [piece for piece in pieces if float(piece.similarity) >= least]

    @property
    def for_templates(self) -> WindowFinder:
        """The same method for templates, without a limit to length or order."""
        shortest = min(self.aligner.shortest, type(self.aligner)().shortest)
        aligner = replace(self.aligner, shortest=shortest, ordered=False)
        return replace(self, min_length=0, aligner=aligner)


def _boxes_by_pair(cells: Cells, w: int) -> Iterator[tuple[int, int, Boxes]]:
    """For each pair of documents their places and the boxes of their cells of windows."""
    if not len(cells.left):  # w may then be too large for the integers of NumPy
        return
    order = np.lexsort((cells.right_first, cells.first, cells.right, cells.left))
    columns = (cells.first, cells.last + w, cells.right_first, cells.right_last + w)
    boxes = np.stack(columns, axis=1)[order]
    left, right = cells.left[order], cells.right[order]
    changes = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
    ends = [0, *(np.flatnonzero(changes) + 1).tolist(), len(order)]
    for start, end in pairwise(ends):
        yield int(left[start]), int(right[start]), boxes[start:end]


def _oriented(cells: Cells) -> Cells:
    """The cells with the document of the smaller place on the left."""
    swapped = cells.left > cells.right
    columns = {}
    for left, right in (("left", "right"), ("first", "right_first"), ("last", "right_last")):
        values, other_values = getattr(cells, left), getattr(cells, right)
        columns[left] = np.where(swapped, other_values, values)
        columns[right] = np.where(swapped, values, other_values)
    return cells._replace(**columns)
