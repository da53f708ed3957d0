"""The words of what stands between white space, with their places in it, remembered."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.arrays.row_hashes import stretch_hashes
from sdtext.kernels.terms.stretches import Stretches, cut, distinct

WordsOf = Callable[[str], NDArray[np.int32]]

_MOST = 1 << 20  # stretches and words of them that are remembered; some 100 MB
_BOUNDARY = "\n"  # which parts stretches for every tokenizer


class PlacedStretches:
    """The words of stretches: what `words_of` makes of their text, each known again.

    `words_of` gives a row of number, start and end (int32) for each word of a text, in order. A
    stretch is known again by a 64-bit hash. `seed` is a secret, so that no document can be made
    whose stretches pass for others.
    """

    def __init__(self, words_of: WordsOf, seed: int) -> None:
        self._words_of = words_of
        self._seed = seed
        self._clear()

    def _clear(self) -> None:
        self._entries: dict[int, int] = {}
        self._values = np.empty((1 << 12, 3), np.int32)
        self._offsets = np.zeros(1, np.int64)

    def __call__(self, found: Stretches) -> Ragged:
        """A row for each stretch: its words, with places that count code points from its start."""
        if self._offsets[-1] + len(self._offsets) > _MOST:
            self._clear()
        if not len(found.starts):
            return Ragged(self._values[:0], self._offsets[:1])
        hashes = stretch_hashes(found.data, found.starts, found.lengths, self._seed)
        keys, places, which = distinct(hashes)
        entries = self._known(keys, found, places)
        return Ragged(self._values, self._offsets).taken(entries[which])

    def _known(
        self, keys: NDArray[np.uint64], found: Stretches, places: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Which of the rows remembered is that of each key; new ones are made of its stretch."""
        entry_of = self._entries.get
        entries = np.array([entry_of(key, -1) for key in keys.tolist()], np.int64)
        missed = np.flatnonzero(entries < 0)
        if len(missed):
            numbers = range(len(self._offsets) - 1, len(self._offsets) - 1 + len(missed))
            self._append(self._made(found, places[missed]))
            self._entries.update(zip(keys[missed].tolist(), numbers, strict=True))
            entries[missed] = numbers
        return entries

    def _append(self, rows: Ragged) -> None:
        """Remember rows."""
        start = int(self._offsets[-1])
        end = start + len(rows.values)
        if end > len(self._values):
            grown = np.empty((max(end, 2 * len(self._values)), 3), np.int32)
            grown[:start] = self._values[:start]
            self._values = grown
        self._values[start:end] = rows.values
        self._offsets = np.append(self._offsets, rows.offsets[1:] + start)

    def _made(self, found: Stretches, places: NDArray[np.int64]) -> Ragged:
        """The words of the stretches at `places`."""
        rows = cut(found, places)
        text = _joined(rows).decode("utf-8", "surrogatepass")
        lengths = np.fromiter(map(len, text.split(_BOUNDARY)), np.int64, len(rows))
        begins = offsets_of(lengths + 1)[:-1]
        words = self._words_of(text)
        owners = np.searchsorted(begins, words[:, 1], "right") - 1
        words[:, 1:] -= begins[owners, None].astype(np.int32)
        return Ragged(words, offsets_of(np.bincount(owners, minlength=len(rows))))


def _joined(rows: Ragged) -> bytes:
    """The rows with a boundary between them."""
    made = np.full(len(rows.values) + len(rows), ord(_BOUNDARY), np.uint8)
    made[np.arange(len(rows.values)) + rows.owners] = rows.values
    return made[:-1].tobytes()
