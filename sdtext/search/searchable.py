"""What can be searched: collections, documents in memory, and the table of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_types import StoredDocument
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.model import DictionaryReference
from sdtext.parts.indexes import Bands
from sdtext.reading.parallel_run import VERIFYING, Run
from sdtext.search.candidates.buckets import Rows
from sdtext.search.candidates.intersections import common
from sdtext.search.derived_columns import Derivation, SegmentView

if TYPE_CHECKING:
    from sdtext.collections.memory import MemoryCollection
    from sdtext.collections.stored_collection import StoredCollection

KeysOfRows = tuple[NDArray[np.uint64], Rows]
"""Keys of a band in ascending order, and the row of each."""

_PAIRS_AT_ONCE = 1 << 20  # of which progress is reported
_ROWS_AT_ONCE = 1 << 20
_STEP = 1 << 10  # rows, of which one is in a sample
_ALONE = Run()


Searchable: TypeAlias = "StoredCollection | MemoryCollection"
"""A collection: in a store, or in memory."""


def documents_of(searched: Searchable, ids: Iterable[int]) -> dict[int, StoredDocument]:
    """The documents with these numbers, by them."""
    wanted = sorted(set(ids))
    return {document.id: document for document in searched.take(wanted)} if wanted else {}


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of several segments, numbered consecutively.

    It is `two_sided` where documents of one collection are compared with those of another. The
    stages of a search of pairs are reported to the `run`.
    """

    views: Sequence[SegmentView]
    derivation: Derivation
    two_sided: bool = False
    run: Run = _ALONE

    @cached_property
    def starts(self) -> Rows:
        """The number of the first row of each view, and of all rows at the end."""
        return np.cumsum([0, *(len(view.wanted) for view in self.views)])

    @cached_property
    def ids(self) -> Rows:
        """The number of the document of each row."""
        return self._joined([view.segment.ids for view in self.views])

    @cached_property
    def sizes(self) -> Rows:
        """How many shingles each row has."""
        return self._joined([view.shingles.lengths for view in self.views])

    @cached_property
    def sides(self) -> NDArray[Any]:
        """0 for the rows of the first collection, 1 for those of the second."""
        return np.repeat([view.side for view in self.views], np.diff(self.starts))

    @cached_property
    def wanted(self) -> NDArray[np.bool_]:
        """Which rows are searched: those not removed that are selected and have shingles."""
        return self._joined([view.wanted for view in self.views]).astype(bool) & (self.sizes > 0)

    @cached_property
    def slots(self) -> int:
        """How many slots a sketch has."""
        return int(self.derivation.sketcher.slots)

    def band(self, bands: Bands, number: int) -> KeysOfRows:
        """The sorted keys of all rows in one band, and their rows."""
        parts = [*self.band_parts(bands, number)]
        if len(parts) == 1:
            return parts[0]
        keys, rows = zip(*parts, strict=True)
        return self._joined(keys), self._joined(rows)

    def band_parts(self, bands: Bands, number: int) -> Iterator[KeysOfRows]:
        """The same in parts of about a million rows; equal keys are in the same one.

        So neither the memory for a band nor the time for a row grows with the table.
        """
        known = [view.keys(bands)[number] for view in self.views]
        borders = _borders([keys for keys, _ in known])
        cuts = [[0, *np.searchsorted(keys, borders).tolist(), len(keys)] for keys, _ in known]
        for part in range(len(borders) + 1):
            yield self._in_order(known, [slice(*cut[part : part + 2]) for cut in cuts])

    def _in_order(self, known: Sequence[NDArray[np.uint64]], here: Sequence[slice]) -> KeysOfRows:
        """The keys with their rows, of which each view has some in order."""
        keys, rows = [], []
        for start, view, pair, some in zip(
            self.starts[:-1].tolist(), self.views, known, here, strict=True
        ):
            keys.append(pair[0, some])
            rows.append(view.rows_at(pair[1, some]) + start)
        if len(keys) == 1:
            return keys[0], rows[0]
        together = self._joined(keys)
        order = np.argsort(together, kind="stable")  # fast, since it merges runs that are in order
        return together[order], self._joined(rows)[order]

    def oriented(
        self, left: Rows, right: Rows, *, symmetric: bool = True
    ) -> tuple[Rows, Rows, NDArray[np.bool_]]:
        """The pairs that are searched for, each with its left and right row in order.

        Beside them stands which of the given pairs they are.
        """
        keys = (self.sides[left], self.sides[right]) if self.two_sided else (left, right)
        kept = keys[0] != keys[1]
        swapped = (keys[0] > keys[1])[kept] & symmetric
        left, right = left[kept], right[kept]
        left, right = np.where(swapped, right, left), np.where(swapped, left, right)
        return left, right, kept

    def sketches(self, rows: Rows) -> NDArray[np.uint32]:
        """The sketches of some rows."""
        return self._taken(rows, [view.sketches for view in self.views])

    def estimate_sketches(self, rows: Rows) -> NDArray[Any]:
        """The sketches of some rows from which similarities are estimated."""
        return self._taken(rows, [view.estimate_sketches for view in self.views])

    def _taken(self, rows: Rows, columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Some rows of a column, given view by view."""
        array = np.empty((len(rows), *columns[0].shape[1:]), columns[0].dtype) if columns else rows
        for column, (_, here, places) in zip(columns, self._located(rows), strict=True):
            array[here] = column[places]
        return array

    def slots_as_sets(self, rows: Rows) -> Ragged:
        """The sketches of some rows as sets of pairs of a slot and its value."""
        slots = np.arange(self.slots, dtype=np.uint64) << np.uint64(32)
        values = (slots | self.sketches(rows)).ravel()
        return Ragged(values, np.arange(len(rows) + 1, dtype=np.int64) * self.slots)

    def shingles(self, rows: Rows) -> Ragged:
        """The shingles of some rows, which are in rising order."""
        parts = [view.shingles.take(places) for view, _, places in self._located(rows)]
        return joined(parts) if parts else Ragged.of([])

    def common(self, left: Rows, right: Rows) -> Rows:
        """The number of shingles that each pair of rows shares."""
        counts = np.zeros(len(left), np.int64)
        for start in range(0, len(left), _PAIRS_AT_ONCE):
            some = slice(start, start + _PAIRS_AT_ONCE)
            owners = [
                np.searchsorted(self.starts, side[some], "right") - 1 for side in (left, right)
            ]
            for first, second in product(range(len(self.views)), repeat=2):
                here = start + np.flatnonzero((owners[0] == first) & (owners[1] == second))
                if len(here):
                    places = left[here] - self.starts[first], right[here] - self.starts[second]
                    sets = self.views[first].shingles, self.views[second].shingles
                    counts[here] = common(*sets, places)
            self.run.step(len(counts[some]), len(left), VERIFYING)
        return counts

    def _located(self, rows: Rows) -> Iterator[tuple[SegmentView, NDArray[Any], Rows]]:
        """For each view the places in `rows` of its own rows, and these rows."""
        owners = np.searchsorted(self.starts, rows, "right") - 1
        for place, view in enumerate(self.views):
            here = np.flatnonzero(owners == place)
            yield view, here, rows[here] - self.starts[place]

    def located(self, row: int) -> tuple[int, int]:
        """The view that a row is in, and its place there."""
        view = int(np.searchsorted(self.starts, row, "right")) - 1
        return view, row - int(self.starts[view])

    @staticmethod
    def _joined(columns: Sequence[Any]) -> NDArray[Any]:
        return np.concatenate(columns) if columns else np.empty(0, np.int64)


def _borders(columns: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Keys that cut sorted columns of keys into parts of so many rows in all."""
    number = sum(map(len, columns)) // _ROWS_AT_ONCE
    if not number:
        return np.empty(0, np.uint64)
    sample = np.sort(np.concatenate([keys[::_STEP] for keys in columns]))
    return distinct(sample[np.arange(1, number + 1) * len(sample) // (number + 1)])


def segment_views(
    searched: Searchable,
    derivation: Derivation,
    where: str | None = None,
    side: int = 0,
    over: DictionaryReference | None = None,
) -> list[SegmentView]:
    """The segments of a collection, with the rows that are not removed and are selected."""
    selected = None if where is None else searched.ids(where)
    array = []
    for segment in searched.segments(over):
        wanted = np.asarray(segment.alive)
        if selected is not None:
            wanted = wanted & np.isin(segment.ids, selected)
        array.append(SegmentView(segment, derivation, side, wanted))
    return array
