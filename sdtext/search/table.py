"""The documents that are searched, of one collection or of two, numbered through."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.filters import Condition
from sdtext.errors import FormatError
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.parts.indexes import Banding
from sdtext.search.columns import Columns, Searchable
from sdtext.search.derivation import Making
from sdtext.search.verification import common

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Piece:
    """A segment and what is made of it; `side` is 1 where it belongs to the second collection."""

    segment: Columns
    making: Making
    side: int
    wanted: NDArray[np.bool_]

    @cached_property
    def shingles(self) -> Ragged:
        """The shingles of each document, as plain arrays: memory-mapped ones are slow to cut."""
        made = self.making.shingles(self.segment)
        self._check("shingles", made.values, np.uint64, (len(made.values),))
        return Ragged(np.asarray(made.values), np.asarray(made.offsets))

    @cached_property
    def sketches(self) -> NDArray[np.uint32]:
        """The sketch of each document."""
        made = np.asarray(self.making.sketches(self.segment))
        self._check("sketches", made, np.uint32, (len(self.wanted), self.making.sketcher.slots))
        return made

    def without(self, ids: Collection[int]) -> Piece:
        """The same, but that the documents with these numbers are not wanted."""
        return replace(self, wanted=self.wanted & ~np.isin(self.segment.ids, list(ids)))

    @cached_property
    def own_sketches(self) -> NDArray[Any]:
        """The sketch of each document that estimates are had from."""
        part = self.making.own_sketcher
        if part is self.making.sketcher:
            return self.sketches
        made = np.asarray(self.making.own_sketches(self.segment))
        shape = len(self.wanted), part.slots * part.bits // 8
        self._check("packed sketches", made, np.uint8, shape)
        return made

    def keys(self, bands: Banding) -> NDArray[np.uint64]:
        """The keys of each band in order, and whose they are: of shape (bands, 2, documents)."""
        made = np.asarray(self.making.keys(self.segment, bands))
        number = bands.layout(self.making.sketcher.slots)[0]
        self._check("band keys", made, np.uint64, (number, 2, len(self.wanted)))
        return made

    def named(self, rows: NDArray[np.uint64]) -> Rows:
        """The rows that band keys name, as places. Raises FormatError."""
        if len(rows) and rows.max() >= len(self.wanted):
            raise _damaged("band keys")
        return rows.astype(np.int64)

    @staticmethod
    def _check(what: str, found: NDArray[Any], kind: Any, shape: tuple[int, ...]) -> None:
        if found.dtype != kind or found.shape != shape:
            raise _damaged(what)


def _damaged(what: str) -> FormatError:
    return FormatError(
        f"the {what} of the collection do not fit its recipe; run Doctor to find the damage"
    )


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of several segments, numbered through; those of other documents are passed by.

    It is `two_sided` where documents of one collection are compared with those of another.
    """

    pieces: Sequence[Piece]
    making: Making
    two_sided: bool = False

    @cached_property
    def starts(self) -> Rows:
        """The number of the first row of each piece, and of all rows at the end."""
        return np.cumsum([0, *(len(piece.wanted) for piece in self.pieces)])

    @cached_property
    def ids(self) -> Rows:
        """The number of the document of each row."""
        return self._joined([piece.segment.ids for piece in self.pieces])

    @cached_property
    def sizes(self) -> Rows:
        """How many shingles each row has."""
        return self._joined([piece.shingles.lengths for piece in self.pieces])

    @cached_property
    def sides(self) -> NDArray[Any]:
        """0 for the rows of the first collection, 1 for those of the second."""
        return np.repeat([piece.side for piece in self.pieces], np.diff(self.starts))

    @cached_property
    def wanted(self) -> NDArray[np.bool_]:
        """Which rows are searched: what is there, is asked for and has shingles."""
        return self._joined([piece.wanted for piece in self.pieces]).astype(bool) & (self.sizes > 0)

    @cached_property
    def slots(self) -> int:
        """How many slots a sketch has."""
        return int(self.making.sketcher.slots)

    def band(self, bands: Banding, number: int) -> tuple[NDArray[np.uint64], Rows]:
        """The keys of all rows in one band in order, and whose they are."""
        keys, rows = [], []
        for start, piece in zip(self.starts.tolist(), self.pieces, strict=False):
            ordered, named = piece.keys(bands)[number]
            keys.append(ordered)
            rows.append(piece.named(named) + start)
        if len(keys) == 1:
            return keys[0], rows[0]
        together = self._joined(keys)
        order = np.argsort(together, kind="stable")
        return together[order], self._joined(rows)[order]

    def sketches(self, rows: Rows) -> NDArray[np.uint32]:
        """The sketches of some rows."""
        return self._taken(rows, [piece.sketches for piece in self.pieces])

    def own_sketches(self, rows: Rows) -> NDArray[Any]:
        """The sketches of some rows that estimates are had from."""
        return self._taken(rows, [piece.own_sketches for piece in self.pieces])

    def _taken(self, rows: Rows, columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Some rows of what each piece has."""
        made = np.empty((len(rows), *columns[0].shape[1:]), columns[0].dtype) if columns else rows
        for column, (_, here, places) in zip(columns, self._located(rows), strict=True):
            made[here] = column[places]
        return made

    def slots_as_sets(self, rows: Rows) -> Ragged:
        """The sketches of some rows as sets: of each slot its number with what it holds."""
        slots = np.arange(self.slots, dtype=np.uint64) << np.uint64(32)
        values = (slots | self.sketches(rows)).ravel()
        return Ragged(values, np.arange(len(rows) + 1, dtype=np.int64) * self.slots)

    def shingles(self, rows: Rows) -> Ragged:
        """The shingles of some rows, which are in rising order."""
        parts = [piece.shingles.taken(places) for piece, _, places in self._located(rows)]
        return joined(parts) if parts else Ragged.of([])

    def common(self, left: Rows, right: Rows) -> Rows:
        """How many shingles each pair of rows shares."""
        counts = np.zeros(len(left), np.int64)
        lefts = [self._piece_of(left) == place for place in range(len(self.pieces))]
        rights = [self._piece_of(right) == place for place in range(len(self.pieces))]
        for one, other in product(range(len(self.pieces)), repeat=2):
            here = np.flatnonzero(lefts[one] & rights[other])
            if len(here):
                places = left[here] - self.starts[one], right[here] - self.starts[other]
                counts[here] = common(
                    self.pieces[one].shingles, self.pieces[other].shingles, places
                )
        return counts

    def _piece_of(self, rows: Rows) -> Rows:
        return np.searchsorted(self.starts, rows, "right") - 1

    def _located(self, rows: Rows) -> Iterator[tuple[Piece, NDArray[Any], Rows]]:
        """For each piece where in `rows` its rows are named, and which they are."""
        owners = self._piece_of(rows)
        for place, piece in enumerate(self.pieces):
            here = np.flatnonzero(owners == place)
            yield piece, here, rows[here] - self.starts[place]

    def located(self, row: int) -> tuple[int, int]:
        """Which piece a row is in, and its place there."""
        piece = int(np.searchsorted(self.starts, row, "right")) - 1
        return piece, row - int(self.starts[piece])

    @staticmethod
    def _joined(columns: Sequence[Any]) -> NDArray[Any]:
        return np.concatenate(columns) if columns else np.empty(0, np.int64)


def pieces(
    searched: Searchable, making: Making, where: Condition | None = None, side: int = 0
) -> list[Piece]:
    """The segments of a collection, with the rows that are there and asked for."""
    meant = None if where is None else searched.ids(where)
    made = []
    for segment in searched.segments():
        wanted = np.asarray(segment.alive)
        if meant is not None:
            wanted = wanted & np.isin(segment.ids, meant)
        made.append(Piece(segment, making, side, wanted))
    return made
