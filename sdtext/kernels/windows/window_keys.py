"""Keys of windows: two windows that differ in few terms have one in common.

The k-wise signatures of P. Wang, C. Xiao, J. Qin, W. Wang, X. Zhang, Y. Ishikawa: Local similarity
search for unstructured text, SIGMOD 2016. A term that is in few documents is a key by itself. Of
more frequent ones, two, three or four of a window make one, so that every key is in few documents.
The terms of a window are sorted by rarity. If enough of the first ones are taken for its keys, a
window that differs in `tau` terms lacks some of the keys, but never all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import mixed
from sdtext.kernels.windows.window_join import WindowJoin

FREQUENT = 1 << 18
"""How many of the most frequent terms are known; all others are taken for rare ones."""
_CLASSES = 4
_DOCUMENTS = 4  # that share a key of frequent terms, about
_LISTED = 1 << 62  # the ranks of frequent terms start here; those of others are their hashes
_AT_ONCE = 1 << 20  # terms or keys of windows
_REPEATED = np.uint64(0x9E3779B97F4A7C15)

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class WindowKeys:
    """The keys of windows of documents, as rows of the hashes of their terms.

    `hashes` are those of frequent terms, sorted, and `ranks` their ranks by the number of documents
    that have them; class c + 1 begins at the rank `begins[c]`.
    """

    hashes: Hashes
    ranks: Hashes
    begins: Hashes

    @classmethod
    def of(cls, hashes: Hashes, counts: NDArray[np.int64], documents: int) -> WindowKeys:
        """The keys for so many documents, of which `counts` have the frequent terms."""
        by_count = np.lexsort((hashes, counts))
        ranks = np.empty(len(hashes), np.uint64)
        ranks[by_count] = np.arange(len(hashes), dtype=np.uint64) + np.uint64(_LISTED)
        share = _DOCUMENTS / max(documents, 1)
        most = [documents * share ** (1 / size) for size in range(1, _CLASSES)]
        begins = np.searchsorted(counts[by_count], most, "right").astype(np.uint64)
        order = np.argsort(hashes)
        return cls(hashes[order], ranks[order], begins + np.uint64(_LISTED))

    def __call__(self, terms: Hashes, join: WindowJoin) -> Hashes:
        """The distinct keys of the windows of a document for a join; none if it is shorter."""
        w = join.w
        if len(terms) < w:
            return np.empty(0, np.uint64)
        ranks = terms >> np.uint64(2)
        if len(self.hashes):
            places = np.searchsorted(self.hashes, terms) % len(self.hashes)
            known = self.hashes[places] == terms
            ranks[known] = self.ranks[places[known]]
        # Up to tau + 4 terms of class 4 are taken, four at a time.
        windows, size = sliding_window_view(ranks, w), max(w, comb(join.tau + _CLASSES, _CLASSES))
        count = max(1, _AT_ONCE // size)
        parts = (windows[start : start + count] for start in range(0, len(windows), count))
        found = [keys for part in parts for keys in self._of_windows(np.sort(part), join)]
        return np.unique(np.concatenate(found))

    def _of_windows(self, windows: Hashes, join: WindowJoin) -> Iterator[Hashes]:
        """The keys of each class of sorted windows."""
        # A window may lack up to c - 1 terms of class c to make a key; enough must be left.
        spare = join.w - join.tau - 1
        classes = max(c for c in range(1, _CLASSES + 1) if c * (c - 1) // 2 <= spare)
        own = np.searchsorted(self.begins[: classes - 1], windows, "right")
        terms = mixed(windows + _within(windows).astype(np.uint64) * _REPEATED)
        place = _within(own)
        enough = np.cumsum(place >= own, axis=1) - (place >= own) <= join.tau
        for number in range(classes):
            chosen = enough & (own == number)
            counts = chosen.sum(axis=1)
            if (most := int(counts.max())) <= number:
                continue
            taken = np.array([*combinations(range(most), number + 1)])
            columns = chosen.argmax(axis=1)[:, None] + np.arange(most)
            some = np.take_along_axis(terms, np.minimum(columns, join.w - 1), axis=1)
            keys = mixed(some[:, taken].sum(axis=2, dtype=np.uint64))
            yield np.unique(keys[taken[:, -1] < counts[:, None]])


def _within(rows: NDArray[np.generic]) -> NDArray[np.int64]:
    """For each value of sorted rows how many equal ones stand before it in its row."""
    places = np.broadcast_to(np.arange(rows.shape[1]), rows.shape)
    new = np.ones(rows.shape, bool)
    new[:, 1:] = rows[:, 1:] != rows[:, :-1]
    result: NDArray[np.int64] = places - np.maximum.accumulate(np.where(new, places, 0), axis=1)
    return result
