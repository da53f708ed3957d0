"""Passages by windows: spans of w terms that share most of their terms, in any order.

The search is exact (`kernels.windows.window_join`): it finds all pairs of windows of which at most
tau terms differ. The aligner makes passages of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.stored_collection import StoredCollection
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.kernels.windows.pair_boxes import PairBoxes, boxes_of_cells, matching_boxes
from sdtext.kernels.windows.window_join import Cells, WindowJoin, joined_cells
from sdtext.model import Passage, Problem
from sdtext.parts.aligners.window_passages import WindowPassages
from sdtext.reuse.documents import DocumentBatch, PairPassages

Places = NDArray[np.int64]

MIN_TERMS = 10
"""Documents of fewer terms are not compared."""


@dataclass(frozen=True)
class WindowFinder:
    """Finds passages by windows of `w` terms of which at most `tau` differ.

    A document of fewer than `w` terms, but at least 10, is compared as one window of all its
    terms, of which the same share may differ. Its passages may be as short as two thirds of them,
    but not shorter than `min_length`, the length that was asked for. `progress` is called with the
    share of a comparison that is done.
    """

    w: int
    tau: int
    aligner: WindowPassages
    min_length: int = 0
    progress: Callable[[float], None] | None = None

    @property
    def problems(self) -> Sequence[Problem]:
        """None: no match is omitted."""
        return ()

    @property
    def window(self) -> int:
        """Length of a window in terms; shorter documents are one window."""
        return self.w

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
        self, left: DocumentBatch, right: DocumentBatch | None = None
    ) -> Iterator[PairPassages]:
        """Passages of each left document with each right one; without `right`, of each left pair.

        The first document of a left pair stands on the left. Raises TooMuchWork.
        """
        other = left if right is None else right
        own = left.renumbered_as(other)
        for window in self._windows(own, right):
            for place, other_place, boxes in window.boxes:
                sides = own.words_of(place), other.words_of(other_place)
                if passages := window.aligner(boxes, *sides, window.w):
                    yield PairPassages(place, other_place, passages, sides)

    def realigned(
        self, passage: Passage, boxes: NDArray[np.int64], sides: tuple[DocumentWords, DocumentWords]
    ) -> list[Passage]:
        """The passages in a part of a passage, from boxes of terms of the words there.

        They are as similar as windows must be, or as the passage.
        """
        least = min(float(passage.similarity), 1 - self.tau / self.w)
        pieces = self.aligner(boxes, *sides, self.w)
        return [piece for piece in pieces if float(piece.similarity) >= least]

    def with_edits(
        self, passages: Sequence[Passage], sides: tuple[DocumentWords, DocumentWords]
    ) -> Sequence[Passage]:
        """The same passages with the edits between their sides."""
        return self.aligner.with_edits(passages, *sides)

    @property
    def for_templates(self) -> WindowFinder:
        """The same method for templates, without a limit to length or order."""
        shortest = min(self.aligner.shortest, type(self.aligner)().shortest)
        aligner = replace(self.aligner, shortest=shortest, ordered=False)
        return replace(self, min_length=0, aligner=aligner)

    def reporting(self, progress: Callable[[float], None]) -> WindowFinder:
        """The same, with the share of a comparison that is done reported."""
        return replace(self, progress=progress)

    def candidates(self, batch: DocumentBatch, collection: StoredCollection) -> None:  # noqa: ARG002
        """None: any stored document may share a passage with any text."""
        return

    def _windows(
        self, left: DocumentBatch, right: DocumentBatch | None
    ) -> Iterator[_MatchingWindows]:
        """Matching windows of the documents that have any, then those of shorter documents."""
        terms = left.terms, None if right is None else right.terms
        join = WindowJoin(self.w, self.tau, progress=self.progress)
        yield _MatchingWindows(self.w, self.aligner, matching_boxes(*terms, join))
        lengths = [side.lengths for side in terms if side is not None]
        short = {int(n) for row in lengths for n in row[(row >= MIN_TERMS) & (row < self.w)]}
        for w in sorted(short):
            shortest = max(self.min_length, min(self.aligner.shortest, -(-2 * w // 3)))
            aligner = replace(self.aligner, shortest=shortest)
            for own, other in _pairs_of_short(w, *terms):
                cells = own.join(other, join.shortened(w))
                cells = _oriented(cells) if right is None else cells
                yield _MatchingWindows(w, aligner, boxes_of_cells(cells, w))


@dataclass(frozen=True)
class _MatchingWindows:
    """Pairs of documents with their matching windows of `w` terms, and the aligner for these."""

    w: int
    aligner: WindowPassages
    boxes: Iterable[PairBoxes]


@dataclass(frozen=True)
class _TermSubset:
    """The terms of some documents of a side, and the places of these documents there."""

    terms: Ragged
    places: Places

    @classmethod
    def of(cls, terms: Ragged, mask: NDArray[np.bool_]) -> _TermSubset:
        places = np.flatnonzero(mask)
        return cls(terms.taken(places), places)

    def join(self, other: _TermSubset | None, join: WindowJoin) -> Cells:
        """Matching windows of these documents with the others, or with each other."""
        right = other or self
        cells = joined_cells(self.terms, other.terms if other else None, join)
        return replace(cells, left=self.places[cells.left], right=right.places[cells.right])


def _pairs_of_short(
    w: int, left: Ragged, right: Ragged | None
) -> Iterator[tuple[_TermSubset, _TermSubset | None]]:
    """The documents of `w` terms, and those of at least as many to compare them with."""
    exact, more = left.lengths == w, left.lengths > w
    if right is None:
        yield _TermSubset.of(left, exact), None
        right, pairs = left, [(exact, more)]
    else:
        pairs = [(exact, right.lengths >= w), (more, right.lengths == w)]
    for mask, other_mask in pairs:
        if mask.any() and other_mask.any():  # copying many texts takes time
            yield _TermSubset.of(left, mask), _TermSubset.of(right, other_mask)


def _oriented(cells: Cells) -> Cells:
    """The cells with the document of the smaller place on the left."""
    swapped = cells.left > cells.right
    columns = {}
    for left, right in (("left", "right"), ("first", "right_first"), ("last", "right_last")):
        values, other_values = getattr(cells, left), getattr(cells, right)
        columns[left] = np.where(swapped, other_values, values)
        columns[right] = np.where(swapped, values, other_values)
    return replace(cells, **columns)
