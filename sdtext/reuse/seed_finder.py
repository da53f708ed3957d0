"""Passages by seeds: where short documents, such as items of a benchmark, stand in texts.

The short documents are a collection in memory. Texts are many, and most of them hold none: they are
only hashed, and those that share seeds, runs of equal words, with a short document are aligned with
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.kernels.arrays.integer_and_byte_hashes import POWERS
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.terms.token_blocks import HashedBlock
from sdtext.kernels.window_sums import polynomial_hashes
from sdtext.parts.aligners.weighted_words import WeightedWords
from sdtext.reuse.document_batch import DocumentBatch, PairPassages

SEED = 5  # words of a seed
_WRAP = 1 << 64
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_FREE = 16  # bits of the filter for each seed: few other n-grams pass
_FEWEST_BITS, _MOST_BITS = 10, 26
_MOST_ITEMS = 200  # that share a seed: a phrase of the template that they are made by
_NEEDED = 4  # other seeds of an item, for such a one to be left out
SEEDED = 0.4
"""Of the least share of a document that counts, what its seeds cover at least."""

Places = NDArray[np.int64]


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

    def __call__(self, left: DocumentBatch, candidates: Places) -> Iterator[PairPassages]:
        """The passages of the left documents, from candidates of the index, which are in order."""
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


@dataclass(frozen=True, eq=False)
class SeedIndex:
    """The seeds of items: sorted hashes, and where each stands.

    `places` has the numbers of the postings of each, `owners` and `within` the item of each posting
    and the word that begins it. `sums` has for each item the sums of the weights of its first 0, 1,
    2, … words. Only places are candidates whose seeds cover the share `least` of the weight of
    their item.
    """

    hashes: NDArray[np.uint64]
    places: Ragged
    owners: NDArray[np.int32]
    within: NDArray[np.int32]
    sums: Ragged
    passes: NDArray[np.bool_]
    least: float

    @classmethod
    def of(cls, items: Ragged, weights: Ragged, least: float) -> SeedIndex:
        """The index of items, given as rows of the hashes of their words."""
        grams = polynomial_hashes(items.values, SEED, POWERS, _WRAP)
        owners = items.owners
        starts = np.arange(len(grams))
        starts = starts[starts + SEED <= items.offsets[1:][owners[: len(grams)]]]
        starts = starts[np.argsort(grams[starts], kind="stable")]
        keys, owners = grams[starts], owners[starts]
        # Seeds of too many items are those of a template, unless an item has few others.
        begins = np.flatnonzero(_is_new(keys))
        counts = np.diff(np.append(begins, len(keys)))
        kept = np.repeat(counts <= _MOST_ITEMS, counts)
        kept |= np.bincount(owners[kept], minlength=len(items))[owners] < _NEEDED
        keys, starts, owners = keys[kept], starts[kept], owners[kept]
        first = _is_new(keys)
        hashes = keys[first]
        bits = int(np.clip(len(hashes) * _FREE, 1, None) - 1).bit_length()
        passes = np.zeros(1 << min(max(bits, _FEWEST_BITS), _MOST_BITS), bool)
        passes[_slots(hashes, len(passes))] = True
        lengths = weights.lengths + 1
        offsets = offsets_of(lengths)
        total = np.append(0.0, np.cumsum(weights.values))
        sums = total[np.arange(offsets[-1]) - np.arange(len(weights)).repeat(lengths)]
        return cls(
            hashes,
            Ragged(np.arange(len(keys)), np.append(np.flatnonzero(first), len(keys))),
            owners.astype(np.int32),
            (starts - items.offsets[owners]).astype(np.int32),
            Ragged(sums - total[weights.offsets[:-1]].repeat(lengths), offsets),
            passes,
            least,
        )

    def candidates(self, texts: Ragged) -> Places:
        """The places in texts that are worth an alignment, a row for each.

        A row is the number of the text, that of the item, the first word and the one behind the
        last that share seeds with the item, and the same of the item. Texts are rows of the hashes
        of their words.
        """
        grams = polynomial_hashes(texts.values, SEED, POWERS, _WRAP)
        passing = self.passes.take(_slots(grams, len(self.passes)), mode="clip")  # faster
        places = np.flatnonzero(passing)
        seeds = np.searchsorted(self.hashes, grams[places])
        seeds[seeds == len(self.hashes)] = 0
        equal = self.hashes[seeds] == grams[places] if len(self.hashes) else seeds < 0
        places, seeds = places[equal], seeds[equal]
        rows = np.searchsorted(texts.offsets, places, "right") - 1
        inside = places + SEED <= texts.offsets[rows + 1]
        rows, places, seeds = rows[inside], places[inside], seeds[inside]
        postings = self.places.take(seeds)
        at = postings.owners
        if not len(at):
            return np.empty((0, 6), np.int64)
        # Each hit is a row: the text, the item, and the word of both at which a seed begins.
        within, seeded = (places - texts.offsets[rows])[at], postings.values
        columns = rows[at], self.owners[seeded], within, self.within[seeded]
        hits = np.stack(columns).astype(np.int64)
        # Those of one item that stand about as in the item are a group.
        hits = hits[:, np.lexsort((hits[2] - hits[3], hits[1], hits[0]))]
        slack = 2 + (self.sums.lengths[hits[1]] >> 3)
        steps = np.diff(hits[2] - hits[3], prepend=hits[2, 0] - hits[3, 0])
        begins = _is_new(hits[0]) | _is_new(hits[1]) | (steps > slack)
        hits = hits[:, np.lexsort((hits[3], np.cumsum(begins)))]
        starts = np.flatnonzero(begins)
        text_of, item_of = hits[:2, starts]
        ends = hits[3] + SEED
        previous = np.append(0, ends[:-1])
        previous[starts] = 0
        base, sums = self.sums.offsets[hits[1]], self.sums.values
        covered = sums[base + ends] - sums[base + np.maximum(hits[3], previous)]
        enough = np.add.reduceat(covered, starts) >= (
            self.least * sums[self.sums.offsets[item_of + 1] - 1]
        )
        bounds = [
            bound.reduceat(hits[side], starts) + length
            for side in (2, 3)
            for bound, length in ((np.minimum, 0), (np.maximum, SEED))
        ]
        found: Places = np.stack((text_of, item_of, *bounds), axis=1)[enough]
        return found


def _is_new(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Whether each value differs from the one before."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]


def _slots(grams: NDArray[np.uint64], size: int) -> Places:
    """The places of n-grams in a filter of a size that is a power of two."""
    return ((grams * _SPREAD) >> np.uint64(65 - size.bit_length())).view(np.int64)
