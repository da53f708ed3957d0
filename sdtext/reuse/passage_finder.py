"""The interface of a method that finds passages, and what it returns for two documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.stored_collection import StoredCollection
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Problem
from sdtext.reuse.documents import DocumentBatch

Sides = tuple[DocumentWords, DocumentWords]


@dataclass(frozen=True)
class PairPassages:
    """The passages that two documents share.

    `left` and `right` are the positions of the documents in their batches, `sides` their words,
    numbered by one vocabulary.
    """

    left: int
    right: int
    passages: Sequence[Passage]
    sides: Sides


class PassageFinder(Protocol):
    """A method that finds the passages that documents share.

    `window` is the length of a window in terms; shorter documents are one window. Without windows
    it is 0. `problems` are warnings about matches that were omitted so far.
    """

    @property
    def window(self) -> int: ...

    @property
    def description(self) -> str:
        """The method in one sentence."""

    @property
    def parameters(self) -> Mapping[str, str]:
        """The settings, by name."""

    @property
    def problems(self) -> Sequence[Problem]: ...

    @property
    def for_templates(self) -> PassageFinder:
        """The same method for text that does not count: short passages are found, too."""

    def reporting(self, progress: Callable[[float], None]) -> PassageFinder:
        """The same, with the share of a comparison that is done reported where it is known."""

    def candidates(
        self, batch: DocumentBatch, collection: StoredCollection
    ) -> NDArray[np.int64] | None:
        """Ids of the stored documents that may share a passage with the batch; None for all."""

    def __call__(
        self, left: DocumentBatch, right: DocumentBatch | None = None
    ) -> Iterator[PairPassages]:
        """Passages of each left document with each right one, or of each left pair."""

    def with_edits(self, passages: Sequence[Passage], sides: Sides) -> Sequence[Passage]:
        """The same passages with the edits between their sides."""

    def realigned(
        self, passage: Passage, boxes: NDArray[np.int64], sides: Sides
    ) -> Sequence[Passage]:
        """The passages in a part of a passage, from boxes of terms of the words there."""
