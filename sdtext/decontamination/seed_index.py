"""Seeds: the word n-grams of items in an inverted index, and where a text shares enough of them.

Seeds only point to places that are worth an alignment. They are compared by hashes, and what they
find counts only once the words themselves are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import POWERS
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.shingles import polynomial_hashes

SEED = 5
"""Words of a seed."""

_WRAP = 1 << 64
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_FREE = 16  # bits of the filter for each seed: few other n-grams pass
_FEWEST_BITS, _MOST_BITS = 10, 26
_MOST_ITEMS = 200  # that share a seed: a phrase of the template that they are made by
_NEEDED = 4  # other seeds of an item, for such a one to be left out

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SeedCandidates:
    """Places that are worth an alignment: arrays of one length, a value for each place.

    Words `first` to `last` of the text `row` share seeds with the words `item_first` to
    `item_last` of `item`, both half-open ranges.
    """

    rows: Places
    items: Places
    first: Places
    last: Places
    item_first: Places
    item_last: Places

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class SeedIndex:
    """The seeds of items: sorted hashes, and where each stands.

    `sums` has for each item the sums of the weights of its first 0, 1, 2, … words. Only places are
    candidates whose seeds cover the share `least` of the weight of their item.
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
        starts, owners = _starts(items.offsets, len(grams))
        order = np.argsort(grams[starts], kind="stable")
        starts, owners = starts[order], owners[order]
        keys = grams[starts]
        kept = _without_templates(keys, owners, len(items))
        keys, starts, owners = keys[kept], starts[kept], owners[kept]
        first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
        hashes = keys[first]
        bits = int(np.clip(len(hashes) * _FREE, 1, None) - 1).bit_length()
        passes = np.zeros(1 << min(max(bits, _FEWEST_BITS), _MOST_BITS), bool)
        passes[_slots(hashes, len(passes))] = True
        offsets = np.append(np.flatnonzero(first), len(keys))
        return cls(
            hashes,
            Ragged(np.arange(len(keys)), offsets),
            owners.astype(np.int32),
            (starts - items.offsets[owners]).astype(np.int32),
            _sums(weights),
            passes,
            least,
        )

    @property
    def bytes(self) -> int:
        """The size of its arrays."""
        arrays = (self.hashes, self.places.values, self.places.offsets, self.owners, self.within)
        return sum(array.nbytes for array in (*arrays, self.sums.values, self.passes))

    def candidates(self, texts: Ragged) -> SeedCandidates:
        """The places in texts, given as rows of the hashes of their words."""
        grams = polynomial_hashes(texts.values, SEED, POWERS, _WRAP)
        places = np.flatnonzero(self.passes[_slots(grams, len(self.passes))])
        seeds = np.searchsorted(self.hashes, grams[places])
        seeds[seeds == len(self.hashes)] = 0
        equal = self.hashes[seeds] == grams[places] if len(self.hashes) else seeds < 0
        places, seeds = places[equal], seeds[equal]
        rows = np.searchsorted(texts.offsets, places, "right") - 1
        inside = places + SEED <= texts.offsets[rows + 1]
        rows, places, seeds = rows[inside], places[inside], seeds[inside]
        postings = self.places.taken(seeds)
        owners = postings.owners
        hits = _SeedHits(
            rows[owners],
            self.owners[postings.values].astype(np.int64),
            (places - texts.offsets[rows])[owners],
            self.within[postings.values].astype(np.int64),
        )
        return self._groups(hits)

    def _groups(self, hits: _SeedHits) -> SeedCandidates:
        """Hits of one item that stand about as in the item, if they cover enough of it."""
        hits = hits.taken(np.lexsort((hits.texts - hits.within, hits.items, hits.rows)))
        slack = 2 + (self.sums.lengths[hits.items] >> 3)
        begins = hits.begins | (hits.steps > slack)
        group = np.cumsum(begins)
        hits = hits.taken(np.lexsort((hits.within, group)))
        starts = np.flatnonzero(begins)
        if not len(starts):
            empty = np.empty(0, np.int64)
            return SeedCandidates(empty, empty, empty, empty, empty, empty)
        items = hits.items[starts]
        ends = hits.within + SEED
        previous = np.append(0, ends[:-1])
        previous[starts] = 0
        base = self.sums.offsets[hits.items]
        sums = self.sums.values
        covered = sums[base + ends] - sums[base + np.maximum(hits.within, previous)]
        covered = np.add.reduceat(covered, starts)
        enough = covered >= self.least * sums[self.sums.offsets[items + 1] - 1]
        return SeedCandidates(
            hits.rows[starts][enough],
            items[enough],
            np.minimum.reduceat(hits.texts, starts)[enough],
            np.maximum.reduceat(hits.texts, starts)[enough] + SEED,
            np.minimum.reduceat(hits.within, starts)[enough],
            np.maximum.reduceat(hits.within, starts)[enough] + SEED,
        )


@dataclass(frozen=True, eq=False)
class _SeedHits:
    """Seeds that a text shares with an item: arrays of one length.

    Word `texts` of the text in the row, and word `within` of the item, begin an equal seed.
    """

    rows: Places
    items: Places
    texts: Places
    within: Places

    def taken(self, order: Places) -> _SeedHits:
        return _SeedHits(self.rows[order], self.items[order], self.texts[order], self.within[order])

    @property
    def begins(self) -> NDArray[np.bool_]:
        """Whether a hit is of another text or item than the one before."""
        other = (self.rows[1:] != self.rows[:-1]) | (self.items[1:] != self.items[:-1])
        return np.append(True, other)[: len(self.rows)]

    @property
    def steps(self) -> Places:
        """How much further right a hit stands than the one before, compared with the item."""
        diagonals = self.texts - self.within
        return np.append(0, diagonals[1:] - diagonals[:-1])[: len(diagonals)]


def _starts(offsets: Places, grams: int) -> tuple[Places, Places]:
    """Where the seeds within rows begin, and the rows."""
    owners = np.repeat(np.arange(len(offsets) - 1), offsets[1:] - offsets[:-1])
    starts = np.arange(grams)
    starts = starts[starts + SEED <= offsets[1:][owners[:grams]]]
    return starts, owners[starts]


def _slots(grams: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """The places of n-grams in a filter of a size that is a power of two."""
    return (grams * _SPREAD) >> np.uint64(65 - size.bit_length())


def _without_templates(keys: NDArray[np.uint64], owners: Places, items: int) -> NDArray[np.bool_]:
    """Which seeds, sorted by their keys, are kept: not templates of many items."""
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    counts = np.diff(np.append(begins, len(keys)))
    rare = np.repeat(counts <= _MOST_ITEMS, counts)
    others = np.bincount(owners[rare], minlength=items)
    return rare | (others[owners] < _NEEDED)


def _sums(weights: Ragged) -> Ragged:
    """For each row the sums of its first 0, 1, 2, … values."""
    lengths = weights.lengths
    offsets = offsets_of(lengths + 1)
    total = np.append(0.0, np.cumsum(weights.values))
    shifts = np.arange(len(weights)).repeat(lengths + 1)
    places = np.arange(offsets[-1]) - shifts
    return Ragged(total[places] - total[weights.offsets[:-1]].repeat(lengths + 1), offsets)
