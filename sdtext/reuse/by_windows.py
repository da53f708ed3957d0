"""Passages by windows: stretches of terms of which few differ, in whatever order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.collection import Collection
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.word_offsets import Worded
from sdtext.kernels.windows.window_join import Cells, joined_cells
from sdtext.model import Passage, Problem
from sdtext.parts.aligners.windows import WindowPassages
from sdtext.reuse.texts import Texts

Places = NDArray[np.int64]

LEAST = 10
"""The least terms of a document that is compared."""


@dataclass(frozen=True)
class Found:
    """Passages that two documents share: their places among the left and the right ones.

    `sides` are their words, with numbers of one vocabulary.
    """

    left: int
    right: int
    passages: Sequence[Passage]
    sides: tuple[Worded, Worded]


@dataclass(frozen=True)
class ByWindows:
    """Finds passages by windows of `w` terms of which at most `tau` differ.

    A document of fewer terms, from 10 on, is compared as one window of all its terms, of which
    as large a part may differ; then a passage may be as short as two thirds of them, if that is
    not below the `least` that is asked for.
    """

    w: int
    tau: int
    aligner: WindowPassages
    least: int = 0

    @property
    def problems(self) -> Sequence[Problem]:
        """All is compared."""
        return ()

    @property
    def window(self) -> int:
        """Texts of fewer terms are compared in another way."""
        return self.w

    @property
    def told(self) -> str:
        """How, in a sentence."""
        ordered = ", in the same order" if self.aligner.ordered else ""
        return (
            f"windows of {self.w} terms that differ in {self.tau} at the most{ordered}, all found"
        )

    @property
    def parameters(self) -> dict[str, str]:
        """By which settings."""
        aligner = ", ".join(f"{key}={value}" for key, value in asdict(self.aligner).items())
        return {"method": "windows", "w": str(self.w), "tau": str(self.tau), "aligner": aligner}

    def with_edits(
        self, passages: Sequence[Passage], left: Worded, right: Worded
    ) -> Sequence[Passage]:
        """The same passages with what differs inside of them."""
        return self.aligner.with_edits(passages, left, right)

    def __call__(self, left: Texts, right: Texts | None = None) -> Iterator[Found]:
        """The passages of all pairs of a left and a right document.

        Without `right`, of every two of the left ones, the first of them left. Raises TooMuchWork.
        """
        other = left if right is None else right
        spoken = left.speaking_as(other)
        for window in self._windows(spoken, right):
            for one, two, boxes in window.boxes():
                sides = spoken.worded(one), other.worded(two)
                if passages := window.aligner(boxes, *sides, window.w):
                    yield Found(one, two, passages, sides)

    @property
    def for_templates(self) -> ByWindows:
        """The same for templates, in which no length or order is asked for."""
        usual = type(self.aligner)().shortest
        shortest = min(self.aligner.shortest, usual)
        return replace(
            self, least=0, aligner=replace(self.aligner, shortest=shortest, ordered=False)
        )

    def candidates(self, texts: Texts, collection: Collection) -> None:  # noqa: ARG002
        """Any stored document may share a passage with any text."""
        return

    def _windows(self, left: Texts, right: Texts | None) -> Iterator[_Windows]:
        """The cells of windows of all documents that have any, and of shorter documents."""
        terms = left.terms, None if right is None else right.terms
        yield _Windows(self.w, self.aligner, joined_cells(*terms, self.w, self.tau))
        lengths = [one.lengths for one in terms if one is not None]
        for w in sorted({int(n) for one in lengths for n in one[(one >= LEAST) & (one < self.w)]}):
            shortest = max(self.least, min(self.aligner.shortest, -(-2 * w // 3)))
            aligner = replace(self.aligner, shortest=shortest)
            for one, two in _pairs_of_short(w, *terms):
                cells = one.joined(two, w, w * self.tau // self.w)
                yield _Windows(w, aligner, _in_order(cells) if right is None else cells)


@dataclass(frozen=True)
class _Windows:
    """Cells of windows of `w` terms, and what makes passages of them."""

    w: int
    aligner: WindowPassages
    cells: Cells

    def boxes(self) -> Iterator[tuple[int, int, Places]]:
        """For each two documents their places and boxes of terms, a row each."""
        cells = self.cells
        if not len(cells):  # and then a window may be longer than any number of NumPy
            return
        order = np.lexsort((cells.right_first, cells.first, cells.right, cells.left))
        columns = (cells.first, cells.last + self.w, cells.right_first, cells.right_last + self.w)
        boxes = np.stack(columns, axis=1)[order].astype(np.int64, copy=False)
        left, right = cells.left[order], cells.right[order]
        changes = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
        ends = [0, *(np.flatnonzero(changes) + 1).tolist(), len(order)]
        for start, end in pairwise(ends):
            yield int(left[start]), int(right[start]), boxes[start:end]


@dataclass(frozen=True)
class _Some:
    """Some of the documents on a side, and their places there."""

    terms: Ragged
    places: Places

    @classmethod
    def of(cls, terms: Ragged, which: NDArray[np.bool_]) -> _Some:
        places = np.flatnonzero(which)
        return cls(terms.taken(places), places)

    def joined(self, other: _Some | None, w: int, tau: int) -> Cells:
        """The cells of these with the others, or of every two of them."""
        there = other or self
        cells = joined_cells(self.terms, other.terms if other else None, w, tau)
        return replace(cells, left=self.places[cells.left], right=there.places[cells.right])


def _pairs_of_short(
    w: int, left: Ragged, right: Ragged | None
) -> Iterator[tuple[_Some, _Some | None]]:
    """Documents of `w` terms, and those of as many or more to compare them with."""
    exact, more = left.lengths == w, left.lengths > w
    if right is None:
        yield _Some.of(left, exact), None
        right, pairs = left, [(exact, more)]
    else:
        pairs = [(exact, right.lengths >= w), (more, right.lengths == w)]
    for one, other in pairs:
        if one.any() and other.any():  # for many texts are not taken in vain
            yield _Some.of(left, one), _Some.of(right, other)


def _in_order(cells: Cells) -> Cells:
    """The cells with the document of the smaller place on the left."""
    back = cells.left > cells.right
    made = {}
    for name, other in (("left", "right"), ("first", "right_first"), ("last", "right_last")):
        one, two = getattr(cells, name), getattr(cells, other)
        made[name], made[other] = np.where(back, two, one), np.where(back, one, two)
    return replace(cells, **made)
