"""Jaccard similarities estimated from sketches alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.search.buckets import Rows
from sdtext.search.derivation import Making
from sdtext.search.table import Table

Estimated = NDArray[np.float64]

_CHUNK = 1 << 13  # rows whose sketches are compared at once


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates by the recipe's own sketch: whole slots, or packed bits of them."""

    table: Table

    def pairs(self, left: Rows, right: Rows) -> Estimated:
        """Of each pair of rows."""
        made = np.empty(len(left))
        for start in range(0, len(left), _CHUNK):
            some = slice(start, start + _CHUNK)
            ones, others = (self.table.own_sketches(side[some]) for side in (left, right))
            made[some] = self._part.estimate(ones, others)
        return made

    def with_query(self, query: Ragged) -> Estimated:
        """Of the set in the one row of `query` with those of all rows."""
        sketch = self._part(query)[0]
        made = [np.empty(0)]
        for piece in self.table.pieces:
            rows = piece.own_sketches
            made += [
                self._part.estimate(sketch, rows[start : start + _CHUNK])
                for start in range(0, len(rows), _CHUNK)
            ]
        return np.concatenate(made)

    @cached_property
    def _part(self) -> Any:
        making: Making = self.table.making
        return making.own_sketcher
