"""Passages by seeds: where short documents, such as items of a benchmark, stand in texts.

The short documents are a collection in memory. Texts are many, and most of them hold none: they are
only hashed, and those that share seeds with a short document are aligned with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.token_blocks import HashedBlock
from sdtext.parts.aligners.weighted_words import WeightedWords
from sdtext.reuse.document_batch import DocumentBatch, PairPassages
from sdtext.reuse.seed_index import SeedIndex

_SEEDED = 0.4  # of the least share of a document that counts: what its seeds cover at least


@dataclass(frozen=True, eq=False)
class SeedFinder:
    """Finds the first documents of the batch `others`, those in the `index`, in other documents.

    `weights` has that of each of their terms. Passages of a lower score than `minimum` do not
    count.
    """

    others: DocumentBatch
    weights: Ragged
    index: SeedIndex
    minimum: int
    aligner: WeightedWords = field(default_factory=WeightedWords)

    @classmethod
    def of(cls, others: DocumentBatch, hashes: Ragged, weights: Ragged, minimum: int) -> SeedFinder:
        """The finder of documents, with the hashes and the weights of their terms."""
        index = SeedIndex.of(hashes, weights, _SEEDED * minimum / 100)
        return cls(others, weights, index, minimum)

    def candidates(self, texts: Ragged) -> NDArray[np.int64]:
        """The places in texts that may hold a document: text, document, and a box of their terms.

        Texts are rows of the hashes of their terms. The rows of the result are sorted by text and
        document.
        """
        return self.index.candidates(texts)

    def __call__(
        self, left: DocumentBatch, candidates: NDArray[np.int64]
    ) -> Iterator[PairPassages]:
        """The passages of the left documents, from candidates with their places in the batch."""
        own = left.renumbered_as(self.others)
        changes = (candidates[1:, :2] != candidates[:-1, :2]).any(axis=1)
        for rows in np.split(candidates, np.flatnonzero(changes) + 1):
            place, other = rows[0, :2].tolist()
            sides = own.words_of(place), self.others.words_of(other)
            passages = self.aligner(rows[:, 2:], *sides, self.weights[other])
            if passages := [item for item in passages if item.score >= self.minimum]:
                yield PairPassages(place, other, passages, sides)


def term_hashes(encoder: Encoder, texts: Sequence[str]) -> Ragged:
    """The hashes of the terms of clean texts."""
    if not texts:
        return Ragged.of([])
    block = encoder.block(texts)
    return block.rows if isinstance(block, HashedBlock) else block.hashed()
